package sanitize_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/sanitize"
)

// Offsets count in the raw key, whichever form the layer looked at.
func TestParseKey_Offset(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		layer     sanitize.Layer
		want      int
	}{
		{"bad byte", "ab\xffc.md", sanitize.LayerEncoding, 2},
		{"replacement character", "ab\ufffdc\xff.md", sanitize.LayerEncoding, 2},
		{"NUL", "ab\x00", sanitize.LayerNullByte, 2},
		{"empty", "", sanitize.LayerSegment, 0},
		{"first raw byte too many", strings.Repeat("a", 2049), sanitize.LayerLength, 2048},
		{"control", "é\x1b.md", sanitize.LayerControl, 2},
		{"backslash", "é\\", sanitize.LayerBackslash, 2},
		{"root", "/a.md", sanitize.LayerAbsolute, 0},
		{"drive", "C:/a.md", sanitize.LayerAbsolute, 1},
		{"escape", "50% é%41.md", sanitize.LayerURLEncoded, 6},
		{"invisible", "é\u200b.md", sanitize.LayerUnicode, 2},
		{"ninth mark", "e" + strings.Repeat("\u0301", 9) + ".md", sanitize.LayerUnicode, 17},
		{"thirty-first joining letter", "a/" + strings.Repeat("\u3160", 31) + ".md", sanitize.LayerUnicode, 92},
		{"folded escape", "50%/%２Ｅ.md", sanitize.LayerURLEncoded, 4},
		{"folded escape after NFD", "e\u0301/%²²%.md", sanitize.LayerURLEncoded, 4},
		{"slash at the end after NFD", "e\u0301/", sanitize.LayerSegment, 4},
		{"parent", "a/b/../c.md", sanitize.LayerTraversal, 4},
		{"parent after NFD", "e\u0301e\u0301/../c.md", sanitize.LayerTraversal, 7},
		{"ninth segment", "a/b/c/d/e/f/g/h/i.md", sanitize.LayerLength, 16},
		{"first byte too many", strings.Repeat("a", 513), sanitize.LayerLength, 512},
		{"first byte too many after NFD", strings.Repeat("e\u0301", 257), sanitize.LayerLength, 3 * 256},
		{"first byte too many within a character after NFD", "a" + strings.Repeat("e\u0301", 256), sanitize.LayerLength, 1 + 3*255},
		{"long skeleton", strings.Repeat("\ufdfa", 80), sanitize.LayerLength, 0},
		{"empty segment", "a//b.md", sanitize.LayerSegment, 2},
		{"slash at the end", "a/", sanitize.LayerSegment, 2},
		{"long segment", "a/" + strings.Repeat("b", 256), sanitize.LayerLength, 2},
		{"reserved", "é/con.md", sanitize.LayerReserved, 3},
		{"forbidden character", "é/a|b.md", sanitize.LayerSegment, 4},
		{"forbidden character after NFD", "e\u0301/a|b.md", sanitize.LayerSegment, 5},
		{"last character", "ab./c.md", sanitize.LayerSegment, 2},
		{"extension", "a/b.txt", sanitize.LayerExtension, 2},
		{"extension after NFD", "e\u0301/b.txt", sanitize.LayerExtension, 4},
		{"composed with a mark", "a/\u0301e\u0301.md", sanitize.LayerSegment, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			key, err := sanitize.ParseKey(tt.raw)
			got, ok := errors.AsType[*sanitize.PathError](err)
			if !ok {
				t.Fatalf("got %+q, %v; want a *PathError", key, err)
			}
			if got.Layer != tt.layer || got.Offset != tt.want {
				t.Errorf("got %v, want %s at byte %d", got, tt.layer, tt.want)
			}
			if key != "" {
				t.Errorf("got key %+q beside an error", key)
			}
		})
	}
}

