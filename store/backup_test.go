package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/backup"
)

func backUp(tb testing.TB, url string) *backup.File {
	tb.Helper()
	return reopened(tb, backUpBytes(tb, url))
}

func backUpBytes(tb testing.TB, url string) []byte {
	tb.Helper()
	var out bytes.Buffer
	_, err := store.Backup(tb.Context(), url, &out, store.BackupOptions{Program: "test", At: start()})
	must(tb, err)
	return out.Bytes()
}

func reopened(tb testing.TB, file []byte) *backup.File {
	tb.Helper()
	f, err := backup.Open(bytes.NewReader(file))
	must(tb, err)
	return f
}

func restoreRow() memory.AuditRow { return memory.Principal{}.Row(start(), "instance.restore", "") }

// another is a database that was restored.
func another(tb testing.TB, url string) *bundle {
	tb.Helper()
	s, err := store.Open(tb.Context(), url, store.Options{Log: testLog(tb)})
	must(tb, err)
	tb.Cleanup(s.Close)
	owner, err := pgxpool.New(tb.Context(), url)
	must(tb, err)
	tb.Cleanup(owner.Close)
	return &bundle{Store: s, url: url, owner: owner}
}

// While eight members write, a backup holds one moment: its numbers, its digest
// and each text of that moment, and nothing of what came later.
func TestBackup_UnderWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.push(t, put(t, "first.md", "first"))
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() { b.keepWriting(t, w, stop) })
	}
	for b.seq(t) < 30 && !t.Failed() { // asks until there is something to miss
	}
	files := [][]byte{backUpBytes(t, b.url), backUpBytes(t, b.url)}
	close(stop)
	writers.Wait()
	for _, raw := range files {
		f := reopened(t, raw)
		m := f.Manifest().Projects[0]
		if m.Seq >= b.seq(t) {
			t.Errorf("nothing was written since seq %d: the test proves nothing", m.Seq)
		}
		digest, err := b.DigestAt(t.Context(), b.project.ID, m.Seq)
		must(t, err)
		if m.Digest != digest.String() {
			t.Errorf("digest of seq %d is %s, and was %s", m.Seq, m.Digest, digest)
		}
		url := empty(t, connect(t, b.url), "")
		projects, err := store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
		must(t, err)
		r := another(t, url)
		r.project = projects[0].Project
		r.check(t)
		if diff := cmp.Diff(b.texts(t, m.Seq), r.texts(t, m.Seq+1000)); diff != "" {
			t.Errorf("texts of seq %d (-source +restored):\n%s", m.Seq, diff)
		}
	}
}

func (b *bundle) seq(tb testing.TB) int64 {
	tb.Helper()
	head, err := b.Head(tb.Context(), b.project.ID)
	must(tb, err)
	return head.Seq
}

// keepWriting writes until it is stopped, and once more.
func (b *bundle) keepWriting(t *testing.T, writer int, stop <-chan struct{}) {
	t.Helper()
	var last memory.Verdict
	for i, stopped := 0, false; !stopped; i++ {
		select {
		case <-stop:
			stopped = true
		default:
		}
		w := put(t, fmt.Sprintf("w%d/%d.md", writer, i), text(i))
		if i%3 == 2 {
			w = edit(t, fmt.Sprintf("w%d/%d.md", writer, i-1), text(-i), last)
		}
		r, err := b.Push(t.Context(), b.batch(w))
		if err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
			t.Errorf("push: %v %v", r, err)
			return
		}
		last = r.Verdicts[0]
	}
}

