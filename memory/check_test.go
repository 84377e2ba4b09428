package memory

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		project ProjectID
		path    string
		text    string
		bare    bool
		want    Ruling
		code    Code
	}{
		{name: "clean text", path: "a.md", text: "fine", want: RulingPublished},
		{name: "clean key", path: "a.md", bare: true, want: RulingPublished},
		{name: "bad key", path: "a.txt", bare: true, want: RulingRefused, code: CodePathRejected},
		{name: "secret in the text", path: "a.md", text: mark, want: RulingRefused, code: CodeSecretFound},
		{name: "secret in the key", path: mark + ".md", bare: true, want: RulingRefused, code: CodeSecretFound},
		{name: "scan of the key without end", path: "slow.md", bare: true, want: RulingRefused, code: CodeScanTimeout},
		{name: "too large", path: "a.md", text: strings.Repeat("x", MaxEntryBytes+1), want: RulingRefused, code: CodeTooLarge},

		{name: "new entry", project: "prj_a", path: "b.md", text: "x", want: RulingPublished},
		{name: "edit", project: "prj_a", path: "a.md", text: "x", want: RulingPublished},
		{name: "what it says already", project: "prj_a", path: "a.md", text: "text", want: RulingSame},
		{name: "empty over text", project: "prj_a", path: "a.md", text: "", want: RulingRefused, code: CodeSuspectEmpty},
		{name: "key of a live entry", project: "prj_a", path: "a.md", bare: true, want: RulingPublished},
		{name: "free key", project: "prj_a", path: "b.md", bare: true, want: RulingPublished},
		{name: "twin", project: "prj_a", path: "A.md", text: "x", want: RulingRefused, code: CodePathRejected},
		{name: "key of a twin", project: "prj_a", path: "A.md", bare: true, want: RulingRefused, code: CodePathRejected},
		{name: "deleted text, of which one may know", project: "prj_a", path: "gone.md", text: "old", want: RulingPublished},
		{name: "refused before the project is asked", project: "prj_a", path: "b.md", text: mark, want: RulingRefused, code: CodeSecretFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t).withEntry("a.md", "text")
			b.store.entries["ent_gone"] = Entry{ID: "ent_gone", Path: StoredPath("gone.md"), Rev: 3, Sum: Sum([]byte("old")), Deleted: true}
			content := []byte(tt.text)
			if tt.bare {
				content = nil
			}
			v, err := b.Check(t.Context(), b.who, tt.project, tt.path, content)
			must(t, err)
			if v.Ruling != tt.want || (v.Problem != nil) != (tt.code != "") || (v.Problem != nil && v.Problem.Code != tt.code) {
				t.Errorf("got %s, %v; want %s, %s", v.Ruling, v.Problem, tt.want, tt.code)
			}
			if b.store.batch.Items != nil || b.store.audit != nil || b.notify.hints != nil {
				t.Error("a check left a trace")
			}
		})
	}
}

func TestCheck_Quota(t *testing.T) {
	t.Parallel()
	b := setupWith(t, Limits{ProjectEntries: 1}).withEntry("a.md", "text")
	for path, want := range map[string]Ruling{"a.md": RulingPublished, "b.md": RulingRefused} {
		v, err := b.Check(t.Context(), b.who, "prj_a", path, []byte("x"))
		if err != nil || v.Ruling != want {
			t.Errorf("%s: got %s, want %s (%v)", path, v.Ruling, want, err)
		}
	}
}

func TestCheck_CallerGoesAway(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, content := range [][]byte{nil, []byte("fine")} {
		if _, err := setup(t).Check(ctx, Principal{}, "", "a.md", content); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestCheck_HeadsFail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.headsErr = errFake
	if _, err := b.Check(t.Context(), b.who, "prj_a", "a.md", []byte("x")); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}
