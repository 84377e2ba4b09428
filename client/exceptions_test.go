package client_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// passes reports whether a text would be shared as the path, by what this
// computer knows of exceptions.
func (m *member) passes(t *testing.T, l client.Link, path, text string) bool {
	t.Helper()
	p, err := memory.ParsePath(path)
	must(t, err)
	_, err = memory.Screen(t.Context(), memory.Allowing(markScanner{}, p, m.dirs.Exceptions(l, m.now)), p, []byte(text))
	return err == nil
}

// allow has a maintainer allow the one finding of the member.
func (tm *team) allow(t *testing.T, m *member, by memory.Principal, glob string, life time.Duration) memory.Finding {
	t.Helper()
	all, err := tm.service.Findings(t.Context(), m.person(), tm.project.ID, memory.FindingQuery{})
	if err != nil || len(all) != 1 {
		t.Fatalf("%d findings, %v", len(all), err)
	}
	_, err = tm.service.RequestAllow(t.Context(), m.person(), tm.project.ID, all[0].ID, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
	must(t, err)
	f, err := tm.service.DecideAllow(t.Context(), by, tm.project.ID, all[0].ID, memory.AllowAnswer{Approve: true, Glob: glob, Life: life})
	must(t, err)
	return f
}

const allowedText = "the id is " + softMark + "one\n"

// What a maintainer allowed passes wherever a text is judged without the server,
// as long as it holds; and the file with the key is nobody else's.
func TestExceptions_KeptBesideTheIndex(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, mia := tm.join(t, "mara"), tm.maintainer(t)
	m.write(t, "a.md", allowedText)
	m.sync(t)
	if m.passes(t, m.link, "a.md", allowedText) {
		t.Error("it passes before anybody allowed it")
	}
	f := tm.allow(t, m, mia, "**", 30*24*time.Hour)
	m.sync(t)
	names, err := m.dirs.TreeNames(tree.Options{Clock: m.now, Home: m.home})
	must(t, err)
	for file, want := range map[string]bool{filepath.Join(m.tree(), "b.md"): true, filepath.Join(m.home, "b.md"): false} {
		if x, err := names.Exceptions(file)(t.Context()); err != nil || (len(x.Rules) == 1) != want || x.Key.IsZero() == want {
			t.Errorf("%s: %d rules, %v", file, len(x.Rules), err)
		}
	}
	check := func(now time.Time, path, text string, want bool) {
		t.Helper()
		m.now = func() time.Time { return now }
		if got := m.passes(t, m.link, path, text); got != want {
			t.Errorf("%s with %q at %s: passes %t", path, text, now, got)
		}
	}
	ends := f.Request.Rule.ExpiresAt
	check(time.Now(), "a.md", allowedText, true)
	check(time.Now(), "sub/b.md", allowedText, true)
	check(time.Now(), "a.md", "the id is "+softMark+"two\n", false)
	check(time.Now(), "a.md", mark, false)
	check(ends.Add(-time.Second), "a.md", allowedText, true)
	check(ends, "a.md", allowedText, false)
	check(ends.Add(time.Hour), "a.md", allowedText, false)
	check(time.Now().Add(-time.Hour), "a.md", allowedText, true) // the server was heard at a later time
	m.now = time.Now

	file := filepath.Join(m.state(), "exceptions.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v", info, err)
	}
	text, err := os.ReadFile(file)
	must(t, err)
	_, key, _ := strings.Cut(string(text), `"key": "`)
	key, _, _ = strings.Cut(key, `"`)
	for path, content := range m.files(t) {
		if strings.Contains(path+content, key) || key == "" {
			t.Errorf("the tree has the key in %s", path)
		}
	}

	// It ends for this computer, too: within a day, or with the next question.
	must(t, tm.service.RevokeAllow(t.Context(), mia, tm.project.ID, f.Request.Rule.ID))
	m.sync(t)
	if !m.passes(t, m.link, "a.md", allowedText) {
		t.Error("a run without news asks for exceptions")
	}
	old := time.Now().Add(-25 * time.Hour)
	must(t, os.Chtimes(file, old, old))
	m.sync(t)
	if m.passes(t, m.link, "a.md", allowedText) {
		t.Error("what was revoked passes after a day")
	}
	must(t, tm.service.SetRole(t.Context(), root(), tm.project.ID, m.id.Member, memory.RoleViewer))
	must(t, os.Chtimes(file, old, old))
	m.sync(t)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("whoever does not write any more keeps the key: %v", err)
	}
}

