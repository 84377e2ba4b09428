package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/internal/testdb"
	"github.com/teammem/teammem/store"
)

// emptyDatabase is one in which nothing was migrated, beside another one.
func emptyDatabase(t *testing.T) string {
	t.Helper()
	url := testdb.New(t)
	sql(t, url, `drop schema public cascade; create schema public`)
	return url
}

func sql(t *testing.T, url, statements string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test's end closes it anyway
	if _, err := conn.Exec(t.Context(), statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

func number(t *testing.T, url, query string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test's end closes it anyway
	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// move backs the instance up, restores it into another database, and serves
// that at the same address. between runs after the backup, before the server
// goes.
func (tm *team) move(t *testing.T, between func()) {
	t.Helper()
	file, address := filepath.Join(tm.dir, "backup.tar.zst"), tm.address()
	tm.must(t, append(tm.admin, "backup", file)...)
	between()
	tm.stop(syscall.SIGTERM)
	tm.database = emptyDatabase(t)
	tm.admin = []string{"admin", "--database-url", tm.database}
	tm.must(t, append(tm.admin, "restore", file)...)
	tm.start(t, address)
}

// A server that was restored has less than its members saw. They move nothing
// until they say so, and then what they have comes back.
func TestRestore_MembersBringBackWhatIsNewer(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ana, ben := tm.join(t, "ana"), tm.join(t, "ben")
	ana.write(t, "old.md", "old\n")
	ana.write(t, "edited.md", "before\n")
	ana.sync(t, exitOK)
	ben.sync(t, exitOK)
	tm.move(t, func() {
		ana.write(t, "new.md", "new\n")
		ana.write(t, "edited.md", "after\n")
		ana.sync(t, exitOK)
	})
	before := ana.files(t)
	for _, m := range []*member{ana, ben} {
		if r := m.sync(t, exitReset); !strings.Contains(r.stderr, "--rebuild") {
			t.Errorf("does not say what to do: %s", r.stderr)
		}
	}
	if got := ana.files(t); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("files changed: %v, want %v", got, before)
	}
	for _, m := range []*member{ana, ben} {
		m.must(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"), "--rebuild")
	}
	ana.run(t, "sync", ana.work())
	ben.run(t, "sync", ben.work())
	if got := ben.read(t, "new.md"); got != "new\n" {
		t.Errorf("the text that was newer than the backup: %q", got)
	}
	if got := ana.everything(t); !strings.Contains(got, "after\n") {
		t.Error("the edit that was newer than the backup is nowhere")
	}
	equalTrees(t, ana, ben)
}

// everything is all text that a member has, in the tree and beside it.
func (m *member) everything(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, text := range filesBelow(t, m.home) {
		all.WriteString(text)
	}
	return all.String()
}

// A restore that is killed leaves nothing of the backup behind: a server that
// starts then serves an instance that nobody knows, and a restore works again.
func TestRestore_Killed(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	ana := tm.join(t, "ana")
	ana.write(t, "a.md", "one\n")
	ana.sync(t, exitOK)
	file := filepath.Join(tm.dir, "backup.tar.zst")
	tm.must(t, append(tm.admin, "backup", file)...)

	target := emptyDatabase(t)
	if err := store.Migrate(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	gate, err := pgx.Connect(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	_, err = gate.Exec(t.Context(), `
		create function wait_at_gate() returns trigger language plpgsql as $$
		begin
			perform pg_advisory_xact_lock(4711);
			return new;
		end
		$$;
		create trigger gate before insert on changes for each row execute function wait_at_gate();
		select pg_advisory_lock(4711)`, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	restoring := program(t.Context(), tm.dir, "admin", "--database-url", target, "restore", file)
	if err := restoring.Start(); err != nil {
		t.Fatal(err)
	}
	waiting := `
		select count(*)
		from pg_locks
		join pg_database d on d.oid = database
		where datname = current_database() and locktype = 'advisory' and not granted`
	for deadline := time.Now().Add(time.Minute); number(t, target, waiting) == 0; <-nextLook() { // asks until texts are in
		if time.Now().After(deadline) {
			t.Fatal("the restore did not come to the feed")
		}
	}
	if err := restoring.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = restoring.Wait() // the signal is the reason
	if err := gate.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := &team{dir: tm.dir, database: target}
	other.start(t, anyPort())
	if n := number(t, target, `select (select count(*) from members) + (select count(*) from revisions)`); n != 0 {
		t.Errorf("a server serves %d rows of half a restore", n)
	}
	other.stop(syscall.SIGTERM)
	sql(t, target, `drop trigger gate on changes`)
	tm.must(t, "admin", "--database-url", target, "restore", file)
	if n := number(t, target, `select count(*) from changes`); n != 1 {
		t.Errorf("%d changes", n)
	}
}

// A database that a newer release migrated is left as it is by everything.
func TestServe_DatabaseNewer(t *testing.T) {
	t.Parallel()
	url := testdb.New(t)
	sql(t, url, `insert into schema_migrations (version, name, checksum) values (999, '0999_future.sql', '')`)
	dir := t.TempDir()
	for _, args := range [][]string{
		{"serve", "--listen", "127.0.0.1:0", "--database-url", url},
		{"admin", "--database-url", url, "member", "add", "mara"},
		{"admin", "--database-url", url, "backup", filepath.Join(dir, "kept.tar.zst")},
	} {
		r := run(t, dir, args...)
		if r.code != exitRetry || !strings.Contains(r.stderr, "it has schema 999 (0999_future.sql), this build knows ") {
			t.Errorf("%s: exit %d: %s", args[0], r.code, r.stderr)
		}
	}
	r := run(t, dir, "doctor", "--database-url", url)
	if r.code != exitRetry || !strings.Contains(r.stdout, "it has schema 999 (0999_future.sql), this build knows ") {
		t.Errorf("doctor: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if n := number(t, url, `select count(*) from members`); n != 0 {
		t.Errorf("%d members", n)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files: %v, %v", files, err)
	}
}

// What stops a backup leaves the one of before, and no half of another.
func TestWriteWhole_Fails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "kept.tar.zst")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := writeWhole(file, func(out io.Writer) error {
		if _, err := out.Write(bytes.Repeat([]byte("new"), 1<<20)); err != nil {
			return err
		}
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := filesBelow(t, filepath.Dir(file)); len(got) != 1 || got["kept.tar.zst"] != "old" {
		t.Errorf("files: %v", got)
	}
}