func TestPathError_Error(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, want string }{
		{"a\u200b.md", "unicode at byte 1: U+200B is invisible and controls its neighbours; leave it out"},
		{"a\u202eb.md", "unicode at byte 1: U+202E is invisible and controls its neighbours; leave it out"},
		{"a\u3164.md", "unicode at byte 1: U+3164 is invisible; leave it out"},
		{"a\u00a0b.md", "unicode at byte 1: U+00A0 is an unusual space; use an ordinary one"},
		{"a\ue000.md", "unicode at byte 1: U+E000 is for private use and means something else elsewhere; leave it out"},
		{"a\u0378.md", "unicode at byte 1: U+0378 is not assigned to a character; leave it out"},
		{"a\u2026.md", "unicode at byte 1: U+2026 turns into '.' on some systems; use another character"},
		{"x/CLAUDE.md", "reserved at byte 2: agents load files of this name as instructions; choose another name"},
		{".git/x.md", "reserved at byte 0: git takes this name for its own folder; choose another name"},
		{"nul.md", "reserved at byte 0: Windows takes this name for a device; choose another name"},
		{"git~1.md", "reserved at byte 0: Windows takes this name for the short form of a longer one; choose another name"},
		{"5%ad-spend.md", "url_encoded at byte 1: a percent sign and the letters or digits after it read as an encoded " +
			"character; put a space after the percent sign or spell it out"},
		{"5% ad-spend.md", ""},
	}
	for _, tt := range tests {
		_, err := sanitize.ParseKey(tt.raw)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+q:\n got %s\nwant %s", tt.raw, got, tt.want)
		}
	}
}

func TestParseServedKey_NewerCodePoints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		accepted  bool
	}{
		{"unassigned", "a\u0378.md", true},
		{"unassigned, astral", "new \U0001fadd.md", true},
		{"noncharacter in the BMP", "a\ufdd0.md", false},
		{"noncharacter at the end of a plane", "a\U0003ffff.md", false},
		{"reserved for format characters", "a\u2065.md", false},
		{"reserved for tags", "a\U000e0abc.md", false},
		{"private use", "a\ue000.md", false},
		{"format character", "a\u200d.md", false},
		{"space", "a\u2003.md", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := sanitize.ParseServedKey(tt.raw)
			if (err == nil) != tt.accepted || tt.accepted && got != tt.raw {
				t.Errorf("got %+q, %v; want accepted %t", got, err, tt.accepted)
			}
			if _, err := sanitize.ParseKey(tt.raw); err == nil {
				t.Error("ParseKey accepted it")
			}
		})
	}
}

