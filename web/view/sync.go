package view

import (
	"strconv"
	"time"
)

// Sync is how the members' computers are.
type Sync struct {
	Trees    []TreeHealth
	After    string // cursor of the next page; "" for none
	Everyone bool   // also of others, where the viewer decides
}

// TreeHealth is one project's tree on one computer.
type TreeHealth struct {
	Project      Project
	Device       string
	OS           string
	Owner        string
	Mine         bool // the viewer's own
	Client       string
	Seen         time.Time
	Behind       int64     // changes that it was not sent yet; -1: not known
	Reported     time.Time // zero: there never was anything to say
	Mode         string
	Holds        []Hold
	Refused      []TreeFile
	Blocked      []TreeFile
	RefusedTotal int
	BlockedTotal int
	Conflicts    int
	Waiting      int
}

// Hold are changes that a computer does not carry out before a person says so.
type Hold struct {
	Deletes   int // these, or else Changes
	Changes   int
	Direction string // incoming or outgoing
}

// TreeFile is a file that is not shared, with why.
type TreeFile struct {
	Path  string // "": it is not told
	Code  string
	Layer string
}

// fewFiles is how many files of a kind one tree lists.
const fewFiles = 3

func few(files []TreeFile) []TreeFile { return files[:min(len(files), fewFiles)] }

// well reports whether a person has nothing to do with the tree.
func (t TreeHealth) well() bool {
	return len(t.Holds)+t.RefusedTotal+t.BlockedTotal+t.Conflicts+t.Waiting == 0 && (t.Mode == "" || t.Mode == "both-ways")
}

// says what is held.
func (h Hold) says() string {
	if h.Changes > 0 {
		return "holding " + count(h.Changes, "change", "changes") + ", " + h.Direction
	}
	return "holding " + count(h.Deletes, "delete", "deletes") + ", " + h.Direction
}

// release is the command by which the owner lets go what is held.
func (t TreeHealth) release() string {
	deletes, changes := 0, 0
	for _, h := range t.Holds {
		deletes, changes = deletes+h.Deletes, changes+h.Changes
	}
	command := "teammem sync"
	if deletes > 0 {
		command += " --allow-deletes=" + strconv.Itoa(deletes)
	}
	if changes > 0 {
		command += " --allow-changes=" + strconv.Itoa(changes)
	}
	return command
}

// mode says which way a tree goes that does not go both.
func (t TreeHealth) mode() string {
	switch t.Mode {
	case "pull-only":
		return "only receives"
	case "push-only":
		return "only sends"
	}
	return ""
}

// behind says how far the computer has come.
func (t TreeHealth) behind() string {
	switch {
	case t.Behind < 0:
		return "not known"
	case t.Behind == 0:
		return "up to date"
	}
	return count(int(t.Behind), "change", "changes")
}

// why says in words why a file is not shared.
func (f TreeFile) why() string {
	says := map[string]string{
		"secret_found": "looks like it holds a secret", "path_rejected": "the name is not allowed", "text_rejected": "not plain text, or hidden text",
		"too_large": "too large", "suspect_empty": "was emptied", "scan_timeout": "could not be scanned to its end", "quota": "the project is full",
		"unreadable": "cannot be read", "symlink": "a symbolic link", "irregular": "not an ordinary file", "hardlink": "has a second name elsewhere",
		"clash": "two spellings of one name", "unstable": "is written to all the time", "ignored": "left out by its name", "other": "for another reason",
	}[f.Code]
	if says == "" {
		says = f.Code
	}
	if f.Layer != "" {
		says += " (" + f.Layer + ")"
	}
	return says
}
