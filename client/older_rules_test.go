package client_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// older rewrites the newest revision of the project's only entry, as if it had
// been shared when the rules let it pass.
func (tm *team) older(t testing.TB, path, text string) {
	t.Helper()
	p, err := memory.ParsePath(path)
	must(t, err)
	sum := memory.Sum([]byte(text))
	var digest memory.Digest
	digest.Add(p, sum)
	conn, err := pgx.Connect(t.Context(), tm.database)
	must(t, err)
	defer conn.Close(t.Context())
	for _, change := range []struct {
		sql  string
		args []any
	}{
		{`update revisions set content = $1, sha256 = $2, size = $3 where rev = (select max(rev) from revisions)`, []any{[]byte(text), sum[:], len(text)}},
		{`update entries set sha256 = $1, size = $2`, []any{sum[:], len(text)}},
		{`update changes set digest_after = $1 where seq = (select max(seq) from changes)`, []any{digest[:]}},
		{`update projects set digest = $1 where live > 0`, []any{digest[:]}},
	} {
		tag, err := conn.Exec(t.Context(), change.sql, change.args...)
		must(t, err)
		if tag.RowsAffected() != 1 {
			t.Fatalf("%s: %s, want one row", change.sql, tag)
		}
	}
}

// A text that was shared before the rules knew better stays as it is, on the
// server and on every disk. Its next change is refused until what is hidden is
// taken out, and neither text is lost meanwhile.
func TestRefused_SharedBefore(t *testing.T) {
	t.Parallel()
	const hidden = "first\nsec\u200bret\nlast\n"
	tm := newTeam(t, memory.Limits{})
	tm.join(t, "ann").writeAndSync(t, "old.md", "placeholder\n")
	tm.older(t, "old.md", hidden)
	b, c := tm.join(t, "ben"), tm.join(t, "cai")
	for range 2 {
		if r := b.sync(t); len(r.Refused) != 0 {
			t.Errorf("refused %v, although nothing changed", refused(r))
		}
	}
	c.sync(t)
	if got := tm.served(t); len(got) != 1 || got["old.md"] != hidden {
		t.Fatalf("served %q", got)
	}
	tm.equal(t, b, c)

	// Neither a new link nor a rename takes the text anywhere.
	b.relink(t, true)
	b.sync(t)
	tm.equal(t, b, c)
	c.rename(t, "old.md", "sub/new.md")
	c.sync(t)
	b.sync(t)
	if got := tm.served(t); len(got) != 1 || got["sub/new.md"] != hidden {
		t.Fatalf("served %q after a rename", got)
	}
	tm.equal(t, b, c)

	// A change is refused, told in each run, and news once.
	const edited = hidden + "more\n"
	b.write(t, "sub/new.md", edited)
	for i := range 2 {
		r := b.sync(t)
		if refused(r)["sub/new.md"] != memory.CodeTextRejected || r.NewRefusals() != (i == 0) {
			t.Errorf("run %d: refused %v, news %t", i, refused(r), r.NewRefusals())
		}
	}
	if got := b.files(t); len(got) != 1 || got["sub/new.md"] != edited {
		t.Errorf("ben has %q", got)
	}
	if got := tm.served(t); got["sub/new.md"] != hidden {
		t.Errorf("served %q", got)
	}

	// Meanwhile cai takes the hidden one out: the next of ben's texts has none.
	const clean, merged = "first\nsecret\nlast, by cai\n", "first\nsecret\nlast, by cai\nmore\n"
	c.write(t, "sub/new.md", clean)
	c.sync(t)
	if r := b.sync(t); len(r.Refused) != 0 {
		t.Errorf("refused %v after it was mended", refused(r))
	}
	c.sync(t)
	tm.equal(t, b, c)
	if got := tm.served(t); len(got) != 1 || got["sub/new.md"] != merged || tm.deletesOf(t) != 0 {
		t.Errorf("served %q, with %d deletes; want both changes", got, tm.deletesOf(t))
	}
}

