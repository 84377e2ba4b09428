package testdb

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Env names the variable with the address of the cluster.
const Env = "TEAMMEM_TEST_DATABASE_URL"

// shared is the cluster of this process, connected to by its first test.
var shared = sync.OnceValues(func() (*cluster, error) { return connect(context.Background(), schema()) })

// New returns the address of a database for this test alone.
func New(t testing.TB) string {
	t.Helper()
	c := use(t)
	name := c.newName()
	if err := c.copyTemplate(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("database %s stays until the next run on this cluster", name)
			return
		}
		if err := c.drop(context.WithoutCancel(t.Context()), name); err != nil {
			t.Error(err)
		}
	})
	return c.address(name)
}

// Tx returns a transaction that is rolled back when the test ends.
func Tx(t testing.TB) pgx.Tx {
	t.Helper()
	pool, err := use(t).scratch()
	if err != nil {
		t.Fatal(err)
	}
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tx.Rollback(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("roll the test's transaction back: %v", err)
		}
	})
	return tx
}

func use(t testing.TB) *cluster {
	t.Helper()
	c, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
