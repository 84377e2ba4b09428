package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// The queue with 500 waiting, of which a page shows 50: the budget is 50 ms.
func BenchmarkReview(b *testing.B) {
	s := setup(b)
	author := s.members[memory.RoleContributor]
	for i := range 10 {
		var ops []memory.Op
		for j := range 50 {
			ops = append(ops, memory.Op{Action: memory.ActionPut, Path: fmt.Sprintf("facts/%d-%d.md", i, j), Content: fmt.Appendf(nil, "Fact %d.\n", i*50+j)})
		}
		_, err := s.service.Push(b.Context(), principal(author), s.strict.ID, memory.Push{Epoch: s.strict.Head.Epoch, Ops: ops})
		must(b, err)
	}
	br := s.as(b, memory.RoleReviewer)
	for b.Loop() {
		br.get("/review").want(b, http.StatusOK)
	}
}

// A project of 2,000 entries, of which a page shows 100.
func BenchmarkEntries(b *testing.B) {
	s := setup(b)
	author := principal(s.members[memory.RoleContributor])
	for i := range 10 {
		var ops []memory.Op
		for j := range 200 {
			ops = append(ops, memory.Op{Action: memory.ActionPut, Path: fmt.Sprintf("area-%d/fact-%03d.md", i, j), Content: fmt.Appendf(nil, "Fact %d of area %d.\n", j, i)})
		}
		_, err := s.service.Push(b.Context(), author, s.open.ID, memory.Push{Epoch: s.open.Head.Epoch, Ops: ops})
		must(b, err)
	}
	br := s.as(b, memory.RoleViewer)
	for b.Loop() {
		br.get(view.EntriesURL(string(s.open.ID))).want(b, http.StatusOK)
	}
}

// The longest entry that there can be, in each of its views.
func BenchmarkEntry_Longest(b *testing.B) {
	s := setup(b)
	author := s.members[memory.RoleContributor]
	line := "- a fact with `code`, **weight** and a [link](other.md) of some length, as notes have them\n"
	text := strings.Repeat(line, memory.MaxEntryBytes/len(line))
	first := s.put(b, author, s.open, "long.md", text)
	s.edit(b, author, s.open, "long.md", strings.Replace(text, "fact", "truth", 1), first)
	br := s.as(b, memory.RoleViewer)
	entry := view.EntryURL(string(s.open.ID), string(first.EntryID))
	for _, page := range []struct{ name, path string }{{"Source", ""}, {"Rendered", "?view=rendered"}, {"Diff", "/diff"}, {"Raw", "/raw"}} {
		b.Run(page.name, func(b *testing.B) {
			for b.Loop() {
				br.get(entry+page.path).want(b, http.StatusOK)
			}
		})
	}
}
