package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/internal/testscan"
)

func TestGlobMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"a.md", "a.md", true},
		{"a.md", "b/a.md", false},
		{"*.md", "a.md", true},
		{"*.md", "b/a.md", false},
		{"b/*.md", "b/a.md", true},
		{"**/a.md", "a.md", true},
		{"**/a.md", "x/y/a.md", true},
		{"b/**", "b/c/a.md", true},
		{"b/**", "bb/a.md", false},
		{"b/**/a.md", "b/a.md", true},
		{"b/**/**/a.md", "b/c/a.md", true},
		{"a?.md", "ab.md", true},
		{`a\*.md`, "ab.md", false},
		{"", "a.md", false},
	} {
		p, err := ParsePath(tt.path)
		must(t, err)
		if got := globMatches(tt.glob, p); got != tt.want {
			t.Errorf("%s of %s: %t", tt.glob, tt.path, got)
		}
	}
	deep, err := ParsePath("a/b/c/d/e/f/g/h.md")
	must(t, err)
	for last, want := range map[string]bool{"h.md": true, "x.md": false} { // tried one after the other, it takes years
		if g := strings.Repeat("**/", 160) + last; globMatches(g, deep) != want || checkGlob(g) != nil {
			t.Errorf("%s: not %t", g, want)
		}
	}
	if globMatches("**", Path{}) {
		t.Error("what has no path is matched")
	}
	for _, bad := range []string{"a//b.md", "", "[a.md", strings.Repeat("a", 513), "a\nb.md", "\xff.md"} {
		if checkGlob(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	brackets, err := ParsePath("notes [draft]/a.md")
	must(t, err)
	if g := exactGlob(brackets); checkGlob(g) != nil || !globMatches(g, brackets) {
		t.Errorf("%s is not the path itself", g)
	}
}

func TestAllowing(t *testing.T) {
	t.Parallel()
	key := NewFindingKey([]byte("key"))
	print := func(value string) Fingerprint { return testscan.Print(key.Bytes(), value) }
	rule := AllowRule{Fingerprint: print("one"), Rule: "word", Glob: "a.md", At: start(), ExpiresAt: start().Add(AllowRuleLife)}
	with := func(change func(*AllowRule)) AllowRule {
		r := rule
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name, text, path string
		rule             AllowRule
		at               time.Duration
		left             int
	}{
		{"allowed", "soft-one", "a.md", rule, 0, 0},
		{"twice", "soft-one and soft-one", "a.md", rule, 0, 0},
		{"to the last moment", "soft-one", "a.md", rule, AllowRuleLife - 1, 0},
		{"too late", "soft-one", "a.md", rule, AllowRuleLife, 1},
		{"too early", "soft-one", "a.md", rule, -1, 1},
		{"elsewhere", "soft-one", "b.md", rule, 0, 1},
		{"another value", "soft-two", "a.md", rule, 0, 1},
		{"beside another value", "soft-one soft-two", "a.md", rule, 0, 1},
		{"hard", "hard-one", "a.md", rule, 0, 1},
		{"another rule", "soft-one", "a.md", with(func(r *AllowRule) { r.Rule = "other" }), 0, 1},
		{"revoked", "soft-one", "a.md", with(func(r *AllowRule) { r.RevokedAt = start() }), 0, 1},
		{"without a fingerprint", "soft-one", "a.md", with(func(r *AllowRule) { r.Fingerprint = Fingerprint{} }), 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := ParsePath(tt.path)
			must(t, err)
			s := Allowing(testscan.Words{}, p, func(context.Context) (Exceptions, error) {
				return Exceptions{Key: key, Rules: []AllowRule{tt.rule}}.InForce(start().Add(tt.at)), nil
			})
			clean, err := Screen(t.Context(), s, p, []byte(tt.text))
			if tt.left == 0 {
				if err != nil || !clean.Allowed() {
					t.Errorf("%+v, %v", clean, err)
				}
				return
			}
			if e := asError(err); e == nil || e.Code != CodeSecretFound || len(e.Findings) != tt.left || e.Findings[0].Fingerprint.IsZero() {
				t.Errorf("got %+v", err)
			}
		})
	}
}

// Most texts need no exceptions, so nothing is asked; and where they cannot be
// had, nothing passes.
func TestAllowing_AsksOnlyThen(t *testing.T) {
	t.Parallel()
	p, err := ParsePath("a.md")
	must(t, err)
	asked := 0
	s := Allowing(testscan.Words{}, p, func(context.Context) (Exceptions, error) {
		asked++
		return Exceptions{}, errFake
	})
	clean, err := Screen(t.Context(), s, p, []byte("nothing"))
	if err != nil || clean.Allowed() || asked != 0 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if _, err := Screen(t.Context(), s, p, []byte("soft-one")); err == nil || asked != 1 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	blind := Allowing(markScanner{}, p, func(context.Context) (Exceptions, error) { return Exceptions{}, errors.New("asked") })
	if _, err := Screen(t.Context(), blind, p, []byte(mark)); CodeOf(err) != CodeSecretFound {
		t.Errorf("a scanner without fingerprints: %v", err)
	}
}

// However it is printed, a key stays hidden.
func TestFindingKey_Hidden(t *testing.T) {
	t.Parallel()
	k := NewFindingKey([]byte("canary"))
	text := fmt.Sprintf("%v %+v %#v %s %q %x %+v", k, k, k, k, k, k, struct{ K FindingKey }{k})
	if strings.Contains(text, "canary") || strings.Contains(text, "63616e617279") || k.LogValue().String() != "finding key" {
		t.Errorf("it is shown: %s", text)
	}
}

func TestRuleName(t *testing.T) {
	t.Parallel()
	for name, good := range map[string]bool{
		"generic-api-key": true, "gitleaks-v8.30.1+r12.ab12cd34": true, "1password-service-account-token": true,
		"": false, "Generic": false, strings.Repeat("0a", 20): false, "a b": false, "a\n": false, strings.Repeat("ab-", 30): false,
	} {
		if err := ruleName("rule", name, maxRuleName); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}
