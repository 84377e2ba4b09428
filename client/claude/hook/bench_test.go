package hook

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// BenchmarkEntries reads what a big team's entries say of themselves, which a
// session waits for.
func BenchmarkEntries(b *testing.B) {
	m := newMember(b, "http://127.0.0.1:1")
	const many = 10_000
	k := client.Known{}
	for n := range many {
		disk := fmt.Sprintf("topic-%d/note-%d.md", n%50, n)
		text := fmt.Sprintf("---\nname: note-%d\ndescription: What the team knows of number %d\ntype: feedback\n---\n\n%01500d\n", n, n, n)
		m.write(m.team(disk), text)
		k.Entries = append(k.Entries, client.KnownEntry{Path: path1(b, disk), Disk: disk, Sum: memory.Sum([]byte(text)), At: time.Unix(int64(n), 0)})
	}
	s := session{Hooks: m.hooks(), link: m.link}
	for b.Loop() {
		if got := s.toldEntries(context.Background(), k, toldOf{}); len(got) != many {
			b.Fatalf("%d entries", len(got))
		}
	}
}

// BenchmarkRemembered is what it costs once they were read.
func BenchmarkRemembered(b *testing.B) {
	m := newMember(b, "http://127.0.0.1:1")
	told := toldOf{Epoch: "e", Seq: 10_000, Entries: map[string]toldEntry{}}
	for n := range 10_000 {
		told.Entries[fmt.Sprintf("topic-%d/note-%d.md", n%50, n)] = toldEntry{
			Rev: int64(n), Kind: memory.KindFeedback, Description: fmt.Sprintf("What the team knows of number %d, in a sentence of the usual length", n),
		}
	}
	s := m.hooks().state
	for b.Loop() {
		told.Seq++
		m.must(save(s.linkFile(m.link), told))
		if got, ok := load(s.linkFile(m.link)); !ok || len(got.Entries) != len(told.Entries) {
			b.Fatal("not remembered")
		}
	}
}

// BenchmarkFind is what a call pays that concerns nobody's team/.
func BenchmarkFind(b *testing.B) {
	m := newMember(b, "http://127.0.0.1:1")
	links := []client.Link{m.link}
	file := m.at("app", "cmd", "main.go")
	for b.Loop() {
		if _, ok := find(links, m.at("app"), file); ok {
			b.Fatal("found")
		}
	}
}