// texts are the revisions up to a seq, each with its bytes.
func (b *bundle) texts(tb testing.TB, upTo int64) []string {
	tb.Helper()
	rows, err := b.owner.Query(tb.Context(), `
		select format('%s %s %s %s %s', entry_id, rev, op, path, encode(content, 'hex'))
		from revisions
		where rev <= $1
		order by rev`, upTo)
	must(tb, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(tb, err)
	return texts
}

// furnish puts something of every kind into the database.
func (b *bundle) furnish(t *testing.T) {
	t.Helper()
	first := b.push(t, put(t, "a.md", "one\ttab\\back\nline"), put(t, "b.md", ""), put(t, "c.md", "gone"))
	b.push(t, edit(t, "a.md", "two \u00e9\U0001F600", first.Verdicts[0]), move(t, "b.md", "d.md", first.Verdicts[1]), remove(t, "c.md", first.Verdicts[2]))
	b.addProject(t, "acme/empty", "github.com/acme/empty")
	must(t, b.SetRole(t.Context(), b.project.ID, b.member.ID, memory.RoleMaintainer, b.principal().Row(start(), "role.set", "")))
	token := memory.APIToken{
		ID: memory.NewTokenID(), Hash: memory.Sum([]byte("token")), Last4: "abcd", Member: b.member.ID,
		Scopes: []memory.Scope{memory.ScopeRead}, CreatedAt: start(), ExpiresAt: start().AddDate(0, 1, 0),
	}
	must(t, b.AddAPIToken(t.Context(), token, b.principal().Row(start(), "token.add", "")))
	must(t, b.KeepCursors(t.Context(), []memory.DeviceCursor{{Project: b.project.ID, Member: b.member.ID, Device: b.device.ID, At: memory.Cursor{Epoch: b.project.Head.Epoch, Seq: 3}}}, start()))
	b.exec(t, `
		insert into signing_keys (kid, public, sealed, created_at, signs_from)
		values ('kid-marker', sha256('public'), 'sealed-marker', now(), now())`)
}

// tables are all rows of the tables that a backup has, but for what restoring
// itself writes.
func (b *bundle) tables(t *testing.T, f *backup.File) map[string][]string {
	t.Helper()
	content := map[string][]string{}
	for _, table := range f.Manifest().Tables {
		where := ""
		if table.Name == "audit" {
			where = ` where action <> 'instance.restore'`
		}
		rows, err := b.owner.Query(t.Context(), `select x::text from `+table.Name+` as x`+where+` order by 1`)
		must(t, err)
		content[table.Name], err = pgx.CollectRows(rows, pgx.RowTo[string])
		must(t, err)
	}
	return content
}

func TestRestore_EveryRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.furnish(t)
	f := backUp(t, b.url)
	url := empty(t, connect(t, b.url), "")
	told := map[string]bool{}
	projects, err := store.Restore(t.Context(), url, f, store.RestoreOptions{
		KeepEpoch: true, Row: restoreRow(), Progress: func(table string, _, _ int64) { told[table] = true },
	})
	must(t, err)
	r := another(t, url)
	if diff := cmp.Diff(b.tables(t, f), r.tables(t, f)); diff != "" {
		t.Errorf("rows (-source +restored):\n%s", diff)
	}
	if len(projects) != 2 || projects[0].Slug != "acme/app" || projects[0].Live != 2 || projects[0].Head.Epoch != b.project.Head.Epoch {
		t.Errorf("projects: %+v", projects)
	}
	if !told["revisions"] {
		t.Error("no progress was told")
	}
	// It serves and goes on from there, as the same instance.
	was, err := b.Instance(t.Context())
	must(t, err)
	if is, err := r.Instance(t.Context()); err != nil || is != was {
		t.Errorf("instance %s, want %s (%v)", is, was, err)
	}
	r.member, r.device, r.project = b.member, b.device, b.project
	r.push(t, put(t, "later.md", "later"))
	r.check(t)
}