// What is in force by the server's clock passes on a computer whose own is behind.
func TestExceptions_ClockBehind(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, mia := tm.join(t, "mara"), tm.maintainer(t)
	m.now = func() time.Time { return time.Now().Add(-time.Hour) }
	m.write(t, "a.md", allowedText)
	m.sync(t)
	tm.allow(t, m, mia, "**", 0)
	m.sync(t)
	if tm.served(t)["a.md"] != allowedText || !m.passes(t, m.link, "b.md", allowedText) {
		t.Error("what the server took does not pass here")
	}
}

// Who unlinks a tree keeps no key of its project, unless another folder has it.
func TestExceptions_Unlinked(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m := tm.join(t, "mara")
	m.write(t, "a.md", allowedText)
	m.sync(t)
	file := filepath.Join(m.state(), "exceptions.json")
	second := m.link
	second.Folder = filepath.Join(m.home, "another checkout")
	must(t, m.dirs.SaveLink(second))
	for _, l := range []client.Link{second, m.link} {
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("before %s is unlinked: %v", l.Folder, err)
		}
		must(t, m.dirs.RemoveLink(l))
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the key stays: %v", err)
	}
	must(t, m.dirs.RemoveLink(m.link)) // again
}

// A file that is not what a run of this tree wrote, and for this member alone,
// allows nothing, and the next run heals it.
func TestExceptions_Attacked(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, mia := tm.join(t, "mara"), tm.maintainer(t)
	m.write(t, "a.md", allowedText)
	m.sync(t)
	tm.allow(t, m, mia, "**", 0)
	m.sync(t)
	file := filepath.Join(m.state(), "exceptions.json")
	good, err := os.ReadFile(file)
	must(t, err)
	put := func(text string, mode os.FileMode) {
		must(t, os.RemoveAll(file))
		must(t, os.WriteFile(file, []byte(text), 0o600))
		must(t, os.Chmod(file, mode))
	}
	with := func(old, now string) string { return strings.Replace(string(good), old, now, 1) }
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want bool
	}{
		"as it was":           {string(good), 0o600, true},
		"others read it":      {string(good), 0o644, false},
		"others write it":     {string(good), 0o620, false},
		"half of it":          {string(good[:len(good)/2]), 0o600, false},
		"empty":               {"", 0o600, false},
		"something else":      {"null", 0o600, false},
		"another server's":    {with(m.link.Instance, "ins_bbbbbbbbbbbbbbbbbbbb"), 0o600, false},
		"another project's":   {with(string(m.link.Project), "prj_bbbbbbbbbbbbbbbbbbbb"), 0o600, false},
		"another tree's":      {with(m.link.RootID, strings.Repeat("0", len(m.link.RootID))), 0o600, false},
		"without a key":       {with(`"key": "`, `"key": "!`), 0o600, false},
		"rules without an id": {with(`"id": "alw_`, `"id": "`), 0o600, false},
		"huge":                {string(good) + strings.Repeat(" ", 9<<20), 0o600, false},
	} {
		put(tt.text, tt.mode)
		if got := m.passes(t, m.link, "b.md", allowedText); got != tt.want {
			t.Errorf("%s: passes %t", name, got)
		}
	}
	put("", 0o600)
	must(t, os.Remove(file))
	other := filepath.Join(m.home, "elsewhere.json")
	must(t, os.WriteFile(other, good, 0o600))
	must(t, os.Symlink(other, file))
	if m.passes(t, m.link, "b.md", allowedText) {
		t.Error("a link is followed")
	}
	// Another server at the same address has other state, whatever it is called.
	l := m.link
	l.Instance = "ins_bbbbbbbbbbbbbbbbbbbb"
	moved := filepath.Join(m.dirs.State, l.Instance, filepath.Base(m.state()))
	must(t, os.MkdirAll(moved, 0o700))
	must(t, os.WriteFile(filepath.Join(moved, "exceptions.json"), good, 0o600))
	if m.passes(t, l, "b.md", allowedText) {
		t.Error("another server's exceptions pass")
	}

	must(t, os.Remove(file))
	put(string(good), 0o644)
	r := m.sync(t)
	if len(r.Notices) != 1 || !strings.Contains(r.Notices[0], "other accounts could read "+file) {
		t.Errorf("notices %q", r.Notices)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || !m.passes(t, m.link, "b.md", allowedText) {
		t.Errorf("it is not healed: %v, %v", info, err)
	}
}

