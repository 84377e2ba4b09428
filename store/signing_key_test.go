package store_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func signingKey(id string, signs time.Duration) memory.SigningKey {
	return memory.SigningKey{
		ID: id, Public: bytes.Repeat([]byte{1}, 32), Sealed: []byte("sealed " + id), CreatedAt: start(), SignsFrom: start().Add(signs),
	}
}

func keyAdded(id string) memory.AuditRow {
	return memory.AuditRow{At: start(), Action: "key.add", Object: id}
}

// Servers that start at the same time end up with one key.
func TestFirstSigningKey_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			id := fmt.Sprint("key ", i)
			if err := b.FirstSigningKey(t.Context(), signingKey(id, 0), keyAdded(id)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	keys, err := b.SigningKeys(t.Context())
	must(t, err)
	if len(keys) != 1 || b.audited(t, "key.add", "") != 1 {
		t.Errorf("%d keys, %d rows", len(keys), b.audited(t, "key.add", ""))
	}
	b.check(t)
}

func TestSigningKeys_InTheirOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	last, first, next := signingKey("a", time.Hour), signingKey("b", 0), signingKey("c", time.Minute)
	for _, k := range []memory.SigningKey{last, first, next} {
		must(t, b.AddSigningKey(t.Context(), k, false, keyAdded(k.ID)))
	}
	got, err := b.SigningKeys(t.Context())
	must(t, err)
	if diff := cmp.Diff([]memory.SigningKey{first, next, last}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	alone := signingKey("d", 0)
	must(t, b.AddSigningKey(t.Context(), alone, true, keyAdded(alone.ID)))
	got, err = b.SigningKeys(t.Context())
	must(t, err)
	if diff := cmp.Diff([]memory.SigningKey{alone}, got); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	b.check(t)
}