// Clients have to notice that they may have seen more than the file holds.
func TestRestore_NewEpochs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.furnish(t)
	url := empty(t, connect(t, b.url), "")
	projects, err := store.Restore(t.Context(), url, backUp(t, b.url), store.RestoreOptions{Row: restoreRow()})
	must(t, err)
	r := another(t, url)
	for _, p := range projects {
		head, err := r.Head(t.Context(), p.ID)
		must(t, err)
		before, err := b.Head(t.Context(), p.ID)
		must(t, err)
		if head.Epoch == before.Epoch || head.Epoch != p.Head.Epoch {
			t.Errorf("%s: epoch %s, was %s, told %s", p.Slug, head.Epoch, before.Epoch, p.Head.Epoch)
		}
		if head.Epoch = before.Epoch; head != before {
			t.Errorf("%s: head %v, want %v", p.Slug, head, before)
		}
	}
	if n := r.count(t, `select count(*) from audit where project_id = '' and action = 'instance.restore' and decision = 'new epochs'`); n != 1 {
		t.Errorf("%d rows of the audit say so", n)
	}
}

// No key leaves the database, and nothing is left out but what the manifest
// names.
func TestBackup_LeavesOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.furnish(t)
	b.exec(t, `create table notes_of_others (note text)`)
	f := backUp(t, b.url)
	got := map[string]string{}
	for _, l := range f.Manifest().LeftOut {
		got[l.Name] = l.Reason
	}
	var names []string
	for name, reason := range got {
		names = append(names, name)
		if reason == "" {
			t.Errorf("%s: without a reason", name)
		}
	}
	slices.Sort(names)
	want := []string{"console_links", "console_sessions", "device_reports", "notes_of_others", "push_keys", "schema_migrations", "signing_keys"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	must(t, f.Tables(func(table backup.Table, rows io.Reader) error {
		all, err := io.ReadAll(rows)
		if bytes.Contains(all, []byte("marker")) || bytes.Contains(all, []byte(fmt.Sprintf("%x", "marker"))) {
			t.Errorf("%s holds a key", table.Name)
		}
		return err
	}))
	if n := b.count(t, `select count(*) from pg_sequences where schemaname = current_schema()`); n > 0 {
		t.Errorf("%d sequences: COPY does not carry their state, so a backup would lose it", n)
	}
}

func TestBackup_Refuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, sql, message, hint string }{
		{"newer database", `insert into schema_migrations (version, name, checksum) values (999, '0999_future.sql', '')`, "it has schema 999", "at least as new"},
		{"gap in the feed", `delete from changes where seq = 2`, "acme/app is damaged, and no backup is made of it: the feed has 5 changes", "pg_dump"},
		{"changed audit", `update audit set object = 'x' where project_id = '' and number = 1`, "the instance is damaged", "keep the last backup"},
		{"not ours", `drop table schema_migrations`, "database of teammem's behind the URL not found", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.furnish(t)
			b.exec(t, tc.sql)
			var out bytes.Buffer
			_, err := store.Backup(t.Context(), b.url, &out, store.BackupOptions{})
			wantText(t, err, tc.message, tc.hint)
			if out.Len() > 0 {
				t.Errorf("%d bytes were written", out.Len())
			}
		})
	}
}

