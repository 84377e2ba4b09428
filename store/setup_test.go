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

func setup(tb testing.TB) *bundle {
	tb.Helper()
	return open(tb, store.Options{MaxConns: 20, Log: testLog(tb)})
}

func open(tb testing.TB, o store.Options) *bundle {
	tb.Helper()
	b := &bundle{url: testdb.New(tb)}
	ctx := tb.Context()
	s, err := store.Open(ctx, b.url, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	b.Store = s
	if b.owner, err = pgxpool.New(ctx, b.url); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.owner.Close)

	b.member = b.addMember(tb, "Mara")
	b.device = memory.Device{ID: memory.NewDeviceID(), Member: b.member.ID, Name: "laptop", OS: "linux", CreatedAt: start()}
	must(tb, b.AddDevice(ctx, b.device, b.principal().Row(start(), "device.add", string(b.device.ID))))
	b.project = b.addProject(tb, "acme/app", "github.com/acme/app")
	return b
}

func (b *bundle) principal() memory.Principal {
	return memory.Principal{
		Member: b.member.ID, Name: b.member.Name, Device: b.device.ID, Remote: "192.0.2.1", Client: "teammem/1 (linux)",
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite},
	}
}

func (b *bundle) addMember(tb testing.TB, name string) memory.Member {
	tb.Helper()
	m := memory.Member{ID: memory.NewMemberID(), Name: name, CreatedAt: start()}
	must(tb, b.AddMember(tb.Context(), m, memory.Principal{}.Row(start(), "member.add", string(m.ID))))
	return m
}

func (b *bundle) addProject(tb testing.TB, slug string, remotes ...string) memory.Project {
	tb.Helper()
	p := memory.Project{
		ID: memory.NewProjectID(), Slug: slug, Remotes: remotes, Review: memory.PresetOpen,
		DefaultRole: memory.RoleContributor, Head: memory.Head{Epoch: memory.NewEpoch()}, CreatedAt: start(),
	}
	must(tb, b.AddProject(tb.Context(), p, b.principal().Row(start(), "project.add", string(p.ID))))
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
func (b *bundle) push(tb testing.TB, writes ...memory.Write) memory.Receipt {
	tb.Helper()
	r, err := b.Push(tb.Context(), b.batch(writes...))
	if err != nil {
		tb.Fatalf("push: %v: %v", err, errors.Unwrap(err))
	}
	for i, v := range r.Verdicts {
		if v.Ruling != memory.RulingPublished {
			tb.Fatalf("op %d of the push: %s (%v)", i, v.Ruling, v.Problem)
		}
	}
	return r
}

// check requires that everything which must hold of the project does.
func (b *bundle) check(tb testing.TB) {
	tb.Helper()
	must(tb, b.Check(tb.Context(), b.project.ID))
	for _, chain := range []memory.ProjectID{b.project.ID, ""} {
		if _, _, err := b.VerifyAudit(tb.Context(), chain); err != nil {
			tb.Error(err)
		}
	}
}

// exec runs SQL as the owner.
func (b *bundle) exec(tb testing.TB, sql string, args ...any) {
	tb.Helper()
	if _, err := b.owner.Exec(tb.Context(), sql, args...); err != nil {
		tb.Fatal(err)
	}
}

// count returns the number that a query as the owner gives.
func (b *bundle) count(tb testing.TB, sql string, args ...any) int {
	tb.Helper()
	var n int
	must(tb, b.owner.QueryRow(tb.Context(), sql, args...).Scan(&n))
	return n
}

// put writes a text, over a revision if there is one.
func put(tb testing.TB, path, text string) memory.Write {
	tb.Helper()
	p := parse(tb, path)
	clean, err := memory.Screen(tb.Context(), allClear{}, p, []byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return memory.Write{
		Action: memory.ActionPut, Path: p, NewID: memory.NewEntryID(), Content: clean, Meta: memory.ReadFrontmatter(p, text),
	}
}

func aRisk() []memory.Risk {
	return []memory.Risk{{Cause: "override", Line: 3, Column: 1, Length: 19}, {Cause: "kind-user"}}
}

func edit(tb testing.TB, path, text string, v memory.Verdict) memory.Write {
	tb.Helper()
	w := put(tb, path, text)
	w.EntryID, w.BaseRev, w.BaseSum = v.EntryID, v.Rev, v.Sum
	return w
}

func move(tb testing.TB, from, to string, v memory.Verdict) memory.Write {
	tb.Helper()
	return memory.Write{
		Action: memory.ActionMove, Path: parse(tb, to), Previous: parse(tb, from), EntryID: v.EntryID, BaseRev: v.Rev, BaseSum: v.Sum,
	}
}

func remove(tb testing.TB, path string, v memory.Verdict) memory.Write {
	tb.Helper()
	return memory.Write{Action: memory.ActionDelete, Path: parse(tb, path), EntryID: v.EntryID, BaseRev: v.Rev, BaseSum: v.Sum}
}

func parse(tb testing.TB, path string) memory.Path {
	tb.Helper()
	p, err := memory.ParsePath(path)
	if err != nil {
		tb.Fatalf("path %q: %v", path, err)
	}
	return p
}

// allClear is a scanner that finds nothing.
type allClear struct{}

func (allClear) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }
func (allClear) RuleSet() string                                          { return "rules-1" }

// as returns the URL with another user and password.
func as(tb testing.TB, raw, user, password string) string {
	tb.Helper()
	u, err := url.Parse(raw)
	must(tb, err)
	q := u.Query()
	q.Set("user", user)
	q.Set("password", password)
	u.RawQuery, u.User = q.Encode(), nil
	return u.String()
}

// inDatabase returns the URL with another database.
func inDatabase(tb testing.TB, raw, name string) string {
	tb.Helper()
	u, err := url.Parse(raw)
	must(tb, err)
	u.Path = "/" + name
	return u.String()
}

func asError(err error) *memory.Error {
	e, _ := errors.AsType[*memory.Error](err)
	return e
}

func wantCode(tb testing.TB, err error, want memory.Code) {
	tb.Helper()
	if err == nil || memory.CodeOf(err) != want {
		tb.Errorf("error = %v (%s), want code %s", err, memory.CodeOf(err), want)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func pathOf(i int) string { return fmt.Sprintf("notes/area-%d/fact-%05d.md", i%10, i) }