// A change that is refused and cannot be merged is kept as a conflict.
func TestRefused_SharedBeforeConflict(t *testing.T) {
	t.Parallel()
	const hidden, edited, clean = "sec\u200bret\nlast\n", "sec\u200bret\nlast, by ben\n", "secret\nlast, by cai\n"
	tm := newTeam(t, memory.Limits{})
	tm.join(t, "ann").writeAndSync(t, "old.md", "placeholder\n")
	tm.older(t, "old.md", hidden)
	b, c := tm.join(t, "ben"), tm.join(t, "cai")
	b.sync(t)
	c.sync(t)
	b.write(t, "old.md", edited)
	b.sync(t)
	c.write(t, "old.md", clean)
	c.sync(t)
	for range 2 {
		b.sync(t)
		texts := slices.Collect(maps.Values(b.files(t)))
		t.Logf("ben %q kept %q served %q", texts, b.kept(t, edited), tm.served(t))
		if !slices.Contains(texts, edited) && b.kept(t, edited) == "" {
			t.Errorf("ben's text is lost: %q", texts)
		}
		if got := tm.served(t); len(got) != 1 || got["old.md"] != clean {
			t.Fatalf("served %q", got)
		}
	}
}

func (m *member) writeAndSync(t testing.TB, path, text string) {
	t.Helper()
	m.write(t, path, text)
	m.sync(t)
}

// unseen is a text with a message in it that nobody sees.
func unseen(text string) string { return text + string([]rune{0xE0041, 0xE0042}) + "\n" }

// A new file whose name the server has for a text that may not come here holds up
// no run: the next one shares it under another name.
func TestRefused_NameOfHiddenText(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	tm.join(t, "ann").writeAndSync(t, "a.md", "placeholder\n")
	tm.older(t, "a.md", unseen("first"))
	b := tm.join(t, "ben")
	b.write(t, "a.md", "ben's\n")
	b.write(t, "other.md", "other\n")
	if r := b.sync(t); refused(r)["a.md"] != memory.CodeTextRejected || len(r.Notices) != 1 || b.files(t)["a.md"] != "ben's\n" {
		t.Errorf("refused %v, notices %q, the tree has %q", refused(r), r.Notices, b.files(t))
	}
	for range 2 {
		if r := b.sync(t); refused(r)["a.md"] != memory.CodeTextRejected {
			t.Errorf("refused %v", refused(r))
		}
	}
	has(t, b, map[string]string{"a-2.md": "ben's\n", "other.md": "other\n"})
	if got := tm.served(t); got["a-2.md"] != "ben's\n" || got["other.md"] != "other\n" {
		t.Errorf("served %q", got)
	}
}

// An index has no other name, so it stays here, and is told in each run.
func TestRefused_IndexOfHiddenText(t *testing.T) {
	t.Parallel()
	tm := newTeam(t, memory.Limits{})
	tm.join(t, "ann").writeAndSync(t, "MEMORY.md", "placeholder\n")
	tm.older(t, "MEMORY.md", unseen("- [one](one.md)"))
	b := tm.join(t, "ben")
	b.write(t, "MEMORY.md", "- [ben](ben.md)\n")
	for range 3 {
		if r := b.sync(t); refused(r)["MEMORY.md"] != memory.CodeTextRejected || len(r.Notices) != 1 {
			t.Errorf("refused %v, notices %q", refused(r), r.Notices)
		}
		b.write(t, "other.md", "other\n")
	}
	has(t, b, map[string]string{"MEMORY.md": "- [ben](ben.md)\n", "other.md": "other\n"})
	if tm.served(t)["other.md"] != "other\n" {
		t.Error("the rest is not shared")
	}
}

// What nobody sees does not come here as part of a merge either, with a text that
// a reviewer said no to.
func TestRefused_HiddenTextInMerge(t *testing.T) {
	t.Parallel()
	tm := newReviewed(t)
	a, b := tm.join(t, "ann"), tm.join(t, "ben")
	tm.seeded(t, map[string]string{"MEMORY.md": "- [one](one.md)\n"}, a, b)
	const mine = "- [one](one.md)\n- [ann](ann.md)\n"
	a.writeAndSync(t, "MEMORY.md", mine)
	tm.reject(t, "MEMORY.md", memory.ReasonDerivable, "")
	a.waits(t, a.sync(t), "MEMORY.md rejected")
	b.writeAndSync(t, "MEMORY.md", "- [one](one.md)\n- [ben](ben.md)\n")
	tm.approve(t, "MEMORY.md")
	tm.older(t, "MEMORY.md", unseen("- [one](one.md)\n- [ben](ben.md)"))
	for range 2 {
		if r := a.sync(t); refused(r)["MEMORY.md"] != memory.CodeTextRejected {
			t.Errorf("refused %v", refused(r))
		}
		has(t, a, map[string]string{"MEMORY.md": mine})
	}
}
