package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	"github.com/teammem/teammem/store"
)

// start is when every test begins.
func start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC) }

// bundle is a store with one member and one project in it.
type bundle struct {
	*store.Store
	url     string
	owner   *pgxpool.Pool // as the role that owns the tables
	member  memory.Member
	device  memory.Device
	project memory.Project
}

func setup(t testing.TB) *bundle {
	t.Helper()
	return open(t, store.Options{MaxConns: 20, Log: testLog(t)})
}

func open(t testing.TB, o store.Options) *bundle {
	t.Helper()
	b := &bundle{url: testdb.New(t)}
	ctx := t.Context()
	s, err := store.Open(ctx, b.url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	b.Store = s
	if b.owner, err = pgxpool.New(ctx, b.url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.owner.Close)

	b.member = b.addMember(t, "Mara")
	b.device = memory.Device{ID: memory.NewDeviceID(), Member: b.member.ID, Name: "laptop", OS: "linux", CreatedAt: start()}
	must(t, b.AddDevice(ctx, b.device, b.principal().Row(start(), "device.add", string(b.device.ID))))
	b.project = b.addProject(t, "acme/app", "github.com/acme/app")
	return b
}

func (b *bundle) principal() memory.Principal {
	return memory.Principal{
		Member: b.member.ID, Name: b.member.Name, Device: b.device.ID, Remote: "192.0.2.1", Client: "teammem/1 (linux)",
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite},
	}
}

func (b *bundle) addMember(t testing.TB, name string) memory.Member {
	t.Helper()
	m := memory.Member{ID: memory.NewMemberID(), Name: name, CreatedAt: start()}
	must(t, b.AddMember(t.Context(), m, memory.Principal{}.Row(start(), "member.add", string(m.ID))))
	return m
}

func (b *bundle) addProject(t testing.TB, slug string, remotes ...string) memory.Project {
	t.Helper()
	p := memory.Project{
		ID: memory.NewProjectID(), Slug: slug, Remotes: remotes, Review: memory.PresetOpen,
		DefaultRole: memory.RoleContributor, Head: memory.Head{Epoch: memory.NewEpoch()}, CreatedAt: start(),
	}
	must(t, b.AddProject(t.Context(), p, b.principal().Row(start(), "project.add", string(p.ID))))
	return p
}

// batch makes a batch of the member, without a key.
func (b *bundle) batch(writes ...memory.Write) memory.Batch {
	batch := memory.Batch{
		Project: b.project.ID, Epoch: b.project.Head.Epoch, By: b.principal(), Device: b.device.ID, At: start(),
		Agent: memory.Agent{Name: "claude-code", Version: "2.1", Session: "s1", Model: "m1"},
	}
	for _, w := range writes {
		batch.Items = append(batch.Items, memory.Item{Write: w})
	}
	return batch
}

// push pushes and requires every op to be published.
func (b *bundle) push(t testing.TB, writes ...memory.Write) memory.Receipt {
	t.Helper()
	r, err := b.Push(t.Context(), b.batch(writes...))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Verdicts {
		if v.Ruling != memory.RulingPublished {
			t.Fatalf("op %d of the push: %s (%v)", i, v.Ruling, v.Problem)
		}
	}
	return r
}

// check requires that everything which must hold of the project does.
func (b *bundle) check(t testing.TB) {
	t.Helper()
	must(t, b.Check(t.Context(), b.project.ID))
	for _, chain := range []memory.ProjectID{b.project.ID, ""} {
		if _, _, err := b.VerifyAudit(t.Context(), chain); err != nil {
			t.Error(err)
		}
	}
}

// exec runs SQL as the owner.
func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	if _, err := b.owner.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// count returns the number that a query as the owner gives.
func (b *bundle) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	must(t, b.owner.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// put writes a text, over a revision if there is one.
func put(t testing.TB, path, text string) memory.Write {
	t.Helper()
	p := parse(t, path)
	clean, err := memory.Screen(t.Context(), allClear{}, p, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return memory.Write{
		Action: memory.ActionPut, Path: p, NewID: memory.NewEntryID(), Content: clean, Meta: memory.ReadFrontmatter(p, text),
	}
}

func edit(t testing.TB, path, text string, v memory.Verdict) memory.Write {
	t.Helper()
	w := put(t, path, text)
	w.EntryID, w.BaseRev, w.BaseSum = v.EntryID, v.Rev, v.Sum
	return w
}

func move(t testing.TB, from, to string, v memory.Verdict) memory.Write {
	t.Helper()
	return memory.Write{
		Action: memory.ActionMove, Path: parse(t, to), Previous: parse(t, from), EntryID: v.EntryID, BaseRev: v.Rev, BaseSum: v.Sum,
	}
}

func remove(t testing.TB, path string, v memory.Verdict) memory.Write {
	t.Helper()
	return memory.Write{Action: memory.ActionDelete, Path: parse(t, path), EntryID: v.EntryID, BaseRev: v.Rev, BaseSum: v.Sum}
}

func parse(t testing.TB, path string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(path)
	if err != nil {
		t.Fatalf("path %q: %v", path, err)
	}
	return p
}

// allClear is a scanner that finds nothing.
type allClear struct{}

func (allClear) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }
func (allClear) RuleSet() string                                          { return "rules-1" }

// as returns the URL with another user and password.
func as(t testing.TB, raw, user, password string) string {
	t.Helper()
	u, err := url.Parse(raw)
	must(t, err)
	q := u.Query()
	q.Set("user", user)
	q.Set("password", password)
	u.RawQuery, u.User = q.Encode(), nil
	return u.String()
}

// inDatabase returns the URL with another database.
func inDatabase(t testing.TB, raw, name string) string {
	t.Helper()
	u, err := url.Parse(raw)
	must(t, err)
	u.Path = "/" + name
	return u.String()
}

func asError(err error) *memory.Error {
	e, _ := errors.AsType[*memory.Error](err)
	return e
}

func wantCode(t testing.TB, err error, want memory.Code) {
	t.Helper()
	if err == nil || memory.CodeOf(err) != want {
		t.Errorf("error = %v (%s), want code %s", err, memory.CodeOf(err), want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pathOf(i int) string { return fmt.Sprintf("notes/area-%d/fact-%05d.md", i%10, i) }
