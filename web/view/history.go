package view

import (
	"time"

	"github.com/teammem/teammem/web/view/foreign"
)

// History lists the revisions of an entry, newest first.
type History struct {
	Project   Project
	ID        string
	Path      string
	Name      string
	Deleted   bool
	Revisions []Revision
	Before    int64 // the next page shows revisions below it; 0 for none
	MayWrite  bool
}

// Revision is one line of a history.
type Revision struct {
	Rev    int64
	Action Action
	Path   string
	Author string
	Agent  Agent
	Device string
	Note   string
	Size   int
	At     time.Time
}

// Comparison shows two revisions of an entry against each other.
type Comparison struct {
	Project   Project
	ID        string
	Path      string
	Name      string
	A, B      Revision
	Old, New  string     // their texts
	Revisions []Revision // to choose from
}

// Restore asks whether an older revision shall become the newest one.
type Restore struct {
	Project  Project
	ID       string
	Path     string // where it will be
	Name     string
	Revision Revision // to restore, sent back as "rev"
	Head     Revision // newest, sent back as "head"
	Old, New string   // the newest text ("" after a delete) and the restored one
	Waits    bool     // the project's preset holds it for review
}

// textLink leads to a text in full.
type textLink struct{ label, address string }

// texts are where both texts are shown in full.
func (p Comparison) texts() []textLink {
	return revisionLinks(p.Project.ID, p.ID, textOf{p.A, p.Old}, textOf{p.B, p.New})
}

// texts are where both texts are shown in full.
func (p Restore) texts() []textLink {
	return revisionLinks(p.Project.ID, p.ID, textOf{p.Head, p.Old}, textOf{p.Revision, p.New})
}

type textOf struct {
	revision Revision
	text     string
}

// revisionLinks leaves out what has no text, such as a delete.
func revisionLinks(project, id string, revisions ...textOf) (list []textLink) {
	for _, r := range revisions {
		if r.text != "" {
			list = append(list, textLink{"The text of " + rev(r.revision.Rev), RevisionURL(project, id, r.revision.Rev)})
		}
	}
	return list
}

// option is a revision in a list to choose from.
func (r Revision) option() string {
	return rev(r.Rev) + " · " + r.At.UTC().Format("2 Jan 2006, 15:04") + " · " + foreign.Plain(r.Author)
}

// withRevision makes sure that the chosen revision is in the list, which may
// be a page of a longer one.
func withRevision(list []Revision, chosen Revision) []Revision {
	for _, r := range list {
		if r.Rev == chosen.Rev {
			return list
		}
	}
	return append([]Revision{chosen}, list...)
}