var errFull = errors.New("no space left on device")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestBackup_OutputFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := store.Backup(t.Context(), b.url, full{}, store.BackupOptions{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

// tablesOf counts the tables in a database.
func tablesOf(t *testing.T, url string) int {
	t.Helper()
	var n int
	must(t, connect(t, url).QueryRow(t.Context(), `select count(*) from pg_tables where schemaname = current_schema()`).Scan(&n))
	return n
}

func TestRestore_RefusesDatabasesInUse(t *testing.T) {
	t.Parallel()
	source := setup(t)
	source.furnish(t)
	f := backUp(t, source.url)
	for _, tc := range []struct{ name, sql, message string }{
		{"a member", `insert into members (member_id, name, admin, disabled, session_epoch, created_at) values ('mem_x', 'x', false, false, 0, now())`, "it has members"},
		{"a project", `insert into projects (project_id, slug, epoch, seq, floor_seq, digest, live, review, default_role, created_at)
			values ('prj_x', 'x', 'e', 0, 0, sha256(''), 0, 'open', 'none', now())`, "it has projects"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			owner := connect(t, source.url)
			url := empty(t, owner, "")
			must(t, store.Migrate(t.Context(), url))
			target := connect(t, url)
			_, err := target.Exec(t.Context(), tc.sql)
			must(t, err)
			_, err = store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
			wantCode(t, err, memory.CodeConflict)
			wantText(t, err, tc.message, "nothing was changed")
			var rows int
			must(t, target.QueryRow(t.Context(), `select (select count(*) from members) + (select count(*) from projects)`).Scan(&rows))
			if rows != 1 {
				t.Errorf("%d rows, want the one of before", rows)
			}
		})
	}
	t.Run("a server", func(t *testing.T) {
		t.Parallel()
		url := empty(t, connect(t, source.url), "")
		must(t, store.Migrate(t.Context(), url))
		another(t, url)
		_, err := store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
		wantCode(t, err, memory.CodeConflict)
		wantText(t, err, "a teammem server is connected", "stop it first")
	})
	t.Run("migrated and unused", func(t *testing.T) {
		t.Parallel()
		url := empty(t, connect(t, source.url), "")
		must(t, store.Migrate(t.Context(), url))
		_, err := store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
		must(t, err)
	})
}

// copied writes the file anew with other content and a right seal.
func copied(t *testing.T, f *backup.File, manifest func(*backup.Manifest), rows func(table, rows string) string) *backup.File {
	t.Helper()
	m := f.Manifest()
	m.Projects = slices.Clone(m.Projects)
	manifest(&m)
	var out bytes.Buffer
	w, err := backup.NewWriter(&out, m)
	must(t, err)
	content := map[string]string{}
	must(t, f.Tables(func(t backup.Table, r io.Reader) error {
		all, err := io.ReadAll(r)
		content[t.Name] = rows(t.Name, string(all))
		return err
	}))
	for _, table := range m.Tables {
		must(t, w.Table(table.Name, func(to io.Writer) error {
			_, err := io.WriteString(to, content[table.Name])
			return err
		}))
	}
	must(t, w.Close())
	return reopened(t, out.Bytes())
}

// Files that are whole and wrong leave nothing behind, not even the schema.
func TestRestore_RefusesFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.furnish(t)
	f := backUp(t, b.url)
	same := func(*backup.Manifest) {}
	asIs := func(_, rows string) string { return rows }
	in := func(name string, change func(string) string) func(string, string) string {
		return func(table, rows string) string {
			if table == name {
				return change(rows)
			}
			return rows
		}
	}
	first := func(rows string) string { _, rest, _ := strings.Cut(rows, "\n"); return rest }
	for _, tc := range []struct {
		name     string
		manifest func(*backup.Manifest)
		rows     func(string, string) string
		want     string
	}{
		{"newer", func(m *backup.Manifest) {
			for range 100 {
				m.Schema = append(m.Schema, backup.Schema{Name: "0099_future.sql"})
			}
		}, asIs, "the backup is newer than this program: it has schema 1"},
		{"other migrations", func(m *backup.Manifest) { m.Schema[1].Checksum = "00" }, asIs, "is not the one that ran where the backup was made"},
		{"unknown table", func(m *backup.Manifest) { m.Tables = append(m.Tables, backup.Table{Name: "pg_authid"}) }, asIs, `its table "pg_authid" is not one of schema`},
		{"migrations as a table", func(m *backup.Manifest) { m.Tables = append(m.Tables, backup.Table{Name: "schema_migrations"}) }, asIs, `"schema_migrations" is not one of schema`},
		{"other columns", func(m *backup.Manifest) { m.Tables[0].Columns = m.Tables[0].Columns[1:] }, asIs, "has other columns"},
		{"other digest", func(m *backup.Manifest) { m.Projects[0].Digest = strings.Repeat("0", 64) }, asIs, "acme/app is not as its manifest says"},
		{"project too many", func(m *backup.Manifest) { m.Projects = m.Projects[:1] }, asIs, "it has 2 projects and its manifest 1"},
		{"other instance", func(m *backup.Manifest) { m.Instance = "ins_other" }, asIs, "another instance"},
		{"change missing", same, in("changes", first), "acme/app: the feed has 5 changes"},
		{"role missing its member", same, in("members", func(string) string { return "" }), "SQLSTATE 23503"},
		{"text changed", same, in("revisions", func(rows string) string {
			return strings.Replace(rows, fmt.Sprintf("%x", "gone"), fmt.Sprintf("%x", "lost"), 1)
		}), "SQLSTATE 23514"},
		{"audit changed", same, in("audit", func(rows string) string { return strings.Replace(rows, "role.set", "role.get", 1) }), "is not as it was written"},
		{"no rows at all", same, in("entries", func(string) string { return "nonsense\n" }), "SQLSTATE 22P04"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			changed := copied(t, reopened(t, backUpBytes(t, b.url)), tc.manifest, tc.rows)
			url := empty(t, connect(t, b.url), "")
			_, err := store.Restore(t.Context(), url, changed, store.RestoreOptions{Row: restoreRow()})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if n := tablesOf(t, url); n != 0 {
				t.Errorf("%d tables were left", n)
			}
		})
	}
	url := empty(t, connect(t, b.url), "")
	_, err := store.Restore(t.Context(), url, copied(t, f, same, asIs), store.RestoreOptions{Row: restoreRow()})
	must(t, err) // the same way of making one, unchanged
}