// Section A3 of the design, computed again: a code point that comes to fold to
// structure with a new Unicode version fails here until the code knows it.
func TestParseKey_FoldsToStructure(t *testing.T) {
	t.Parallel()
	want, got := map[string]string{}, map[string]string{}
	counts := map[string]int{}
	for r := range allRunes {
		folded := norm.NFKD.String(string(r))
		for _, structure := range `./\:%~` {
			if strings.ContainsRune(folded, structure) {
				want[fmt.Sprintf("%U", r)] = string(structure)
				counts[string(structure)]++
			}
		}
		_, err := sanitize.ParseKey("x" + string(r) + "x.md")
		if pe, ok := errors.AsType[*sanitize.PathError](err); ok && strings.Contains(pe.Hint, "turns into") {
			got[fmt.Sprintf("%U", r)] = pe.Hint[strings.IndexByte(pe.Hint, '\'')+1:][:1]
			if strings.Contains(pe.Hint, `'\\'`) {
				got[fmt.Sprintf("%U", r)] = `\`
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("folds to structure (-x/text +sanitize):\n%s", diff)
	}
	wantCounts := map[string]int{".": 31, "/": 5, `\`: 2, ":": 4, "%": 2, "~": 1}
	if diff := cmp.Diff(wantCounts, counts); diff != "" {
		t.Errorf("counts (-design +x/text):\n%s", diff)
	}
}

// A code point that folds to structure is refused wherever it stands.
func TestParseKey_FoldsToStructureAnywhere(t *testing.T) {
	t.Parallel()
	const good = "ab/cd e.md"
	for r := range allRunes {
		if !strings.ContainsAny(norm.NFKD.String(string(r)), `./\:%~`) {
			continue
		}
		for i := range len(good) + 1 {
			raw := good[:i] + string(r) + good[i:]
			if _, err := sanitize.ParseKey(raw); err == nil || layerOf(t, err) != "unicode" {
				t.Errorf("%+q: got %v, want layer unicode", raw, err)
			}
		}
	}
}

// A code point that is refused in one place of a name is refused in each. One
// in many stands for those that are not assigned or for private use, and of the
// large blocks of letters.
func TestParseKey_RefusedAnywhere(t *testing.T) {
	t.Parallel()
	const good = "ab/cd e.md"
	refused := 0
	for r := range allRunes {
		if 0x3100 < r && r < 0xF800 && r%97 != 0 || r > 0xFFFF && r%4093 != 0 && r>>9 != 0xE0000>>9 {
			continue
		}
		if ' ' <= r && r < 0x7F || r%251 != 0 && unicode.In(r, unicode.Co, unicode.Cn) {
			continue
		}
		if _, err := sanitize.ParseKey("x" + string(r) + ".md"); err == nil {
			continue
		}
		refused++
		for i := range len(good) + 1 {
			if raw := good[:i] + string(r) + good[i:]; accepted(raw) {
				t.Errorf("%+q: accepted", raw)
			}
		}
	}
	if refused < 400 {
		t.Errorf("only %d code points were tried", refused)
	}
}

func accepted(raw string) bool {
	_, err := sanitize.ParseKey(raw)
	return err == nil
}

// Every code point on its own: what passes is in the categories of rule 9, and
// the key around it keeps every promise.
func TestParseKey_EveryCodePoint(t *testing.T) {
	t.Parallel()
	for r := range allRunes {
		raw := "x" + string(r) + ".md"
		key, err := sanitize.ParseKey(raw)
		if err != nil {
			continue
		}
		if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) || defaultIgnorable(r) {
			t.Errorf("%U was accepted", r)
		}
		// The full check takes long, so it is for those that decompose or have a case. Of the many that do neither, and of
		// Hangul, which decomposes by arithmetic, a few stand for all.
		s := string(r)
		plain := norm.NFKD.IsNormalString(s) && strings.ToUpper(s) == s && strings.ToLower(s) == s
		if hangul := 0xAC00 <= r && r <= 0xD7A3; (plain || hangul) && r%97 != 0 {
			continue
		}
		checkAccepted(t, raw, key)
	}
}

// defaultIgnorable is Default_Ignorable_Code_Point as DerivedCoreProperties.txt
// derives it.
func defaultIgnorable(r rune) bool {
	if unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark) ||
		0xFFF9 <= r && r <= 0xFFFB || 0x13430 <= r && r <= 0x13440 {
		return false
	}
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector)
}

// What the code takes from two libraries must come from one Unicode version.
func TestUnicodeVersions(t *testing.T) {
	t.Parallel()
	if unicode.Version != norm.Version {
		t.Errorf("unicode has version %s, x/text %s", unicode.Version, norm.Version)
	}
}

// The check of a segment's length skips counting on this ground.
func TestNFD_UnitsPerByte(t *testing.T) {
	t.Parallel()
	for r := range allRunes {
		units := len(utf16.Encode([]rune(norm.NFD.String(string(r)))))
		if units > 2*utf8.RuneLen(r) {
			t.Errorf("%U has %d units in NFD, more than two for each of its bytes", r, units)
		}
	}
}

// allRunes yields every Unicode scalar value above ASCII, but few of those in
// the planes that are empty or private throughout.
func allRunes(yield func(rune) bool) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		inUse := r < 0x40000 || 0xE0000 <= r && r <= 0xE0FFF || r&0xFFFE == 0xFFFE
		if utf8.ValidRune(r) && (inUse || r%97 == 0) && !yield(r) {
			return
		}
	}
}

func TestLayers_AllMet(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	for _, v := range loadVectors(t) {
		if v.Verdict == "reject" {
			met[v.Layer] = true
		}
	}
	want := []string{
		string(sanitize.LayerEncoding), string(sanitize.LayerNullByte), string(sanitize.LayerSegment),
		string(sanitize.LayerLength), string(sanitize.LayerControl), string(sanitize.LayerBackslash),
		string(sanitize.LayerAbsolute), string(sanitize.LayerURLEncoded), string(sanitize.LayerUnicode),
		string(sanitize.LayerTraversal), string(sanitize.LayerReserved), string(sanitize.LayerExtension),
		string(sanitize.LayerCase),
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(met))); diff != "" {
		t.Errorf("layers (-code +vectors):\n%s", diff)
	}
}

func TestIsAgentFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"AGENTS.md", "agents.MD", "Claude.md", "CLAUDE.local.md", "ＡＧＥＮＴＳ.md", "SKILL.md", ".claude"} {
		if !sanitize.IsAgentFile(name) {
			t.Errorf("%q is loaded as instructions", name)
		}
	}
	for _, name := range []string{"MEMORY.md", "agents-notes.md", "my-skill.md", "USER.md", ""} {
		if sanitize.IsAgentFile(name) {
			t.Errorf("%q is an ordinary name", name)
		}
	}
}
