package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/memory"
)

// keyRecords is a table of signing keys.
type keyRecords struct {
	keys  []memory.SigningKey
	reads int
	err   error
}

func (r *keyRecords) SigningKeys(context.Context) ([]memory.SigningKey, error) {
	r.reads++
	return slices.Clone(r.keys), r.err
}

// instanceKeys is a table with one key in it, and the master key of it.
type instanceKeys struct {
	now     time.Time
	master  *MasterKey
	records *keyRecords
}

func newInstanceKeys(t *testing.T) *instanceKeys {
	t.Helper()
	i := &instanceKeys{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), master: master(t), records: &keyRecords{}}
	i.publish(t, true)
	return i
}

func master(t *testing.T) *MasterKey {
	t.Helper()
	m, err := ParseMasterKey(MintMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (i *instanceKeys) publish(t *testing.T, atOnce bool) memory.SigningKey {
	t.Helper()
	k, err := NewSigningKey(i.master, i.now, atOnce)
	if err != nil {
		t.Fatal(err)
	}
	i.records.keys = append(i.records.keys, k)
	return k
}

// server is a process that reads the keys now.
func (i *instanceKeys) server(t *testing.T) (*StoredKeys, *AccessTokens) {
	t.Helper()
	clock := func() time.Time { return i.now }
	keys, err := OpenKeys(t.Context(), i.records, i.master, clock)
	if err != nil {
		t.Fatal(err)
	}
	return keys, NewAccessTokens(keys, instance, clock)
}

// Two servers trust each other's tokens through a whole rotation, whichever of
// them has read the next key.
func TestStoredKeys_Rotation(t *testing.T) {
	t.Parallel()
	i := newInstanceKeys(t)
	first := i.records.keys[0]
	oldKeys, old := i.server(t)
	next := i.publish(t, false)
	_, fresh := i.server(t)
	begin := i.now

	for _, step := range []struct {
		after time.Duration
		signs string
	}{{0, first.ID}, {59 * time.Second, first.ID}, {60 * time.Second, next.ID}, {24 * time.Hour, next.ID}} {
		i.now = begin.Add(step.after)
		if got, err := fresh.keys.Ring().signer(i.now); err != nil || got.id != step.signs {
			t.Errorf("after %v: %s signs, want %s", step.after, got.id, step.signs)
		}
	}

	i.now = begin.Add(time.Minute)
	token := mintFor(t, fresh)
	if _, err := old.Verify(token); !errors.Is(err, errUnknownKey) {
		t.Errorf("an unknown key: %v", err)
	}
	if !oldKeys.Reread(t.Context()) {
		t.Error("the keys were not read again")
	}
	for name, server := range map[string]*AccessTokens{"the older": old, "the newer": fresh} {
		if _, err := server.Verify(token); err != nil {
			t.Errorf("%s server: %v", name, err)
		}
	}
}

// A predecessor verifies what it signed to the end, and nothing after that.
func TestStoredKeys_Retirement(t *testing.T) {
	t.Parallel()
	i := newInstanceKeys(t)
	keys, server := i.server(t)
	i.publish(t, false)
	i.now = i.now.Add(publishedFor - time.Second)
	last := mintFor(t, server) // the last second in which the first key signs
	for _, tt := range []struct {
		after time.Duration
		good  bool
	}{{time.Minute, true}, {SyncLife, true}, {SyncLife + 2*time.Minute, false}} {
		begin := i.now
		i.now = begin.Add(tt.after)
		if err := keys.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Verify(last); (err == nil) != tt.good {
			t.Errorf("after %v: %v", tt.after, err)
		}
		i.now = begin
	}
	i.now = i.now.Add(SyncLife + 2*time.Minute)
	if got := len(keys.Ring().Public()); got != 1 {
		t.Errorf("%d keys are in force", got)
	}
}

// A server that cannot open the next keys, because it has another master key,
// stops trusting those that were given up all the same.
func TestStoredKeys_GivenUp(t *testing.T) {
	t.Parallel()
	i := newInstanceKeys(t)
	keys, server := i.server(t)
	leaked, kept := mintFor(t, server), i.publish(t, true)
	if err := keys.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	good := mintFor(t, server)
	i.records.keys, i.master = []memory.SigningKey{kept}, master(t)
	i.publish(t, false)
	if err := keys.Load(t.Context()); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("got %v", err)
	}
	if _, err := server.Verify(leaked); err == nil {
		t.Error("the key that was given up still verifies")
	}
	if _, err := server.Verify(good); err != nil {
		t.Errorf("the key that was kept: %v", err)
	}
	i.records.keys = i.records.keys[1:]
	if err := keys.Load(t.Context()); memory.CodeOf(err) != memory.CodeForbidden {
		t.Errorf("got %v", err)
	}
	_, _, err := server.Mint(memory.Member{ID: "mem_a"}, memory.Device{ID: "dev_a"}, memory.ScopeRead)
	if memory.CodeOf(err) != memory.CodeUnavailable {
		t.Errorf("signed without a key: %v", err)
	}
}

// Tokens can name any key: looking for them must not keep the database busy.
func TestStoredKeys_MadeUpKids(t *testing.T) {
	t.Parallel()
	i := newInstanceKeys(t)
	f := setup(t)
	keys, access := i.server(t)
	f.now, f.auth = i.now, NewAuthenticator(f.records, access, func() time.Time { return i.now })
	forged := "Bearer " + f.forge(map[string]any{"kid": "made-up"}, nil, nil)
	before := i.records.reads
	for range 100 {
		if _, err := f.auth.Authenticate(t.Context(), forged); memory.CodeOf(err) != memory.CodeUnauthenticated {
			t.Fatalf("got %v", err)
		}
	}
	if n := i.records.reads - before; n != asksPerMinute {
		t.Errorf("%d reads for 100 tokens", n)
	}
	// A database that does not answer leaves the keys that are known.
	i.now, i.records.err = i.now.Add(time.Hour), errors.New("gone")
	if keys.Reread(t.Context()) || len(keys.Ring().Public()) != 1 {
		t.Error("the keys are gone with the database")
	}
}

func TestStoredKeys_Refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(*testing.T, *instanceKeys)
		want  memory.Code
	}{
		{"another master key", func(t *testing.T, i *instanceKeys) { t.Helper(); i.master = master(t) }, memory.CodeForbidden},
		{"changed ciphertext", func(_ *testing.T, i *instanceKeys) { i.records.keys[0].Sealed[20] ^= 1 }, memory.CodeForbidden},
		{"cut ciphertext", func(_ *testing.T, i *instanceKeys) { i.records.keys[0].Sealed = i.records.keys[0].Sealed[:5] }, memory.CodeForbidden},
		{"ciphertext of another key", func(t *testing.T, i *instanceKeys) {
			t.Helper()
			i.records.keys[0].Sealed = i.publish(t, true).Sealed
		}, memory.CodeForbidden},
		{"another public half", func(_ *testing.T, i *instanceKeys) { i.records.keys[0].Public[0] ^= 1 }, memory.CodeInternal},
		{"no seed", func(_ *testing.T, i *instanceKeys) {
			i.records.keys[0].Sealed = i.master.seal(i.records.keys[0].ID, []byte("short"))
		}, memory.CodeInternal},
		{"the same key twice", func(_ *testing.T, i *instanceKeys) { i.records.keys = append(i.records.keys, i.records.keys[0]) }, memory.CodeInternal},
		{"no key", func(_ *testing.T, i *instanceKeys) { i.records.keys = nil }, memory.CodeInternal},
		{"no database", func(_ *testing.T, i *instanceKeys) { i.records.err = &memory.Error{Code: memory.CodeUnavailable} }, memory.CodeUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := newInstanceKeys(t)
			tt.spoil(t, i)
			_, err := OpenKeys(t.Context(), i.records, i.master, func() time.Time { return i.now })
			if err == nil || memory.CodeOf(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestParseMasterKey(t *testing.T) {
	t.Parallel()
	long := func(n int, b byte) string {
		return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(b), n)))
	}
	good := MintMasterKey()
	for name, text := range map[string]string{"as minted": good, "with a line break": good + "\n", "with another system's": good + "\r\n"} {
		if _, err := ParseMasterKey(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"empty": "", "short": long(31, 'x'), "long": long(33, 'x'), "zeros": long(32, 0), "one byte": long(32, 'x'),
		"no base64": strings.Repeat("!", 44), "url base64": strings.Repeat("_-", 21) + "8=", "two": good + good,
	} {
		if _, err := ParseMasterKey(text); err == nil {
			t.Errorf("%s: accepted", name)
		} else if len(text) > 8 && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error quotes it", name)
		}
	}
}

func mintFor(t *testing.T, a *AccessTokens) string {
	t.Helper()
	token, _, err := a.Mint(memory.Member{ID: "mem_a"}, memory.Device{ID: "dev_a"}, memory.ScopeRead)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
