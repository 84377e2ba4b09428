package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// deletesOf counts the deletes in the whole history of the project.
func (tm *team) deletesOf(t testing.TB) int {
	t.Helper()
	page, err := tm.store.Changes(t.Context(), tm.project.ID, memory.FeedQuery{Limit: 100_000})
	must(t, err)
	n := 0
	for _, c := range page.Changes {
		if c.Action == memory.ActionDelete {
			n++
		}
	}
	return n
}

// S30: one name in two spellings is one entry, and each disk keeps its own.
func TestScenario_S30_Spellings(t *testing.T) {
	t.Parallel()
	const decomposed, composed = "re\u0301sume\u0301.md", "r\u00e9sum\u00e9.md"
	tm := newTeam(t, memory.Limits{})
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	a.write(t, decomposed, "one\n")
	a.sync(t)
	b.write(t, composed, "one\n")
	b.sync(t)
	b.write(t, composed, "two\n")
	b.sync(t)
	a.sync(t)
	has(t, a, map[string]string{decomposed: "two\n"})
	has(t, b, map[string]string{composed: "two\n"})
	a.write(t, decomposed, "three\n")
	a.sync(t)
	b.sync(t)
	has(t, b, map[string]string{composed: "three\n"})
	if got := tm.served(t); len(got) != 1 || got[composed] != "three\n" || tm.deletesOf(t) != 0 {
		t.Errorf("the server has %q, after %d deletes", got, tm.deletesOf(t))
	}
}

// S31: two names that are one to some disks are not both shared.
func TestScenario_S31_CaseTwins(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"Foo.md": "one\n"})
	a.write(t, "Foo.md", "one more\n")
	a.sync(t)
	b.sync(t)
	c := tm.join(t, "cem")
	c.write(t, "foo.md", "two\n")
	for i := range 2 {
		r, err := c.try(t.Context())
		must(t, err)
		at := slices.IndexFunc(r.Refused, func(f client.Refused) bool { return f.File == "foo.md" })
		if at < 0 || r.Refused[at].Problem.Code != memory.CodePathRejected || r.Refused[at].Problem.Layer != "case" || r.NewRefusals() != (i == 0) {
			t.Errorf("run %d: refused %v, news %t", i, refused(r), r.NewRefusals())
		}
	}
	if got := c.files(t)["foo.md"]; got != "two\n" {
		t.Errorf("the file of the member reads %q", got)
	}
	if got := tm.served(t); len(got) != 1 || got["Foo.md"] != "one more\n" {
		t.Errorf("the server has %q", got)
	}

	b.write(t, "FOO.md", "three\n") // beside the entry
	r, err := b.try(t.Context())
	must(t, err)
	if len(r.Refused) == 0 || tm.served(t)["FOO.md"] != "" || tm.deletesOf(t) != 0 {
		t.Errorf("refused %v, the server has %q", refused(r), tm.served(t))
	}
}

// F32: a name that changes in case alone is a rename, and one file everywhere.
func TestField_F32_CaseRename(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"Deploy.md": "one\n", "other.md": "x\n"})
	a.rename(t, "Deploy.md", "deploy.md")
	if r := a.sync(t); len(r.Done) != 1 || r.Done[0].Kind != msync.MoveRemote {
		t.Errorf("did %v, want a rename", r.Done)
	}
	b.sync(t)
	has(t, b, map[string]string{"deploy.md": "one\n", "other.md": "x\n"})
	for range 2 {
		if r := b.sync(t); len(r.Done) > 0 {
			t.Errorf("one more sync did %v", r.Done)
		}
	}
	a.sync(t)
	tm.equal(t, a, b)
	if tm.deletesOf(t) != 0 {
		t.Error("there was a delete")
	}

	// Two names that only some systems tell apart are not both taken.
	who := memory.Principal{Member: a.id.Member, Device: a.id.Device, Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}}
	head, err := tm.store.Head(t.Context(), tm.project.ID)
	must(t, err)
	for _, twin := range []string{"DEPLOY.md", "\uff44eploy.md"} {
		receipt, err := tm.service.Push(t.Context(), who, tm.project.ID, memory.Push{
			Epoch: head.Epoch, Device: a.id.Device, Ops: []memory.Op{{Action: memory.ActionPut, Path: twin, Content: []byte("two\n")}},
		})
		must(t, err)
		if v := receipt.Verdicts[0]; v.Ruling != memory.RulingRefused || v.Problem.Layer != string(sanitize.LayerCase) {
			t.Errorf("%q: %s, %v", twin, v.Ruling, v.Problem)
		}
	}
}

// portable are names that every system can store.
var portable = regexp.MustCompile(`^[^<>:"|?*\\\x00-\x1f]*[^<>:"|?*\\\x00-\x1f. ]$`)