// An import asks the server, and without it goes by what is known.
func TestExceptions_OfASyncer(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, other, mia := tm.join(t, "mara"), tm.join(t, "ben"), tm.maintainer(t)
	m.write(t, "a.md", allowedText)
	m.sync(t)
	tm.allow(t, m, mia, "**", 0)
	m.sync(t)
	asks := func(who *member, rules int) {
		t.Helper()
		if x, err := who.syncer("").Exceptions(t.Context()); err != nil || len(x.Rules) != rules {
			t.Errorf("%s: %d rules, %v", who.id.Name, len(x.Rules), err)
		}
	}
	asks(m, 1)
	asks(other, 1) // who never had a finding
	calls := &tally{silent: true}
	calls.of(tm)
	asks(m, 1)
	asks(other, 0)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.syncer("").Exceptions(ended); err == nil {
		t.Error("nobody waits for it any more")
	}
}

// A file that is renamed out of its exception's paths stays as it is on both sides
// until that is allowed, too.
func TestExceptions_RenamedOutOfThem(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	m, jo, mia := tm.join(t, "mara"), tm.join(t, "jo"), tm.maintainer(t)
	m.write(t, "a.md", allowedText)
	m.sync(t)
	tm.allow(t, m, mia, "a.md", 0)
	m.sync(t)
	must(t, os.Rename(filepath.Join(m.tree(), "a.md"), filepath.Join(m.tree(), "b.md")))
	for n := range 2 {
		if r := refusedOnly(t, m.sync(t)); r.File != "b.md" || r.New != (n == 0) {
			t.Errorf("refused %+v", r)
		}
		jo.sync(t)
		m.has(t, map[string]string{"b.md": allowedText})
		jo.has(t, map[string]string{"a.md": allowedText})
	}
	open, err := tm.service.Findings(t.Context(), mia, tm.project.ID, memory.FindingQuery{State: memory.FindingOpen})
	if err != nil || len(open) != 1 || open[0].Path.String() != "b.md" {
		t.Fatalf("findings %+v, %v", open, err)
	}
	_, err = tm.service.RequestAllow(t.Context(), m.person(), tm.project.ID, open[0].ID, memory.AllowWish{Reason: memory.AllowTestValue})
	must(t, err)
	_, err = tm.service.DecideAllow(t.Context(), mia, tm.project.ID, open[0].ID, memory.AllowAnswer{Approve: true})
	must(t, err)
	m.sync(t)
	jo.sync(t)
	jo.has(t, map[string]string{"b.md": allowedText})
	if f, err := tm.service.Finding(t.Context(), mia, tm.project.ID, open[0].ID); err != nil || f.State != memory.FindingCompleted {
		t.Errorf("in the end it is %s, %v", f.State, err)
	}
}
