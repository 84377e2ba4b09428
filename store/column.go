package store

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// ids returns what Postgres takes as text[].
func ids[ID ~string](list []ID) []string {
	out := make([]string, len(list))
	for i, id := range list {
		out[i] = string(id)
	}
	return out
}

// sums returns what Postgres takes as bytea[].
func sums(list []memory.Hash) [][]byte {
	out := make([][]byte, len(list))
	for i, h := range list {
		out[i] = h[:]
	}
	return out
}

// nullable returns nil for the zero hash: nothing was there.
func nullable(h memory.Hash) []byte {
	if h.IsZero() {
		return nil
	}
	return h[:]
}

// hash reads what nullable wrote.
func hash(column []byte) memory.Hash {
	if column == nil {
		return memory.Hash{}
	}
	return memory.Hash(column)
}

func nonZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// value returns the zero value for null.
func value[T any](column *T) T {
	if column == nil {
		var zero T
		return zero
	}
	return *column
}

// when returns null for the zero time.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func scopes(column []string) []memory.Scope {
	var list []memory.Scope
	for _, s := range column {
		list = append(list, memory.Scope(s))
	}
	return list
}
