package main

import (
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// story is what a server says that a project has.
type story []wire.Change

// tell adds a change, with the next number.
func (s *story) tell(id, path, text string) *wire.Change {
	n := int64(len(*s) + 1)
	content := wire.Text(text)
	*s = append(*s, wire.Change{
		Seq: n, EntryID: id, Op: "put", Path: path, Rev: n, SHA256: memory.Sum(content).String(), Size: len(content), Content: &content, At: time.Unix(1_700_000_000, 0).UTC(),
		Author: wire.Author{Member: "mem_y", Name: "y"},
	})
	return &(*s)[n-1]
}

// digest is that of the entries after the first so many changes, as far as their
// names are allowed.
func (s story) digest(after int) (d memory.Digest) {
	newest := map[string]wire.Change{}
	for _, c := range s[:after] {
		newest[c.EntryID] = c
	}
	for _, c := range newest {
		if path, err := memory.ParseServedPath(c.Path); err == nil {
			sum, _ := memory.ParseHash(c.SHA256)
			d.Add(path, sum)
		}
	}
	return d
}

// feed is the page after a change.
func (s story) feed(since int64) wire.Feed {
	n := int64(len(s))
	return wire.Feed{Epoch: "e1", From: since, To: n, Head: n, Digest: s.digest(len(s)).String(), Changes: s[since:]}
}

// honest tells the story as a server would that hides nothing.
func (s story) honest() hostile {
	return hostile{feed: func(w http.ResponseWriter, r *http.Request) {
		since := sinceOf(r)
		head := memory.Head{Epoch: "e1", Seq: min(since, int64(len(s)))}
		head.Digest = s.digest(int(head.Seq))
		switch have := r.Header.Get("If-None-Match"); {
		case since > head.Seq:
			problem(w, &memory.Error{Code: memory.CodeCursorAhead, Message: "x", Head: &head})
		case have != "" && have != strconv.Quote(head.Tag()):
			problem(w, &memory.Error{Code: memory.CodeHistoryForked, Message: "x", Head: &head})
		default:
			answerJSON(w, s.feed(since))
		}
	}, rest: s.more}
}

// sinceOf is the change after which somebody asks for what is new.
func sinceOf(r *http.Request) int64 {
	_, seq, _ := strings.Cut(r.URL.Query().Get("since"), ":")
	since, _ := strconv.ParseInt(seq, 10, 64) // 0 without
	return since
}

func problem(w http.ResponseWriter, e *memory.Error) {
	w.Header().Set("Content-Type", wire.ProblemType)
	w.WriteHeader(wire.Status(e.Code))
	answerJSON(w, wire.NewProblem(e))
}

// more answers for texts and the list of all entries, and takes no change.
func (s story) more(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	switch _, call, _ := strings.Cut(r.URL.Path, hostileProject+"/"); call {
	case "contents":
		s.contents(w, body)
	case "manifest":
		s.manifest(w)
	case "push":
		var push wire.Push
		if err := wire.Decode(body, &push); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		no := wire.NewProblem(&memory.Error{Code: memory.CodeForbidden, Message: "nothing is taken here"})
		answer := wire.Receipt{Epoch: "e1", Head: int64(len(s)), Digest: s.digest(len(s)).String()}
		for range push.Ops {
			answer.Results = append(answer.Results, wire.Result{Verdict: string(memory.RulingRefused), Problem: &no})
		}
		answerJSON(w, answer)
	default:
		http.NotFound(w, r)
	}
}

func (s story) contents(w http.ResponseWriter, body []byte) {
	var asked wire.ContentsRequest
	if err := wire.Decode(body, &asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var all wire.Contents
	for _, ref := range asked.Items {
		for _, c := range s {
			if c.EntryID == ref.EntryID && c.Rev == ref.Rev {
				text := string(*c.Content)
				all.Items = append(all.Items, wire.Content{EntryID: ref.EntryID, Rev: ref.Rev, SHA256: c.SHA256, Content: &text})
			}
		}
	}
	answerJSON(w, all)
}

func (s story) manifest(w http.ResponseWriter) {
	at := map[string]int{}
	m := wire.Manifest{Epoch: "e1", Seq: int64(len(s)), Digest: s.digest(len(s)).String(), Entries: []wire.ManifestEntry{}}
	for _, c := range s {
		i, known := at[c.EntryID]
		if !known {
			i = len(m.Entries)
			at[c.EntryID], m.Entries = i, append(m.Entries, wire.ManifestEntry{})
		}
		m.Entries[i] = wire.ManifestEntry{EntryID: c.EntryID, Path: c.Path, Rev: c.Rev, SHA256: c.SHA256, Size: c.Size, UpdatedAt: c.At}
	}
	count := len(m.Entries)
	m.Count = &count
	answerJSON(w, m)
}

// Whatever a server claims, nothing is written outside of team/, the run says what
// is wrong, and once the server tells the truth, what is true is in its place.
func TestHostile_Claims(t *testing.T) {
	t.Parallel()
	tags := "read this" + string([]rune{0xE0041, 0xE0042}) + " planted\n"
	for name, tt := range map[string]struct {
		lie  func(s *story)     // between the good entries
		page func(f *wire.Feed) // and of the page; nil: nothing
		code int                // of the first run
		want string             // in what it says
		not  string             // in a file of team/
	}{
		"one path twice": {lie: func(s *story) {
			s.tell("ent_1", "twice.md", "planted 1\n")
			s.tell("ent_2", "twice.md", "planted 2\n")
		}, code: exitRefused, want: "two entries of this name", not: "planted 2"},
		"one path in two forms": {lie: func(s *story) {
			s.tell("ent_1", "caf\u00e9.md", "planted 1\n")
			s.tell("ent_2", "cafe\u0301.md", "planted 2\n")
		}, code: exitRefused, want: "two entries of this name", not: "planted 2"},
		"one path in two cases": {lie: func(s *story) {
			s.tell("ent_1", "Case.md", "planted 1\n")
			s.tell("ent_2", "case.md", "planted 2\n")
		}, code: exitRefused, want: "case at byte 0", not: "planted 2"},
		"a file and a folder": {lie: func(s *story) {
			s.tell("ent_1", "a/b.md", "planted 1\n")
			s.tell("ent_2", "A/c.md", "planted 2\n")
		}, code: exitRefused, want: "case at byte 0", not: "planted 2"},
		"one entry twice": {lie: func(s *story) {
			s.tell("ent_1", "one.md", "planted 1\n")
			s.tell("ent_1", "two.md", "planted 2\n")
		}, not: "planted 1"},
		"hidden text": {lie: func(s *story) {
			s.tell("ent_1", "hidden.md", tags)
		}, code: exitRefused, want: "hidden.md (text_rejected, hidden at byte 9)", not: "planted"},
		"a break in a word": {lie: func(s *story) {
			s.tell("ent_1", "word.md", "plan\u200bted\n")
		}, want: "word.md came with what nobody sees: U+200B ZERO WIDTH SPACE inside a word"},
		"many breaks in words": {lie: func(s *story) {
			s.tell("ent_1", "hidden.md", strings.Repeat("plan\u200bted ", 60)+tags)
		}, code: exitRefused, want: "hidden.md (text_rejected", not: "ted"},
		"a long hidden text": {lie: func(s *story) {
			s.tell("ent_1", "hidden.md", strings.Repeat("long\n", 20_000)+tags)
			(*s)[len(*s)-1].Size = 1
		}, code: exitRefused, want: "hidden.md (text_rejected, hidden at byte", not: "planted"},
		"a text for another program": {lie: func(s *story) {
			s.tell("ent_1", "zero.md", "planted\x00\n")
		}, code: exitRefused, want: "zero.md (text_rejected", not: "planted"},
		"a text that is too large": {lie: func(s *story) {
			s.tell("ent_1", "large.md", strings.Repeat("planted\n", 64<<10))
		}, code: exitRetry, want: "large.md", not: "planted"},
		"times far away": {lie: func(s *story) {
			s.tell("ent_1", "early.md", "planted\n").At = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
			s.tell("ent_2", "late.md", "planted\n").At = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		}},
		"sizes that are none": {lie: func(s *story) {
			s.tell("ent_1", "less.md", "planted\n").Size = -1 << 62
			s.tell("ent_2", "more.md", "planted\n").Size = 1 << 62
		}},
		"revisions from the end of numbers": {lie: func(s *story) {
			s.tell("ent_1", "last.md", "planted\n").Rev = math.MaxInt64
		}, page: func(f *wire.Feed) { f.To, f.Head = math.MaxInt64, math.MaxInt64 }},
		"revisions from before numbers": {lie: func(s *story) {
			s.tell("ent_1", "first.md", "planted\n").Rev = math.MinInt64
		}, code: exitUsage, want: "breaks the protocol", not: "planted"},
		"another digest": {lie: func(*story) {}, page: func(f *wire.Feed) { f.Digest = memory.Digest{}.String() }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lies, truth story
			for _, s := range []*story{&lies, &truth} {
				s.tell("ent_good1", "good/first.md", "good 1\n")
				if s == &lies {
					tt.lie(s)
				}
				s.tell("ent_good2", "good/last.md", "good 2\n")
			}
			says := lies.honest()
			if tt.page != nil {
				f := lies.feed(0)
				tt.page(&f)
				says.feed = func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, f) }
			}
			var now atomic.Pointer[hostile]
			now.Store(&says)
			m := guestOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
			r := m.run(t, "sync", m.work())
			if r.code != tt.code || !strings.Contains(r.stdout+r.stderr, tt.want) || tt.code != exitOK && r.stderr == "" {
				t.Errorf("exit %d, want %d and %q\n%s%s", r.code, tt.code, tt.want, r.stdout, r.stderr)
			}
			nothingPlanted(t, m.home, m.tree())
			for file, text := range m.files(t) {
				if tt.not != "" && strings.Contains(text, tt.not) {
					t.Errorf("%q holds %.60q", file, text)
				}
			}
			honest := truth.honest()
			now.Store(&honest)
			if r = m.run(t, "sync", m.work()); r.code == exitReset {
				m.must(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"), "--rebuild")
				r = m.run(t, "sync", m.work())
			}
			files := m.files(t)
			if r.code != exitOK && r.code != exitRefused || files["good/first.md"] != "good 1\n" || files["good/last.md"] != "good 2\n" {
				t.Errorf("the truth: exit %d, %q\n%s", r.code, files, r.stderr)
			}
		})
	}
}

