package watch

import (
	"cmp"
	"os"
	"slices"
	"time"
)

// Mode is what is done for a tree.
type Mode string

// The modes.
const (
	Starting  Mode = "starting"   // what follows is not known yet
	Watching  Mode = "watching"   // events come, and that is proven
	Polling   Mode = "polling"    // names are looked at every few seconds
	Paused    Mode = "paused"     // somebody wished so
	SignedOut Mode = "signed out" // until somebody logs in
)

// Hearing is how a server's news come.
type Hearing string

// The ways.
const (
	Stream   Hearing = "stream"    // of events
	LongPoll Hearing = "long-poll" // by questions that wait at the server
	None     Hearing = "pull"      // only by the regular questions
)

// State is what a watching process has to say of itself.
type State struct {
	PID      int            `json:"pid"`
	Since    time.Time      `json:"since"`
	Projects []ProjectState `json:"projects"` // by folder
}

// ProjectState is how it stands with one tree.
type ProjectState struct {
	Folder       string    `json:"folder"`
	Tree         string    `json:"tree"` // see client.Dirs.TreeID
	Project      string    `json:"project"`
	Server       string    `json:"server"`
	Mode         Mode      `json:"mode"`
	Why          string    `json:"why,omitzero"` // not watching
	News         Hearing   `json:"news"`
	OfflineSince time.Time `json:"offline_since,omitzero"`
	LastSync     time.Time `json:"last_sync,omitzero"` // that was in order
	LastPull     time.Time `json:"last_pull,omitzero"` // when the server last answered
	Queue        int       `json:"queue"`              // changes that are not carried out yet
	Failure      string    `json:"failure,omitzero"`   // why
}

// State returns how it stands with all trees.
func (w *Watcher) State() State {
	w.mu.Lock()
	s := State{PID: os.Getpid(), Since: w.began}
	w.mu.Unlock()
	for _, p := range w.all() {
		s.Projects = append(s.Projects, p.state())
	}
	slices.SortFunc(s.Projects, func(a, b ProjectState) int { return cmp.Compare(a.Folder, b.Folder) })
	return s
}

func (p *project) state() ProjectState {
	p.remote.mu.Lock()
	news, out, spoke := p.remote.hearing, p.remote.out, p.remote.spoke
	p.remote.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := ProjectState{
		Folder: p.link.Folder, Tree: p.dirs.TreeID(p.link), Project: p.link.Slug, Server: p.link.Server, Mode: p.mode, News: cmp.Or(news, None), OfflineSince: p.offline,
		LastSync: p.synced, LastPull: p.pulled, Failure: p.failure,
	}
	if !p.told.IsZero() && spoke.After(s.LastPull) {
		s.LastPull = spoke
	}
	switch p.mode {
	case Polling:
		s.Why = p.deaf
	case SignedOut:
		s.Why = out
	case Starting, Watching, Paused:
	}
	if p.report != nil {
		s.Queue = p.report.Pending + len(p.report.Settling)
	}
	if !p.agenda.edited.IsZero() && s.Queue == 0 {
		s.Queue = 1 // at least
	}
	return s
}
