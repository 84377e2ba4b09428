package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// verdict tells what became of a text that was handed over. Of one that is
// shared there is nothing to tell.
func (h *Hooks) verdict(at spot, p memory.Path, r *client.Report) answer {
	name := named(p.String())
	for _, f := range r.Refused {
		if !f.Remote && keyOf(f.File) == p.String() {
			return block(refusal(f.File, f.Problem) + onlyHere)
		}
	}
	if a, ok := waits(r.Waiting, p); ok {
		return a
	}
	if slices.Contains(r.Skipped, p) {
		return inform(PostToolUse, oneWay(name, at.link.Mode))
	}
	for _, d := range r.Done {
		from := d.Path
		if !d.From.IsZero() {
			from = d.From
		}
		if from != p {
			continue
		}
		switch d.Kind {
		case msync.Conflict:
			return block(conflicted(name, conflictFile(r.Conflicts, p)))
		case msync.DeleteLocal:
			return inform(PostToolUse, gone(name))
		case msync.Rename, msync.MoveLocal:
			return inform(PostToolUse, fmt.Sprintf("%s is now %s: a teammate gave its name to another entry, or the entry another name.",
				name, named(d.Path.String())))
		default:
		}
		switch d.Verdict {
		case memory.RulingSuperseded:
			return inform(PostToolUse, fmt.Sprintf("%s holds a newer text%s; what was written is an earlier version of it.", name, h.writtenBy(at.link, p)))
		case memory.RulingDeleted:
			return inform(PostToolUse, gone(name))
		default:
		}
	}
	return answer{}
}

// onlyHere is what a refusal means for the file.
const onlyHere = " The file stays as it is, on this computer only."

// oneWay says why a text is not the same for everybody.
func oneWay(name string, mode client.Mode) string {
	if mode == client.PushOnly {
		return fmt.Sprintf("A teammate changed %s as well, and this folder is linked to send only, so it stays as it is on this computer.", name)
	}
	return fmt.Sprintf("%s is on this computer only: the folder is linked to receive, not to send.", name)
}

// gone says what happened to an entry that somebody took out.
func gone(name string) string {
	return fmt.Sprintf("A teammate deleted %s. What was written here is kept in the trash.", name)
}

// conflicted says where the two texts are.
func conflicted(name, file string) string {
	kept := "the conflict store"
	if file != "" {
		kept = file
	}
	return fmt.Sprintf("A teammate changed %s as well: their text is in the folder now, the one from here in %s.", name, kept)
}

// conflictFile returns the newest text of a path that waits in the conflict
// store.
func conflictFile(open []client.Conflict, p memory.Path) (file string) {
	for _, c := range open {
		if c.Path == p {
			file = c.File
		}
	}
	return file
}

// writtenBy names who wrote what an entry holds now.
func (h *Hooks) writtenBy(l client.Link, p memory.Path) string {
	known, err := h.Dirs.Known(l)
	if err != nil {
		return "" // the sentence does without it
	}
	for _, e := range known.Entries {
		if e.Path == p && e.Author != "" {
			return fmt.Sprintf(" by %s, %s", memory.Inert(e.Author, longestName), memory.Age(h.Clock(), e.At))
		}
	}
	return ""
}

// standing tells what is known of a text that was handed over earlier. ok is
// false as long as no sync that began since then has ended: an earlier one may
// not have seen the text.
func standing(k client.Known, p pending) (text string, ok bool) {
	if !k.LastSync.After(p.At) {
		return "", false
	}
	key := keyOf(p.Disk)
	for _, f := range k.Refused {
		if !f.Remote && keyOf(f.File) == key {
			return refusal(f.File, f.Problem) + onlyHere, true
		}
	}
	for _, w := range open(k.Waiting) {
		if w.Path.String() == key {
			return waiting(w), true
		}
	}
	for _, c := range k.Conflicts {
		if c.Path.String() == key {
			return conflicted(named(key), c.File), true
		}
	}
	return "", true
}

// keyOf is the path key of a spelling on disk, or the spelling if it is none.
func keyOf(disk string) string {
	if p, err := memory.ParseServedPath(disk); err == nil {
		return p.String()
	}
	return disk
}

func lines(texts []string) string { return strings.Join(texts, "\n") }
