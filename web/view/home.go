package view

import "time"

// Home is the first page: what waits, and what happened.
type Home struct {
	MayReview   bool         // in at least one project
	Waiting     []QueueRow   // what the viewer may decide, oldest first; the first few
	Findings    int          // of the viewer's own that are open
	Requests    int          // for exceptions, that the viewer may decide
	Mine        []QueueRow   // the viewer's own that wait or were turned down lately
	Last        *Decision    // the newest decision; shown when nothing waits
	Projects    []ProjectRow // the first few
	AllProjects int          // how many there are
	Changes     []Change     // newest first
}

// Projects is the list of the projects that the viewer can see.
type Projects struct {
	Rows  []ProjectRow
	After string // slug behind which the next page begins; "" for none
}

// ProjectRow is one project in a list.
type ProjectRow struct {
	Project
	Role    string // the viewer's
	Review  string // the review preset
	Remotes []string
	Entries int
	Waiting int
	At      time.Time // of the newest change; zero: none yet
}

// Change is one line of what happened last.
type Change struct {
	Project  Project
	EntryID  string
	Path     string
	Previous string // of a move
	Action   Action
	Rev      int64
	Author   string
	Agent    Agent
	At       time.Time
}

// Action is what a change or proposal does to its entry.
type Action string

// The actions, as package memory names them, and create for the first put.
const (
	ActionCreate Action = "create"
	ActionPut    Action = "put"
	ActionMove   Action = "move"
	ActionDelete Action = "delete"
)
