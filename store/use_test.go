package store_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// impatient is the address of a database to which connections that nobody uses
// are closed at once.
func impatient(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	must(t, err)
	q := u.Query()
	q.Set("pool_max_conn_idle_time", "1ms")
	q.Set("pool_health_check_period", "5ms")
	u.RawQuery = q.Encode()
	return u.String()
}

// awaitOpen asks until a store has that many connections, now and then.
func (b *bundle) awaitOpen(t *testing.T, s *store.Store, want int32) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		_, open, _ := s.Pool()
		if open == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d connections, want %d", open, want)
		}
		b.exec(t, `select pg_sleep(0.01)`)
	}
}

// A server that nobody asks anything is still seen by a restore. What has no
// connection, and comes back after it, does not go on in another instance.
func TestRestore_SeesIdleServers(t *testing.T) {
	t.Parallel()
	source := setup(t)
	source.furnish(t)
	f := backUp(t, source.url)
	target := empty(t, connect(t, source.url), "")
	must(t, store.Migrate(t.Context(), target))
	idle, err := store.Open(t.Context(), impatient(t, target), store.Options{Log: testLog(t)})
	must(t, err)
	t.Cleanup(idle.Close)
	server, err := store.Open(t.Context(), impatient(t, target), store.Options{Log: testLog(t), Serves: true})
	must(t, err)
	t.Cleanup(server.Close)
	source.awaitOpen(t, idle, 0)
	source.awaitOpen(t, server, 1)
	_, err = store.Restore(t.Context(), target, f, store.RestoreOptions{Row: restoreRow()})
	wantCode(t, err, memory.CodeConflict)
	wantText(t, err, "a teammem server is connected to this database: process ", "stop it first")
	must(t, idle.Ready(t.Context()))

	server.Close()
	source.awaitOpen(t, idle, 0)
	_, err = store.Restore(t.Context(), target, f, store.RestoreOptions{Row: restoreRow(), Progress: func(string, int64, int64) {
		err := idle.Ready(t.Context()) // while it is at work
		wantCode(t, err, memory.CodeUnavailable)
		wantText(t, err, "is being restored", "wait until")
	}})
	must(t, err)
	err = idle.Ready(t.Context())
	wantCode(t, err, memory.CodeUnavailable)
	wantText(t, err, "another instance", "start the server again")
	_, err = idle.Instance(t.Context())
	wantText(t, err, "another instance", "start the server again")
	another(t, target)
}

// A server that lost its connections does not go on in a database that was
// dropped and made anew, whatever is in it: nothing, what a restore is writing
// or has written, or an instance that another server made.
func TestUse_DatabaseMadeAnew(t *testing.T) {
	t.Parallel()
	source := setup(t)
	source.furnish(t)
	f := backUp(t, source.url)
	owner := connect(t, source.url)
	target := empty(t, owner, "")
	must(t, store.Migrate(t.Context(), target))
	idle, err := store.Open(t.Context(), impatient(t, target), store.Options{Log: testLog(t)})
	must(t, err)
	t.Cleanup(idle.Close)
	remake := func() {
		t.Helper()
		source.awaitOpen(t, idle, 0)
		name := pgx.Identifier{pathOfURL(t, target)}.Sanitize()
		for _, sql := range []string{`drop database ` + name + ` with (force)`, `create database ` + name + ` template template0`} {
			_, err := owner.Exec(t.Context(), sql)
			must(t, err)
		}
	}
	wantReplaced := func() {
		t.Helper()
		err := idle.Ready(t.Context())
		wantCode(t, err, memory.CodeUnavailable)
		wantText(t, err, "another instance", "start the server again")
	}
	remake()
	wantReplaced()
	_, err = store.Restore(t.Context(), target, f, store.RestoreOptions{Row: restoreRow(), Progress: func(string, int64, int64) {
		err := idle.Ready(t.Context()) // sees no table yet
		wantCode(t, err, memory.CodeUnavailable)
		wantText(t, err, "is being restored", "wait until")
	}})
	must(t, err)
	another(t, target) // at once: the restore has given the database back
	wantReplaced()
	remake()
	must(t, store.Migrate(t.Context(), target))
	wantReplaced()
}

// pathOfURL returns the name of a URL's database.
func pathOfURL(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	must(t, err)
	return strings.TrimPrefix(u.Path, "/")
}