// S32 and F33: what some system cannot store is not shared, with the reason and
// the place; and what teammem makes itself can be stored anywhere.
func TestScenario_S32_F33_WindowsNames(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"good name.md": "one\n", "both.md": "1\n", "gone.md": "g\n"})
	bad := map[string]struct {
		layer sanitize.Layer
		at    int
		named string // what is wrong there
	}{
		"con.md":              {sanitize.LayerReserved, 0, "device"},
		"x/nul.md":            {sanitize.LayerReserved, 2, "device"},
		"a:b.md":              {sanitize.LayerAbsolute, 1, "colon"},
		"2026-03-01_12:30.md": {sanitize.LayerSegment, 13, ":"},
		"q?.md":               {sanitize.LayerSegment, 1, "?"},
		"notes /a.md":         {sanitize.LayerSegment, 5, "dot or space"},
		"dot./a.md":           {sanitize.LayerSegment, 3, "dot or space"},
		"note.md.":            {sanitize.LayerSegment, 7, "dot or space"},
	}
	for name := range bad {
		a.write(t, name, "text of "+name)
	}
	r := a.sync(t)
	if len(r.Refused) != len(bad) || !r.NewRefusals() {
		t.Errorf("refused %v", refused(r))
	}
	for _, f := range r.Refused {
		want, p := bad[f.File], f.Problem
		if p.Code != memory.CodePathRejected || p.Layer != string(want.layer) || p.Position != want.at || !strings.Contains(p.Hint, want.named) {
			t.Errorf("%q: %+v, want %+v", f.File, p, want)
		}
	}
	if got := tm.served(t); len(got) != 3 {
		t.Errorf("the server has %q", got)
	}
	if r := a.sync(t); r.NewRefusals() || len(r.Done) > 0 {
		t.Errorf("a second run: news %t, did %v", r.NewRefusals(), r.Done)
	}

	b.write(t, "both.md", "2\n")
	b.remove(t, "gone.md")
	b.sync(t)
	a.write(t, "both.md", "3\n")
	a.sync(t)
	b.sync(t)
	has(t, b, map[string]string{"good name.md": "one\n", "both.md": "2\n"})
	for _, dir := range []string{a.dirs.Data, a.dirs.State, b.dirs.Data, b.dirs.State} {
		for name := range filesBelow(t, dir) {
			for segment := range strings.SplitSeq(name, "/") {
				if !portable.MatchString(segment) {
					t.Errorf("%q cannot be stored everywhere", name)
				}
			}
		}
	}
	if len(filesBelow(t, a.dirs.Data)) < 2 {
		t.Error("nothing was kept, so this test shows nothing")
	}
}

// S33: a folder that becomes a link between plan and write leads nowhere, and its
// entries are not deleted.
func TestScenario_S33_SymlinkSwap(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"sub/x.md": "one\n", "sub/y.md": "one\n", "z.md": "z\n"})
	outside := filepath.Join(a.home, "outside")
	mkdir(t, outside)
	must(t, os.WriteFile(filepath.Join(outside, "x.md"), []byte("one\n"), 0o600)) // what the plan expects
	must(t, os.WriteFile(filepath.Join(outside, "y.md"), []byte("mine\n"), 0o600))
	b.write(t, "sub/x.md", "two\n")
	b.write(t, "sub/new.md", "new\n")
	b.remove(t, "sub/y.md")
	b.sync(t)
	sub, aside := filepath.Join(a.tree(), "sub"), filepath.Join(a.home, "aside")
	var once sync.Once
	tm.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if strings.HasSuffix(r.URL.Path, "/changes") { // the tree was looked at before
			once.Do(func() {
				if err := os.Rename(sub, aside); err != nil {
					t.Error(err)
				}
				if err := os.Symlink(outside, sub); err != nil {
					t.Error(err)
				}
			})
		}
		next.ServeHTTP(w, r)
	})
	a.write(t, "z.md", "z, edited\n")
	for range 2 {
		r, _ := a.try(t.Context()) // whether all of it could be done does not matter
		if refused(r)["sub"] != memory.Code(tree.KindSymlink) {
			t.Errorf("refused %v, want the link", refused(r))
		}
	}
	got := filesBelow(t, outside)
	if len(got) != 2 || got["x.md"] != "one\n" || got["y.md"] != "mine\n" {
		t.Errorf("outside are %q", got)
	}
	if got := tm.served(t); len(got) != 3 || got["sub/x.md"] != "two\n" || tm.deletesOf(t) != 1 {
		t.Errorf("the server has %q after %d deletes", got, tm.deletesOf(t))
	}
	must(t, os.Remove(sub))
	must(t, os.Rename(aside, sub))
	a.sync(t)
	tm.equal(t, a)
}
