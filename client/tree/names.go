package tree

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

const (
	extension = ".md"
	ownPrefix = ".teammem-" // of files that are about to get their name, or have lost it
	tmpSuffix = ".tmp"      // a new text, not yet at its place
	oldSuffix = ".old"      // a text that was moved aside and not yet kept
	newSuffix = ".new"      // a new folder that is being filled

	markerName = ".teammem"
	ignoreName = ".teammemignore"
)

// Ignored reports whether a name below team/ is never looked at: what editors
// and other sync programs leave there, and all that starts with a dot. A path
// of the server's may be such a name, and stays untouched then. What else a
// member leaves out is for [Rules] to say.
func Ignored(disk string) bool {
	for name := range strings.SplitSeq(disk, "/") {
		if ignored(name) {
			return true
		}
	}
	return false
}

func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.Contains(name, ".sync-conflict-") || strings.Contains(name, "(conflicted copy")
}

// odd reports whether an ignored name is told like one that is refused: no
// program hides a file behind two dots, and one that hides Markdown behind one
// puts its own mark there or at the end.
func odd(name string) bool {
	switch {
	case strings.HasPrefix(name, ".."):
		return true
	case strings.HasPrefix(name, "._"), strings.HasPrefix(name, ".#"), strings.HasPrefix(name, ".~"):
		return false
	}
	return strings.HasPrefix(name, ".") && strings.HasSuffix(sanitize.Skeleton(canonical(name)), extension)
}

// resembles reports whether a name that is no entry's was most likely meant for
// one: ".md" is in it, in some spelling. Names that programs give to a text
// while they write it are left out.
func resembles(name string) bool {
	key := sanitize.Skeleton(canonical(name))
	i := strings.LastIndex(key, extension)
	return i >= 0 && !unfinished(key, key[i+len(extension):])
}

// unfinished reports whether a program gave the name for a moment; tail is what
// follows the last ".md".
func unfinished(key, tail string) bool {
	for _, mark := range []string{".tmp", ".temp", ".swp", ".part", "___jb_"} {
		if strings.Contains(tail, mark) {
			return true
		}
	}
	const longerThanDate = 9 // "a.md.20261130" is somebody's copy
	number := len(tail) > longerThanDate && strings.Trim(tail[1:], "0123456789") == "" && tail[0] == '.'
	return number || tail == "#" && key[0] == '#'
}

// canonical returns the NFC spelling, the only one that paths have.
func canonical(disk string) string { return norm.NFC.String(disk) }

// spells reports whether a spelling on disk is one of the path. A path holds
// no "..", so neither does a spelling of it.
func spells(disk string, p memory.Path) bool {
	return !p.IsZero() && canonical(disk) == p.String()
}

func newTmpName() string { return ownPrefix + randomHex(8) + tmpSuffix }

func newFolderName() string { return ownPrefix + randomHex(8) + newSuffix }

// newOldName names the file that a text is moved aside to. Its digits start
// with a tag of the name the text had, so that [Tree.Sweep] can find that name
// after a crash.
func newOldName(name string) string { return ownPrefix + nameTag(name) + randomHex(4) + oldSuffix }

// wasNamed reports whether an .old file can have had the name.
func wasNamed(old, name string) bool { return strings.HasPrefix(old, ownPrefix+nameTag(name)) }

func nameTag(name string) string {
	sum := sha256.Sum256([]byte(canonical(name)))
	return hex.EncodeToString(sum[:4])
}

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

func isTmp(name string) bool {
	return strings.HasPrefix(name, ownPrefix) && strings.HasSuffix(name, tmpSuffix)
}

func isOld(name string) bool {
	return strings.HasPrefix(name, ownPrefix) && strings.HasSuffix(name, oldSuffix)
}

func isNew(name string) bool {
	return strings.HasPrefix(name, ownPrefix) && strings.HasSuffix(name, newSuffix)
}