// Whatever ends a restore, it leaves nothing, and works when it is run again.
func TestRestore_Interrupted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.furnish(t)
	for _, tc := range []struct {
		name string
		end  func(t *testing.T, url string, cancel func())
	}{
		{"cancelled", func(_ *testing.T, _ string, cancel func()) { cancel() }},
		{"connection lost", func(t *testing.T, url string, _ func()) {
			t.Helper()
			killer := connect(t, url)
			_, err := killer.Exec(t.Context(), `
				select pg_terminate_backend(pid)
				from pg_stat_activity
				where datname = current_database() and pid <> pg_backend_pid()`)
			must(t, err)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := backUp(t, b.url)
			url := empty(t, connect(t, b.url), "")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			once := sync.OnceFunc(func() { tc.end(t, url, cancel) })
			_, err := store.Restore(ctx, url, f, store.RestoreOptions{Row: restoreRow(), Progress: func(table string, _, _ int64) {
				if table == "revisions" {
					once()
				}
			}})
			if err == nil {
				t.Fatal("it was not interrupted")
			}
			if n := tablesOf(t, url); n != 0 {
				t.Errorf("%d tables were left", n)
			}
			_, err = store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
			must(t, err)
		})
	}
}

// A backup of each earlier schema becomes this version's on the way in. A
// database that is ahead of it already cannot take its rows.
func TestRestore_OlderSchema(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Close() // no server is connected
	for version := 1; version < b.count(t, `select count(*) from schema_migrations`); version++ {
		t.Run(fmt.Sprint("schema ", version), func(t *testing.T) {
			t.Parallel()
			owner := connect(t, b.url)
			old := empty(t, owner, "")
			must(t, store.MigrateTo(t.Context(), old, version))
			conn := connect(t, old)
			_, err := conn.Exec(t.Context(), oldRows, pgx.QueryExecModeSimpleProtocol)
			must(t, err)
			f := backUp(t, old)
			if got := len(f.Manifest().Schema); got != version {
				t.Fatalf("the backup migrated the database to schema %d", got)
			}
			url := empty(t, owner, "")
			projects, err := store.Restore(t.Context(), url, f, store.RestoreOptions{Row: restoreRow()})
			must(t, err)
			r := another(t, url)
			r.project = projects[0].Project
			r.check(t)
			if got := r.texts(t, 10); len(got) != 1 || !strings.HasSuffix(got[0], "a.md 61") {
				t.Errorf("texts: %q", got)
			}
			if version == 1 {
				_, err = store.Restore(t.Context(), b.url, f, store.RestoreOptions{Row: restoreRow()})
				wantText(t, err, "and the backup is of schema 1", "an empty database")
			}
		})
	}
}

