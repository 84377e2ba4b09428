package backup

import (
	"errors"
	"fmt"
	"time"
)

// Format is the version of the layout that [Writer] writes and [Open] reads.
const Format = 1

// ErrFile means that a file cannot be restored: it is damaged, incomplete, of
// another format, or no backup at all.
var ErrFile = errors.New("not a whole backup")

// A Manifest says what a file holds. It is the first thing in it.
type Manifest struct {
	Format   int       `json:"format"`
	Program  string    `json:"program"` // the release that wrote it
	MadeAt   time.Time `json:"made_at"`
	Instance string    `json:"instance"`
	Schema   []Schema  `json:"schema"` // the migrations that had run, in order
	Tables   []Table   `json:"tables"` // in an order in which none refers to a later one
	LeftOut  []LeftOut `json:"left_out"`
	Projects []Project `json:"projects"`
}

// Schema is a migration that had run in the database.
type Schema struct {
	Name     string `json:"name"`
	Checksum string `json:"checksum"` // hexadecimal
}

// Table is a table whose rows are in the file.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// LeftOut is a table whose rows are not.
type LeftOut struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Project is what restored rows have to add up to.
type Project struct {
	ID       string `json:"id"`
	Slug     string `json:"slug"`
	Epoch    string `json:"epoch"`
	Seq      int64  `json:"seq"`
	FloorSeq int64  `json:"floor_seq"`
	Digest   string `json:"digest"` // hexadecimal
	Live     int    `json:"live"`
}

// Trailer is the last thing in a file.
type Trailer struct {
	Rows map[string]int64 `json:"rows"` // by table
}

// refused says why a file is none to restore.
func refused(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrFile}, args...)...)
}