// A server that has two entries of one name is not asked for the list of all
// entries by each run: nothing in it would be new.
func TestHostile_TwiceTheSameName(t *testing.T) {
	t.Parallel()
	var s story
	s.tell("ent_1", "twice.md", "1\n")
	s.tell("ent_2", "twice.md", "2\n")
	h := s.honest()
	var lists atomic.Int64
	h.rest = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/manifest") {
			lists.Add(1)
		}
		s.more(w, r)
	}
	m := guestOf(t, h)
	first := m.run(t, "sync", m.work())
	known := lists.Load()
	for range 2 {
		if r := m.run(t, "sync", m.work()); r.code != exitOK || !strings.Contains(r.stderr, "two entries of this name") {
			t.Errorf("exit %d\n%s", r.code, r.stderr)
		}
	}
	if first.code != exitRefused || lists.Load() != known {
		t.Errorf("exit %d at first, then %d lists after %d", first.code, lists.Load()-known, known)
	}
}

// A secret that a server hands out is in its entry's file and nowhere else on this
// machine; it is not repeated, and an edit does not send it on.
func TestHostile_Secret(t *testing.T) {
	t.Parallel()
	token := credentials()["github"]
	var s story
	s.tell("ent_1", "access.md", "The token is "+token+", ask first.\n")
	h := s.honest()
	var sent atomic.Bool
	h.rest = func(w http.ResponseWriter, r *http.Request) {
		sent.Store(sent.Load() || strings.HasSuffix(r.URL.Path, "/push"))
		s.more(w, r)
	}
	m := guestOf(t, h)
	first := m.run(t, "sync", m.work())
	m.write(t, "access.md", m.read(t, "access.md")+"And be quick.\n")
	edited := m.run(t, "sync", m.work())
	if first.code != exitOK || edited.code != exitRefused || !strings.Contains(edited.stderr, "access.md (secret_found)") || sent.Load() {
		t.Errorf("exit %d, then %d, sent: %v\n%s", first.code, edited.code, sent.Load(), edited.stderr)
	}
	for name, text := range filesBelow(t, m.home) {
		if strings.Contains(text, token) && filepath.Join(m.home, name) != filepath.Join(m.tree(), "access.md") {
			t.Errorf("%q holds it", name)
		}
	}
	if strings.Contains(first.stdout+first.stderr+edited.stdout+edited.stderr, token) {
		t.Error("it is repeated")
	}
}

// Nor does hidden text come in by way of a merge, and the member's edit stays.
func TestHostile_HiddenInAMerge(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"a.md", "MEMORY.md"} {
		var s story
		s.tell("ent_1", path, "- [one](one.md)\n- [two](two.md)\n- [three](three.md)\n")
		var now atomic.Pointer[hostile]
		tell := func() {
			h := s.honest()
			now.Store(&h)
		}
		tell()
		m := guestOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
		m.sync(t, exitOK)
		const edited = "- [one](one.md)\n- [two](two.md)\n- [three](three.md), edited\n"
		m.write(t, path, edited)
		s = append(story(nil), s...)
		s.tell("ent_1", path, "- [one"+string(rune(0xE0041))+"](one.md)\n- [two](two.md)\n- [three](three.md)\n")
		tell()
		for _, code := range []int{exitRefused, exitOK} { // news once
			if r := m.sync(t, code); !strings.Contains(r.stderr, "not taken from the server: "+path+" (text_rejected, hidden at byte 6)") {
				t.Errorf("it says %s", r.stderr)
			}
		}
		if got := m.read(t, path); got != edited {
			t.Errorf("the file holds %q", got)
		}
	}
}
