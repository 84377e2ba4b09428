//go:build unix

package tree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/memory"
)

// fill writes n entries of a usual size into folders of a usual size.
func fill(b *bundle, n int) (disks []string) {
	b.Helper()
	text := strings.Repeat("what an agent learned\n", 100)
	for i := range n {
		disk := fmt.Sprintf("topic-%02d/note-%05d.md", i/100, i)
		b.write(disk, text)
		disks = append(disks, disk)
	}
	return disks
}

// reportCPU reports the processor time per operation as well: on a machine that
// others use, it is the figure that repeats.
func reportCPU(b *testing.B) (report func()) {
	b.Helper()
	used := func() time.Duration {
		var u unix.Rusage
		must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start := used()
	return func() { b.ReportMetric(float64((used()-start).Nanoseconds())/float64(b.N), "cpu-ns/op") }
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		t := setup(b)
		fill(t, n)
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			defer reportCPU(b)()
			for b.Loop() {
				if got := len(t.list().Files); got != n {
					b.Fatalf("got %d files", got)
				}
			}
		})
		// The least that finds out what changed: names and one stat each.
		b.Run(fmt.Sprintf("floor=%d", n), func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				must(b, filepath.WalkDir(t.dir, func(_ string, e os.DirEntry, err error) error {
					if err == nil {
						_, err = e.Info()
					}
					return err
				}))
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	t := setup(b)
	disks := fill(t, 1_000)
	b.Run("tree", func(b *testing.B) {
		b.ReportAllocs()
		defer reportCPU(b)()
		for i := 0; b.Loop(); i++ {
			_, _, err := t.Read(b.Context(), disks[i%len(disks)], Stamp{})
			must(b, err)
		}
	})
	b.Run("floor", func(b *testing.B) {
		defer reportCPU(b)()
		for i := 0; b.Loop(); i++ {
			_, err := os.ReadFile(filepath.Join(t.dir, disks[i%len(disks)]))
			must(b, err)
		}
	})
}

// BenchmarkPut writes 1,000 entries, as the first sync of a project does, and
// replaces them.
func BenchmarkPut(b *testing.B) {
	const n = 1_000
	texts := [2][]byte{[]byte(strings.Repeat("one text\n", 250)), []byte(strings.Repeat("other one\n", 250))}
	put := func(b *testing.B, t *bundle, now int, expect memory.Hash) {
		batch := t.Begin()
		for i := range n {
			disk := fmt.Sprintf("topic-%02d/note-%05d.md", i/100, i)
			batch.Put(memory.StoredPath(disk), disk, texts[now], time.Unix(1_700_000_000, 0), expect)
		}
		results, err := batch.Commit(b.Context())
		must(b, err)
		for _, r := range results {
			must(b, r.Err)
			must(b, r.Left)
		}
	}
	b.Run("new", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			b.StopTimer()
			t := setup(b)
			b.StartTimer()
			put(b, t, 0, memory.Hash{})
		}
	})
	b.Run("replaced", func(b *testing.B) {
		t := setup(b)
		put(b, t, 0, memory.Hash{})
		defer reportCPU(b)()
		for i := 1; b.Loop(); i++ {
			put(b, t, i%2, memory.Sum(texts[1-i%2]))
		}
	})
	// The least that is durable and never shows half a file.
	b.Run("floor", func(b *testing.B) {
		defer reportCPU(b)()
		for b.Loop() {
			b.StopTimer()
			t := setup(b)
			b.StartTimer()
			for i := range n {
				name := filepath.Join(t.dir, fmt.Sprintf("topic-%02d/note-%05d.md", i/100, i))
				must(b, os.MkdirAll(filepath.Dir(name), 0o700))
				must(b, os.WriteFile(name+".tmp", texts[0], 0o600))
				must(b, os.Rename(name+".tmp", name))
			}
			f, err := os.Open(t.dir)
			must(b, err)
			must(b, flush(f))
			must(b, f.Close())
		}
	})
}
