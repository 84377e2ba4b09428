package sanitize_test

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/sanitize"
)

// formula is what Skeleton computes, without its shortcuts.
func formula(s string) string {
	fold, upper := cases.Fold(), cases.Upper(language.Und)
	s = fold.String(norm.NFD.String(s))
	return norm.NFKC.String(fold.String(upper.String(fold.String(norm.NFKC.String(s)))))
}

// compatibilityCaseless is what Unicode compares for a compatibility caseless
// match (The Unicode Standard, section 3.13, D146).
func compatibilityCaseless(s string) string {
	fold := cases.Fold()
	return norm.NFKD.String(fold.String(norm.NFKD.String(fold.String(norm.NFD.String(s)))))
}

func TestSkeleton_Formula(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := norm.NFC.String(letters().Draw(t, "s"))
		want := formula(s)
		if got := sanitize.Skeleton(s); got != want {
			t.Errorf("%+q: got %+q, want %+q", s, got, want)
		}
		if got := sanitize.Skeleton(want); got != want {
			t.Errorf("%+q: skeleton %+q has skeleton %+q", s, want, got)
		}
		if twin := compatibilityCaseless(s); sanitize.Skeleton(twin) != want {
			t.Errorf("%+q matches %+q, but has skeleton %+q, not %+q", s, twin, want, sanitize.Skeleton(twin))
		}
	})
}

// letters draws what case and composition are difficult for: a few scripts
// with case, and marks that reorder.
func letters() *rapid.Generator[string] {
	greek := &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x0370, Hi: 0x03FF, Stride: 1}, {Lo: 0x1F00, Hi: 0x1FFF, Stride: 1}}}
	pool := rapid.OneOf(
		rapid.RuneFrom(nil, greek),
		rapid.RuneFrom([]rune("\u0345\u0323\u0308\u0313\u0301\u0338\u3099\u0327")),
		rapid.RuneFrom([]rune("abIJKßẞıİŉǆǅſÅKµﬁ²ﾞ가각ᅡ/.")),
		rapid.RuneFrom(nil, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Lm),
	)
	return rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(pool, 0, 12).Draw(t, "runes"))
	})
}

func TestSkeleton_Twins(t *testing.T) {
	t.Parallel()
	for _, twins := range [][]string{
		{"notes.md", "Notes.md", "NOTES.MD", "ｎotes.md", "noteſ.md", "ⓝotes.md"},
		{"straße", "STRASSE", "strasse", "STRAẞE", "Straſſe"},
		{"i", "I", "ı", "ⅰ"},
		{"i\u0307", "İ", "I\u0307"},
		{"Σας", "σασ", "ΣΑΣ", "ςας"},
		{"\u1fb3\u0323", "\u1fbc\u0323", "\u03b1\u0323\u03b9", "\u0391\u0323\u0399", "\u03b1\u0345\u0323"},
		{"ガ", "カ\u3099", "ｶﾞ"},
		{"한글", norm.NFD.String("한글")},
		{"a/b", "A/B", "ａ/ｂ"},
	} {
		want := sanitize.Skeleton(twins[0])
		for _, twin := range twins[1:] {
			if got := sanitize.Skeleton(twin); got != want {
				t.Errorf("%+q has skeleton %+q, but %+q has %+q", twins[0], want, twin, got)
			}
		}
	}
	for _, pair := range [][2]string{{"a", "b"}, {"e", "é"}, {"a", "а"}, {"i", "İ"}, {"a/b", "a∕b"}, {"カ", "ガ"}} {
		if sanitize.Skeleton(pair[0]) == sanitize.Skeleton(pair[1]) {
			t.Errorf("%+q and %+q have one skeleton", pair[0], pair[1])
		}
	}
}

// No two keys of a set that Check guards share a skeleton, and neither do two
// folders; so each system keeps them apart.
func TestNames_GuardedSetHasNoTwins(t *testing.T) {
	t.Parallel()
	segment := rapid.StringMatching(`(a|A|ａ|ß|ẞ|ss|ﬁ|FI|é|É|α|ᾳ|Αι){1,2}`)
	rapid.Check(t, func(t *rapid.T) {
		var names sanitize.Names
		spelling := map[string]string{}
		for range rapid.IntRange(1, 30).Draw(t, "keys") {
			key, err := sanitize.ParseKey(strings.Join(rapid.SliceOfN(segment, 1, 3).Draw(t, "key"), "/") + ".md")
			if err != nil {
				t.Fatal(err)
			}
			if names.Check(key) != nil {
				continue
			}
			names.Add(key)
			for i := range len(key) + 1 {
				if i < len(key) && key[i] != '/' {
					continue
				}
				skeleton := sanitize.Skeleton(key[:i])
				if other, ok := spelling[skeleton]; ok && other != key[:i] {
					t.Fatalf("%+q and %+q were both let in", other, key[:i])
				}
				spelling[skeleton] = key[:i]
			}
		}
	})
}
