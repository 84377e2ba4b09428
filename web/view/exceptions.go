package view

import "time"

// Exceptions lists what a project allows.
type Exceptions struct {
	Project   Project
	Rows      []ExceptionRow
	More      int // that are not listed
	MayRevoke bool
}

// ExceptionRow is one exception that is in force.
type ExceptionRow struct {
	ID        string
	Finding   string // "": the viewer may not see it
	Rule      string
	Paths     string
	Reason    string
	Author    string
	By        string
	ExpiresAt time.Time
}
