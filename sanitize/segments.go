package sanitize

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The layers in this file read the canonical key, segment by segment. What
// they compare with a fixed name is the skeleton.

// A segment is one folder or file name of a key.
type segment struct {
	start          int // in the canonical key
	name, skeleton string
	isFile         bool // the last one
}

// segments yields the segments of k from left to right. Name and skeleton
// stay in step, because nothing that passed layer unicode folds to a slash.
func (k key) segments() iter.Seq[segment] {
	return func(yield func(segment) bool) {
		rest, folded, isFolder := k.canonical, k.skeleton, true
		for isFolder {
			s := segment{start: len(k.canonical) - len(rest)}
			s.name, rest, isFolder = strings.Cut(rest, "/")
			s.skeleton, folded, _ = strings.Cut(folded, "/")
			s.isFile = !isFolder
			if !yield(s) {
				return
			}
		}
	}
}

// refuseFoldedEscape is layer url_encoded once more: with the digits of other
// scripts, as in %２Ｅ, the escape appears only where names are decomposed.
func refuseFoldedEscape(k key) *PathError {
	if !strings.Contains(k.skeleton, "%") {
		return nil
	}
	for s := range k.segments() {
		if indexEscape(s.skeleton) >= 0 {
			return &PathError{LayerURLEncoded, s.start, escapeHint}
		}
	}
	return nil
}

// refuseTraversal looks at the skeleton, in which a ".." of the canonical key
// and one that appears by decomposition are the same.
func refuseTraversal(k key) *PathError {
	if !strings.Contains(k.skeleton, "..") {
		return nil
	}
	for s := range k.segments() {
		if s.skeleton == ".." {
			return &PathError{LayerTraversal, s.start, "a name cannot lead to the folder above; leave out the \"..\""}
		}
	}
	return nil
}

// refuseLength limits the whole key: its depth, its size, and its size with
// all ligatures spelt out.
func refuseLength(k key) *PathError {
	n := 0
	for s := range k.segments() {
		if n++; n > maxSegments {
			return &PathError{LayerLength, s.start, "too many folders; at most 8 segments are allowed"}
		}
	}
	switch {
	case len(k.canonical) > maxKeyBytes:
		return &PathError{LayerLength, maxKeyBytes, "the name is too long; at most 512 bytes are allowed"}
	case len(k.skeleton) > maxSkeletonBytes:
		return &PathError{LayerLength, 0, "the name is too long with its ligatures spelt out; use plain letters"}
	}
	return nil
}

func refuseSegments(k key) *PathError {
	for s := range k.segments() {
		for _, refuse := range [...]func(segment) (offset int, layer Layer, hint string){
			emptySegment,
			longSegment,
			reservedSegment,
			unstorableSegment,
		} {
			if offset, layer, hint := refuse(s); hint != "" {
				return &PathError{layer, s.start + offset, hint}
			}
		}
	}
	return nil
}

func emptySegment(s segment) (int, Layer, string) {
	switch s.name {
	case "":
		return 0, LayerSegment, "a name cannot have two slashes in a row or one at the end"
	case ".":
		return 0, LayerSegment, "a name cannot hold a \".\" segment; leave it out"
	}
	return 0, "", ""
}

func longSegment(s segment) (int, Layer, string) {
	// No character has more than two units in NFD for each of its bytes, so most names need no count.
	if n := len(s.name); n > maxSegmentBytes || 2*n > maxSegmentUnits && nfdUnits(s.name) > maxSegmentUnits {
		return 0, LayerLength, "this folder or file name is too long; at most 255 bytes are allowed"
	}
	return 0, "", ""
}

// nfdUnits returns how many UTF-16 units s has in NFD.
func nfdUnits(s string) int {
	units := 0
	for _, r := range norm.NFD.String(s) {
		units += utf16.RuneLen(r)
	}
	return units
}

func reservedSegment(s segment) (int, Layer, string) {
	return 0, LayerReserved, reservedHint(s)
}

func unstorableSegment(s segment) (int, Layer, string) {
	first, _ := utf8.DecodeRuneInString(s.name)
	last := len(s.name) - 1
	switch {
	case first == '.':
		return 0, LayerSegment, "a folder or file name cannot start with a dot, which hides it"
	case first == '-':
		return 0, LayerSegment, "a folder or file name cannot start with a dash, which reads as an option"
	case first == ' ':
		return 0, LayerSegment, "a folder or file name cannot start with a space"
	case unicode.Is(unicode.M, first):
		return 0, LayerSegment, "a folder or file name cannot start with a combining mark"
	case s.name[last] == '.' || s.name[last] == ' ':
		return last, LayerSegment, "a folder or file name cannot end with a dot or space, which Windows drops"
	}
	for i := range len(s.name) {
		switch s.name[i] {
		case '<', '>', ':', '"', '|', '?', '*':
			return i, LayerSegment, `Windows cannot store the characters < > : " | ? * in a name`
		}
	}
	// Or a name could be a folder on one side and a file on the other.
	if !s.isFile && strings.HasSuffix(s.skeleton, ".md") {
		return 0, LayerSegment, "a folder name cannot end in .md"
	}
	return 0, "", ""
}

func refuseExtension(k key) *PathError {
	if strings.HasSuffix(k.canonical, ".md") {
		return nil
	}
	return &PathError{LayerExtension, strings.LastIndexByte(k.canonical, '/') + 1, "a file name ends in .md, in lower case"}
}
