package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/internal/testdb"
)

// The next backup removes what a killed one left, and nothing of one that is
// still at work.
func TestBackup_Killed(t *testing.T) {
	t.Parallel()
	url, home, dir := testdb.New(t), t.TempDir(), t.TempDir()
	gate, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer gate.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test's end closes it anyway
	if _, err := gate.Exec(t.Context(), `begin; lock table changes in access exclusive mode`, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	atWork := program(t.Context(), home, "admin", "--database-url", url, "backup", filepath.Join(dir, "monday.tar.zst"))
	if err := atWork.Start(); err != nil {
		t.Fatal(err)
	}
	waiting := `
		select count(*)
		from pg_locks
		join pg_database d on d.oid = database
		where datname = current_database() and locktype = 'relation' and not granted`
	for deadline := time.Now().Add(time.Minute); number(t, url, waiting) == 0; <-nextLook() {
		if time.Now().After(deadline) {
			t.Fatal("the backup did not come to the feed")
		}
	}
	if swept, err := sweepParts(dir, time.Now().Add(2*partRests)); swept != 0 || err != nil {
		t.Errorf("of a backup at work %d files were swept, %v", swept, err)
	}
	if n := len(filesBelow(t, dir)); n != 1 {
		t.Errorf("%d files, want the one that is being written", n)
	}
	if err := atWork.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = atWork.Wait() // the signal is the reason
	if _, err := gate.Exec(t.Context(), `rollback`); err != nil {
		t.Fatal(err)
	}
	if r := run(t, home, "admin", "--database-url", url, "backup", filepath.Join(dir, "monday.tar.zst")); r.code != exitOK || r.stderr != "" {
		t.Errorf("soon after: exit %d: %s", r.code, r.stderr)
	}
	for name := range filesBelow(t, dir) {
		rest(t, filepath.Join(dir, name))
	}
	if n := len(filesBelow(t, dir)); n != 2 {
		t.Errorf("%d files, want a backup and what was left", n)
	}
	r := run(t, home, "admin", "--database-url", url, "backup", filepath.Join(dir, "monday.tar.zst"))
	if r.code != exitOK || !strings.Contains(r.stderr, "removed 1 unfinished backup whose process has ended") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if got := filesBelow(t, dir); len(got) != 1 || got["monday.tar.zst"] == "" {
		t.Errorf("%d files", len(got))
	}
}

// rest makes a file one that nobody has written to for long.
func rest(t *testing.T, file string) {
	t.Helper()
	at := time.Now().Add(-partRests)
	if err := os.Chtimes(file, at, at); err != nil {
		t.Fatal(err)
	}
}

// Only files are swept that are ours by their name, nobody's by their lock, and
// at rest.
func TestSweepParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := map[string]string{"a" + partSuffix: "of somebody", ".a.part": "of another program", "a.tar.zst": "a backup"}
	for name, text := range kept {
		writeFile(t, filepath.Join(dir, name), text)
	}
	writeFile(t, filepath.Join(dir, ".a.tar.zst.1"+partSuffix), "")
	writeFile(t, filepath.Join(dir, ".b.tar.zst.2"+partSuffix), "half")
	for name := range filesBelow(t, dir) {
		rest(t, filepath.Join(dir, name))
	}
	kept[".c.tar.zst.3"+partSuffix] = "of another machine, whose lock is not seen here"
	writeFile(t, filepath.Join(dir, ".c.tar.zst.3"+partSuffix), kept[".c.tar.zst.3"+partSuffix])
	mkdir(t, filepath.Join(dir, ".folder"+partSuffix))
	if err := os.Symlink(filepath.Join(dir, "a.tar.zst"), filepath.Join(dir, ".link"+partSuffix)); err != nil {
		t.Fatal(err)
	}
	err := writeWhole(filepath.Join(dir, "new.tar.zst"), func(out io.Writer) error {
		if swept, err := sweepParts(dir, time.Now()); swept != 2 || err != nil {
			t.Errorf("%d files were swept, %v", swept, err)
		}
		_, err := io.WriteString(out, "new")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept["new.tar.zst"] = "new"
	for name, want := range kept {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != len(kept)+2 {
		t.Errorf("%d names, %v", len(names), err)
	}
}
