package hook

import (
	"errors"
	"slices"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// news is what changed since the agent was told last.
type news struct {
	changes  []memory.IndexChange
	gone     []string // path keys of entries that are not there any more
	remember func() error
}

// news compares what is known with what was told. A session that goes on
// compares with what it was told itself; a new one with what any session of
// this link was. Where nothing was told yet, nothing is news.
func (s *session) news(k client.Known, before toldOf, told map[string]toldEntry) news {
	if k.Cursor.IsZero() {
		return news{remember: func() error { return nil }}
	}
	now := toldOf{Epoch: k.Cursor.Epoch, Seq: k.Cursor.Seq}
	own, ownOK := load(s.state.sessionFile(s.in.Session, s.link))
	n := news{remember: func() error {
		ofLink := now
		ofLink.Entries = told
		return errors.Join(save(s.state.linkFile(s.link), ofLink), save(s.state.sessionFile(s.in.Session, s.link), now))
	}}
	if before.Epoch != now.Epoch {
		return n
	}
	heard := func(e client.KnownEntry) bool { return before.Entries[e.Path.String()].Rev == e.Rev }
	if ownOK && own.Epoch == now.Epoch && s.goesOn() {
		heard = func(e client.KnownEntry) bool { return e.Rev <= own.Seq }
	}
	me := s.myName()
	for _, e := range k.Entries {
		if heard(e) || e.Author != "" && e.Author == me {
			continue
		}
		verb := "changed"
		if _, old := before.Entries[e.Path.String()]; !old {
			verb = "added"
		}
		n.changes = append(n.changes, memory.IndexChange{Verb: verb, Path: e.Path, Author: e.Author, At: e.At})
	}
	for path := range before.Entries {
		if _, there := told[path]; !there {
			n.gone = append(n.gone, path)
		}
	}
	slices.Sort(n.gone)
	return n
}

// goesOn reports whether the agent still knows what it was told before.
func (s *session) goesOn() bool { return s.in.Source == sourceResume || s.in.Source == sourceFork }

// myName is the member's own name at the server; "" if it is not known.
func (s *session) myName() string {
	login, err := s.Dirs.Login(s.link.Server)
	if err != nil {
		return ""
	}
	return login.Name
}
