package sanitize_test

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/teammem/teammem/sanitize"
)

// windowsRules is what no segment may match, written independently of the
// code: names that Windows or git on Windows would take for something else.
var windowsRules = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³]) *([.:].*)?$` +
	`|[<>:"|?*\\\x00-\x1f]|[. ]$|^[^.]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?$|^[ .-]`)

type fataler interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkAccepted tests what is promised of every accepted key.
func checkAccepted(t fataler, raw, key string) {
	t.Helper()
	if again, err := sanitize.ParseKey(key); err != nil || again != key {
		t.Errorf("%+q: canonical %+q is no fixed point: %+q, %v", raw, key, again, err)
	}
	if served, err := sanitize.ParseServedKey(raw); err != nil || served != key {
		t.Errorf("%+q: a client got %+q, %v; want %+q", raw, served, err, key)
	}
	if !norm.NFC.IsNormalString(key) || norm.NFC.String(raw) != key {
		t.Errorf("%+q: %+q is not its NFC", raw, key)
	}
	if !utf8.ValidString(key) || len(key) > 512 || strings.Count(key, "/") > 7 || path.Ext(key) != ".md" {
		t.Errorf("%+q: %+q has no legal shape", raw, key)
	}
	if !fs.ValidPath(key) || path.Clean(key) != key || !filepath.IsLocal(filepath.FromSlash(key)) {
		t.Errorf("%+q: %+q is not a local path", raw, key)
	}
	if decoded, err := url.PathUnescape(key); err == nil && decoded != key {
		t.Errorf("%+q: %+q decodes to %+q", raw, key, decoded)
	}
	for form, s := range map[string]string{"NFC": key, "NFKC": norm.NFKC.String(key)} {
		if !fs.ValidPath(s) || strings.Count(s, "/") != strings.Count(key, "/") {
			t.Errorf("%+q: %s %+q has another shape", raw, form, s)
		}
	}
	for segment := range strings.SplitSeq(key, "/") {
		if windowsRules.MatchString(segment) {
			t.Errorf("%+q: segment %+q of %+q is not safe on Windows", raw, segment, key)
		}
	}
	checkSkeleton(t, key)
	// A Mac may list the name decomposed. Only a percent sign before composed hex letters reads differently then.
	decomposed, err := sanitize.ParseKey(norm.NFD.String(key))
	if pe, ok := errors.AsType[*sanitize.PathError](err); decomposed != key && (!ok || pe.Layer != sanitize.LayerURLEncoded) {
		t.Errorf("%+q: its NFD is read as %+q, %v", key, decomposed, err)
	}
}

func checkSkeleton(t fataler, key string) {
	t.Helper()
	skeleton := sanitize.Skeleton(key)
	twins := []string{
		skeleton, norm.NFD.String(key),
		strings.ToUpper(key), strings.ToTitle(key), strings.Map(toLower, key), strings.Map(unicode.SimpleFold, key),
	}
	// A mark that only NFKD makes would change places with an iota subscript, which folds to a letter.
	if !strings.Contains(norm.NFD.String(key), "\u0345") {
		twins = append(twins, norm.NFKC.String(key), norm.NFKD.String(key))
	}
	for _, twin := range twins {
		if got := sanitize.Skeleton(twin); got != skeleton {
			t.Errorf("%+q has skeleton %+q, but %+q has %+q", key, skeleton, twin, got)
		}
	}
	if strings.Count(skeleton, "/") != strings.Count(key, "/") {
		t.Errorf("%+q: skeleton %+q has other segments", key, skeleton)
	}
	if len(skeleton) > 2048 {
		t.Errorf("%+q: skeleton of %d bytes", key, len(skeleton))
	}
}

// toLower is what a system without full case mapping does. It leaves out the
// one letter that would lose its dot: file systems keep or decompose it.
func toLower(r rune) rune {
	if r == 'İ' {
		return r
	}
	return unicode.ToLower(r)
}

// checkRefused tests what is promised of every refusal.
func checkRefused(t fataler, raw, key string, err error) {
	t.Helper()
	pe, ok := errors.AsType[*sanitize.PathError](err)
	if !ok {
		t.Errorf("%+q: error %v is no *PathError", raw, err)
		return
	}
	if key != "" || pe.Offset < 0 || pe.Offset > len(raw) || pe.Layer == "" || pe.Hint == "" {
		t.Errorf("%+q: got %+q, %#v", raw, key, pe)
	}
}

// rawKeys draws keys that are close to the edge of what is accepted.
func rawKeys() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"a", "b", "notes", "testing", "DB", "ß", "é", "e\u0301", "文档", "한국어", "ガイド", "ｱ", "ﾞ", "ㅠ", "ᅡ", "ﬁ", "²", "①",
			"/", "/", "/", ".", "..", "-", " ", "~", "~1", "%", "%2", "e", "%4", ":", "<", "\u0338", "\u0301", "\u0345",
			"con", "nul", "com", "¹", "１", "$", ".git", ".claude", "CLAUDE", "agents", "SKILL", "ſ", "ı", "K", "\u03b1", "\u1fb3",
			"\u200b", "\u034f", "\u3164", "\uff0e", "\u2025", "\uff0f", "\\", "\x00", "\x7f", "\xff", "\ufffd", "\ufdfa", "\u0378", "\ue000",
		}),
		rapid.Custom(func(t *rapid.T) string {
			return string(rapid.RuneFrom(nil, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S).Draw(t, "rune"))
		}),
		rapid.Custom(func(t *rapid.T) string {
			mark := rapid.RuneFrom(nil, unicode.M).Draw(t, "mark")
			return strings.Repeat(string(mark), rapid.IntRange(1, 9).Draw(t, "marks"))
		}),
		rapid.Custom(func(t *rapid.T) string {
			long := rapid.SampledFrom([]string{"x", "é", "ㅠ", "ﾞ", "ᅡ", "ᆨ", "\u0390", "\ufdfa", "🚀", "a/"}).Draw(t, "long")
			return strings.Repeat(long, rapid.IntRange(20, 260).Draw(t, "times"))
		}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		raw := strings.Join(rapid.SliceOfN(piece, 0, 10).Draw(t, "pieces"), "")
		return raw + rapid.SampledFrom([]string{".md", ".md", ".md", ""}).Draw(t, "extension")
	})
}

func TestParseKey_Promises(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rawKeys().Draw(t, "raw")
		key, err := sanitize.ParseKey(raw)
		if err != nil {
			checkRefused(t, raw, key, err)
			return
		}
		checkAccepted(t, raw, key)
	})
}

// FuzzParseKey holds that an accepted key is a fixed point, in NFC, local on
// every system, and stays apart from what it must not be taken for; and that a
// refused one says why.
func FuzzParseKey(f *testing.F) {
	for _, v := range loadVectors(f) {
		f.Add(v.raw(f))
	}
	f.Fuzz(func(t *testing.T, raw string) {
		key, err := sanitize.ParseKey(raw)
		if err != nil {
			checkRefused(t, raw, key, err)
			return
		}
		checkAccepted(t, raw, key)
	})
}