// oldRows are in the first schema. The digest is that of the one entry.
const oldRows = `
	insert into instance (instance_id) values ('ins_old');
	insert into members (member_id, name, admin, disabled, session_epoch, created_at) values ('mem_a', 'a', false, false, 0, now());
	insert into projects (project_id, slug, epoch, seq, floor_seq, digest, live, review, default_role, created_at)
	values ('prj_a', 'acme/app', 'e1', 1, 0, sha256('a.md'::bytea || '\x00'::bytea || sha256('a')), 1, 'open', 'contributor', now());
	insert into entries (project_id, entry_id, path, path_key, kind, name, description, head_rev, sha256, size, deleted_rev, author, updated_at)
	values ('prj_a', 'ent_a', 'a.md', 'a.md', 'project', 'a', '', 1, sha256('a'), 1, null, 'mem_a', now());
	insert into revisions (project_id, entry_id, rev, op, path, kind, content, sha256, size, base_rev, author, device_id,
		agent, agent_version, agent_session, agent_model, note, rule_set, at)
	values ('prj_a', 'ent_a', 1, 'put', 'a.md', 'project', 'a', sha256('a'), 1, 0, 'mem_a', '', '', '', '', '', '', '', now());
	insert into changes (project_id, seq, entry_id, rev, op, previous_path, digest_after)
	select 'prj_a', 1, 'ent_a', 1, 'put', '', digest from projects;`

func TestExamine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, sql, want string }{
		{"sound", ``, ""},
		{"feed", `delete from changes where seq = 6`, "the feed ends at 5, the project at 6"},
		{"digest", `update projects set digest = sha256('')`, "the project's digest is not that of its entries"},
		{"live", `update projects set live = 7`, "the project counts 7 live entries, there are 2"},
		{
			"text", `alter table revisions drop constraint revisions_check2; update revisions set content = 'x' where op = 'put' and rev = 1`,
			"1 of its 6 texts are not those that were written",
		},
		{"audit", `update audit set object = 'x' where project_id <> '' and number = 1`, "row 1 of the audit is not as it was written"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.furnish(t)
			if tc.sql != "" {
				_, err := b.owner.Exec(t.Context(), tc.sql, pgx.QueryExecModeSimpleProtocol)
				must(t, err)
			}
			x, err := store.Examine(t.Context(), b.url)
			must(t, err)
			if x.Schema != x.Known || x.SchemaErr != nil || x.InstanceErr != nil || x.Bytes == 0 || x.Audit == 0 || len(x.Projects) != 2 {
				t.Fatalf("found %+v", x)
			}
			p := x.Projects[0]
			if got := fmt.Sprint(p.Err); tc.want == "" && p.Err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("found %q, want %q", got, tc.want)
			}
			if p.Revisions != 6 || p.Audit == 0 && tc.name != "audit" {
				t.Errorf("found %+v", p)
			}
		})
	}
}

func TestExamine_OtherSchemas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := connect(t, b.url)
	x, err := store.Examine(t.Context(), empty(t, owner, ""))
	if err != nil || x.Schema != 0 || x.SchemaErr != nil {
		t.Errorf("of an empty database: %+v, %v", x, err)
	}
	b.exec(t, `insert into schema_migrations (version, name, checksum) values (999, '0999_future.sql', '')`)
	x, err = store.Examine(t.Context(), b.url)
	must(t, err)
	if x.Schema != 999 {
		t.Errorf("schema %d", x.Schema)
	}
	wantText(t, x.SchemaErr, fmt.Sprintf("it has schema 999 (0999_future.sql), this build knows %d", x.Known), "at least as new")
}
