package client

import (
	"fmt"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// CheckState tells what the last syncs of a linked tree left open.
func (d Dirs) CheckState(l Link, now time.Time) []Check {
	known, err := d.Known(l)
	if err != nil {
		return []Check{{Name: "files", Grade: Wrong, Detail: err.Error(), Source: d.State, Fix: "check who may read that folder"}}
	}
	files := Check{
		Name: "files", Grade: Well, Source: "as of the last sync",
		Detail: fmt.Sprintf("%d shared, %d refused, %d in conflict, %d waiting for review",
			len(known.Entries), len(known.Refused), len(known.Conflicts), len(known.Waiting)),
	}
	if len(known.Refused)+len(known.Conflicts) > 0 {
		files.Grade, files.Fix = Look, "teammem status names them, and what to do"
	}
	last := Check{Name: "last sync", Grade: Well}
	if known.LastSync.IsZero() {
		last.Grade, last.Detail, last.Fix = Look, strings.Join(append([]string{"never"}, known.Notices...), "; "), "teammem sync "+l.Folder
		return []Check{files, last}
	}
	at := known.LastSync.UTC().Format("2006-01-02 15:04:05 UTC")
	last.Detail = strings.Join(append([]string{memory.Age(now, known.LastSync) + ", " + at}, known.Notices...), "; ")
	return []Check{files, last}
}
