package api

import (
	"container/list"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/memory"
)

const (
	keptBytes   = 64 << 20 // of pages that are kept
	keptChanges = 100      // in a page, from which on it is kept
)

// keptPages keeps the changes of large pages as they travel, since each new
// member asks for the same ones. A page is only looked for by a key that was
// just read from the database, for a caller who may have it. What was used
// longest ago makes room, and the pages that all new members ask for last: there
// are as many others as there are cursors, and whoever asks for them on purpose
// takes nothing from new members.
type keptPages struct {
	most    int
	metrics *Metrics
	zstd    *zstd.Encoder

	mu    sync.Mutex
	byKey map[memory.PageKey]*list.Element
	order list.List // of *keptPage, the last used first
	bytes int
}

type keptPage struct {
	key     memory.PageKey
	common  bool // each new member asks for it
	changes []byte
}

func newKeptPages(most int, m *Metrics) *keptPages {
	// A frame's window is memory of whoever unpacks it.
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(2), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return &keptPages{most: most, metrics: m, zstd: z, byKey: map[memory.PageKey]*list.Element{}}
}

// pack compresses a part of an answer. Such parts can be sent one after another.
func (k *keptPages) pack(part []byte) []byte { return k.zstd.EncodeAll(part, nil) }

// get returns the changes of a page; nil if they are not kept.
func (k *keptPages) get(key memory.PageKey) []byte {
	if key.To-key.From < keptChanges {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.byKey[key]
	if !ok {
		k.dropEnded(key)
		return nil
	}
	k.order.MoveToFront(e)
	k.metrics.keptPage()
	return e.Value.(*keptPage).changes
}

// has reports whether a page is kept.
func (k *keptPages) has(key memory.PageKey) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.byKey[key]
	return ok
}

// add packs the changes of a page, and keeps them.
func (k *keptPages) add(key memory.PageKey, common bool, changes []byte) []byte {
	packed := k.pack(changes)
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, there := k.byKey[key]; there || len(packed) > k.most {
		return packed
	}
	k.byKey[key] = k.order.PushFront(&keptPage{key, common, packed})
	k.bytes += len(packed)
	for k.bytes > k.most {
		k.drop(k.leastUsed())
	}
	k.metrics.keptSize(k.bytes)
	return packed
}

// leastUsed is the page that makes room.
func (k *keptPages) leastUsed() *list.Element {
	for e := k.order.Back(); e != nil; e = e.Prev() {
		if !e.Value.(*keptPage).common {
			return e
		}
	}
	return k.order.Back()
}

// dropEnded lets go of what the project's history had before it was rewritten.
func (k *keptPages) dropEnded(now memory.PageKey) {
	for key, e := range k.byKey {
		if key.Project == now.Project && (key.Epoch != now.Epoch || key.Floor != now.Floor || key.Rewrites != now.Rewrites) {
			k.drop(e)
		}
	}
	k.metrics.keptSize(k.bytes)
}

func (k *keptPages) drop(e *list.Element) {
	p := k.order.Remove(e).(*keptPage)
	delete(k.byKey, p.key)
	k.bytes -= len(p.changes)
}
