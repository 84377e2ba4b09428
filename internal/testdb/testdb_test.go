package testdb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func value(t *testing.T, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var v string
	if err := conn.QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func TestNew_MigratedAndApart(t *testing.T) {
	var dropped string
	t.Run("use", func(t *testing.T) {
		a, b := New(t), New(t)
		if a == b {
			t.Fatal("the same database twice")
		}
		if got := value(t, a, `select to_regclass('schema_migrations')::text`); got != "schema_migrations" {
			t.Errorf("not migrated: %q", got)
		}
		conn, err := pgx.Connect(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		// It stays open: what a test leaves behind is not in the way.
		if _, err := conn.Exec(t.Context(), `create table mine ()`); err != nil {
			t.Fatal(err)
		}
		if got := value(t, b, `select coalesce(to_regclass('mine')::text, 'apart')`); got != "apart" {
			t.Errorf("the other database has the table %q", got)
		}
		dropped = conn.Config().Database
	})
	if names := databases(t, dropped); len(names) > 0 {
		t.Errorf("a passed test left %s", names)
	}
}

func databases(t *testing.T, start string) []string {
	t.Helper()
	names, err := use(t).databases(t.Context(), start)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func dropAtEnd(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() {
		if err := use(t).drop(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
}

func TestTx_RolledBack(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			if _, err := Tx(t).Exec(t.Context(), `create table rolled_back ()`); err != nil {
				t.Error(err)
			}
		})
	}
}

// recorder is a test that fails without ending ours.
type recorder struct {
	testing.TB
	failed  bool
	cleanup []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Cleanup(f func())  { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Failed() bool      { return r.failed }
func (r *recorder) Fatal(args ...any) { r.Log(args...); r.failed = true; runtime.Goexit() }

func TestNew_FailedTestKeepsItsDatabase(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	address := New(r)
	r.failed = true
	for _, f := range slices.Backward(r.cleanup) {
		f()
	}
	_, name, _ := strings.Cut(address, prefix)
	name, _, _ = strings.Cut(prefix+name, "?")
	if len(databases(t, name)) == 0 {
		t.Errorf("database %s is gone", name)
	}
	dropAtEnd(t, name)
}

func TestPrepare_DropsWhatEarlierRunsLeft(t *testing.T) {
	t.Parallel()
	c := use(t)
	const over, going = 1<<30 + 1, 1<<30 + 2
	// Before its database is there, or another package that prepares would drop it.
	other, err := pgx.Connect(t.Context(), c.base.String())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(t.Context())
	if _, err := other.Exec(t.Context(), `select pg_advisory_lock_shared($1, $2)`, lockClass, going); err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	for _, run := range []int{over, going} {
		names[run] = fmt.Sprintf("%s%d_1_%d", prefix, run, os.Getpid())
		if err := c.exec(t.Context(), `create database %s`, names[run]); err != nil {
			t.Fatal(err)
		}
		dropAtEnd(t, names[run])
	}
	mine := c.newName()
	if err := c.copyTemplate(t.Context(), mine); err != nil {
		t.Fatal(err)
	}
	dropAtEnd(t, mine)

	again, err := connect(t.Context(), c.template)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what, name string
		want       int
	}{
		{"a run that is over", names[over], 0},
		{"a run that is going on", names[going], 1},
		{"this run", mine, 1},
	} {
		if got := databases(t, tt.name); len(got) != tt.want {
			t.Errorf("of %s: %v", tt.what, got)
		}
	}
	again.admin.Reset() // its connections end with the process
}

func TestConnect_MigrationFails(t *testing.T) {
	t.Parallel()
	broken := template{name: fmt.Sprintf("teammem_template_broken_%d", os.Getpid())}
	fault := errors.New("no such table")
	broken.migrate = func(context.Context, string) error { return fault }
	if _, err := connect(t.Context(), broken); !errors.Is(err, fault) {
		t.Errorf("got %v", err)
	}
	if got := databases(t, broken.name); !slices.Equal(got, []string{broken.name + "_new"}) {
		t.Errorf("left %v", got)
	}
	// Mended, it is made anew.
	broken.migrate = func(context.Context, string) error { return nil }
	c, err := connect(t.Context(), broken)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range databases(t, broken.name) {
		if err := c.drop(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
}

func TestConnect_WithoutCluster(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"not set", "", "make test"},
		{"no address", "host=/tmp dbname=x", "postgres://"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(Env, tt.value)
			_, err := connect(t.Context(), schema())
			if err == nil || !strings.Contains(err.Error(), Env) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
