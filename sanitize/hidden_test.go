package sanitize

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/runenames"
)

// What can hide is computed again from the tables of Unicode, so that a later
// version of them cannot bring a hidden channel without this test failing.
func TestClass_IsWhatUnicodeHides(t *testing.T) {
	t.Parallel()
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		if 0xD800 <= r && r <= 0xDFFF { // never in UTF-8
			continue
		}
		got := class(r)
		if want := hides(r); want != (got != classShown) {
			t.Errorf("%U: hides %v, class %d", r, want, got)
		}
		if isMark(r) != unicode.IsMark(r) {
			t.Errorf("%U: is a mark: %v", r, isMark(r))
		}
		if refused := got.refused() != ""; refused != (got != classShown && got < classBlank) {
			t.Errorf("%U: class %d is refused: %v", r, got, refused)
		}
	}
}

// hides reports whether r shows as nothing or as something else, by tables.
func hides(r rune) bool {
	switch {
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r): // a format character with a shape
		return false
	case r == 0x2800, r == 0x1D159, r == 0x13441, r == 0x13442, r == 0x16FE4: // blank, although a symbol, a letter or a mark
		return true
	case 0xE0000 <= r && r <= 0xE0FFF: // default-ignorable as a whole
		return true
	}
	return unicode.In(
		r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	)
}

func TestHiddenName_IsUnicodes(t *testing.T) {
	t.Parallel()
	for r := rune(utf8.RuneSelf); r < 0xF0000; r++ {
		got, c := hiddenName(r), class(r)
		switch {
		case 0xE0020 <= r && r <= 0xE007E: // said shorter
			continue
		case got == "" && (c == classShown || c == classPrivate || 0x13430 <= r && r <= 0x1D17A):
			continue
		}
		want := runenames.Name(r)
		if strings.HasPrefix(want, "<") {
			want = "" // the name of a class
		}
		if got != want {
			t.Errorf("%U: got %q, want %q", r, got, want)
		}
	}
}

// What passed other rules is looked at again because they have another name. So
// whoever changes what is refused has to name the rules anew.
func TestTextRules_NamesWhatIsRefused(t *testing.T) {
	t.Parallel()
	rules := map[string]string{
		"text1": "a8efe78bb5785b89",
	}
	sum := sha256.New()
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		k := class(r)
		if k == classShown || k == classPrivate {
			continue
		}
		fmt.Fprintf(sum, "%x %s", r, k.refused())
		for _, around := range []string{"a\x00b", "a\x001", "_\x00é", "д\x00а", "가\x00가", "。\x00a", "a\x00 ", "\x00"} {
			refused := CheckText([]byte(strings.ReplaceAll(around, "\x00", string(r)))) != nil
			fmt.Fprintf(sum, " %t", refused)
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil))[:16]; got != rules[TextRules] {
		t.Errorf("%s refuses something else: give it another name, and note %q there", TextRules, got)
	}
}
