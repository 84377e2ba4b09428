package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/store/embedded"
)

// The disk of a private Postgres is full: pushes are refused with the reason,
// reads go on, and once there is room everything does, with all that was
// acknowledged, even if Postgres had to give up meanwhile.
func TestFault_DatabaseDisk(t *testing.T) {
	t.Parallel()
	if !withOwnMounts(t) {
		return
	}
	tm := &team{dir: privateFolder(t)}
	data := filepath.Join(tm.dir, "instance")
	d := mountDisk(t, data, "size=128m,mode=0711")
	tm.admin = []string{"admin", "--data", data}
	tm.start(t, anyPort())
	tm.must(t, append(tm.admin, "project", "add", "acme/app")...)
	a, b := tm.join(t, "mara"), tm.join(t, "jo")
	a.write(t, "first.md", "acknowledged\n")
	a.sync(t, 0)

	d.fill(t)
	for n := range 3 {
		a.write(t, fmt.Sprintf("large/%d.md", n), incompressible(60<<10))
	}
	r := a.sync(t, exitRetry)
	_, id, found := strings.Cut(r.stderr, "the reason is in its log, at request ")
	if !found {
		t.Errorf("the push does not say where the reason is:\n%s", r.stderr)
	}
	b.sync(t, 0)
	if got := b.read(t, "first.md"); got != "acknowledged\n" {
		t.Errorf("read %q", got)
	}
	d.free(t)
	a.sync(t, 0)
	b.sync(t, 0)
	equalTrees(t, a, b)

	d.fill(t)
	tm.exhaustLog(t, data)
	b.write(t, "second.md", "in the meantime\n")
	b.sync(t, exitRetry)
	d.free(t)
	tm.awaitReady(t)
	b.sync(t, 0)
	a.sync(t, 0)
	equalTrees(t, a, b)
	digests(t, a, b)
	tm.stop(syscall.SIGTERM)
	reason := false
	for line := range strings.Lines(tm.log.String()) {
		reason = reason || strings.Contains(line, strings.TrimSpace(id)) && strings.Contains(line, "SQLSTATE 53100: its disk is full")
	}
	if !reason || !strings.Contains(tm.log.String(), "postgres ended") {
		t.Errorf("the log does not tell the reason:\n%s", tm.log)
	}
}

// exhaustLog lets Postgres need a new file for its log until it gives up, and
// cannot recover either.
func (tm *team) exhaustLog(t *testing.T, data string) {
	t.Helper()
	c, err := embedded.Open(t.Context(), data, embedded.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // it is broken by then
	for range 20 {
		if _, err = conn.Exec(t.Context(), "select pg_logical_emit_message(true, 'x', 'x'), pg_switch_wal()"); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("Postgres goes on with a full disk")
	}
	for deadline := time.Now().Add(time.Minute); ; <-time.After(20 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(data, "postgres", "postmaster.pid")); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("Postgres does not end")
		}
	}
}

// incompressible is a text of so many bytes that takes them on disk as well.
func incompressible(size int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz012345"
	text := make([]byte, size)
	for i := range text {
		text[i] = letters[rand.IntN(len(letters))]
		if i%80 == 79 {
			text[i] = '\n'
		}
	}
	return string(text)
}
