package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// preToolUse looks at what is about to be written below team/.
func (h *Hooks) preToolUse(ctx context.Context, in input, links []client.Link) outcome {
	w, ok := in.write()
	if !ok {
		return outcome{}
	}
	at, ok := find(links, in.Folder, h.atHome(w.File))
	if !ok || at.notOurs() || !h.state.once(in) {
		return outcome{}
	}
	p, reason := h.judgeName(at)
	if reason != "" {
		return outcome{answer: deny(reason)}
	}
	if twin := h.judgeTwin(at, p); twin != "" {
		return outcome{answer: deny(twin)}
	}
	text, err := h.resulting(ctx, at, in.Tool, w)
	if err != nil {
		return outcome{err: err}
	}
	scanner, err := h.Scanner()
	if err != nil {
		return outcome{err: err}
	}
	_, err = memory.Screen(ctx, memory.Allowing(scanner, p, h.Dirs.Exceptions(at.link, h.Clock)), p, text)
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return outcome{answer: deny(refusal(at.disk, e))}
	}
	return outcome{err: err}
}

// atHome spells out a path that the agent takes to begin in the home folder.
func (h *Hooks) atHome(file string) string {
	rest, ok := strings.CutPrefix(file, "~/")
	home := h.Getenv("HOME")
	if !ok || home == "" {
		return file
	}
	return home + "/" + rest
}

// judgeName returns the path key of a place, or why nothing at that place would
// ever be shared.
func (h *Hooks) judgeName(at spot) (p memory.Path, reason string) {
	name := named(at.disk)
	switch {
	case at.out != "":
		return memory.Path{}, fmt.Sprintf("%s would not be shared: %s.", name, at.out)
	case !strings.HasSuffix(at.disk, ".md"):
		return memory.Path{}, fmt.Sprintf(
			"%s would not be shared: only Markdown files, whose names end in .md, are shared from team/. Other files have their place beside it.", name)
	case tree.Ignored(at.disk):
		return memory.Path{}, fmt.Sprintf(
			"%s would not be shared: names that start with a dot, end with ~, or look like another program's copies are left alone in team/.", name)
	}
	p, err := memory.ParsePath(at.disk)
	if e, ok := errors.AsType[*memory.Error](err); ok && !h.served(at, &p) {
		return memory.Path{}, refusal(at.disk, e)
	}
	return p, ""
}

// served reports whether the server has an entry at a place, under a name that
// is newer than our tables, and sets its path.
func (h *Hooks) served(at spot, p *memory.Path) bool {
	path, err := memory.ParseServedPath(at.disk)
	if err != nil {
		return false
	}
	known, err := h.Dirs.Known(at.link)
	if err != nil {
		return false
	}
	*p = path
	return slices.ContainsFunc(known.Entries, func(e client.KnownEntry) bool { return e.Path == path })
}

// judgeTwin refuses a new name that an entry has in another spelling.
func (h *Hooks) judgeTwin(at spot, p memory.Path) string {
	known, err := h.Dirs.Known(at.link)
	if err != nil {
		return "" // the engine will tell
	}
	key := p.Skeleton()
	for _, e := range known.Entries {
		if e.Path != p && e.Path.Skeleton() == key {
			return fmt.Sprintf("%s would not be shared: there is an entry %s, and the two names are equal for some file systems.",
				named(at.disk), named(e.Path.String()))
		}
	}
	return ""
}

// resulting returns the text that the file will have.
func (h *Hooks) resulting(ctx context.Context, at spot, tool string, w write) ([]byte, error) {
	if tool == toolWrite {
		return []byte(w.Content), nil
	}
	before, err := h.read(ctx, at)
	if err != nil {
		return nil, err
	}
	return edited(before, w), nil
}

// edited applies an edit as the agent's tool does: it sees line ends as LF, and
// an empty old text makes a new file. Of an edit that will not find its place
// only the new text counts.
func edited(before string, w write) []byte {
	old := w.Old
	if !strings.Contains(before, old) {
		before = strings.ReplaceAll(before, "\r\n", "\n")
	}
	if old == "" || !strings.Contains(before, old) {
		return []byte(w.New)
	}
	times := 1
	if w.All {
		times = -1
	}
	return []byte(strings.Replace(before, old, w.New, times))
}

// refusal says why a text or a name is not taken: the rule and where, never the
// value.
func refusal(disk string, e *memory.Error) string {
	name := named(disk)
	if e.Code == memory.CodeSecretFound && e.Field != "content" && tokenLike(disk) {
		name = "This file" // its name may be what was found
	}
	where := ""
	if e.Layer != "" {
		where = fmt.Sprintf(" (%s, at byte %d)", e.Layer, e.Position)
	}
	hint := ""
	if e.Hint != "" {
		hint = " What helps: " + strings.TrimSuffix(e.Hint, ".") + "."
	}
	return fmt.Sprintf("%s is not shared: %s%s.%s", name, e.Message, where, hint)
}

// tokenLike reports whether part of a name may be a credential: a long run of
// letters and digits that holds both.
func tokenLike(name string) bool {
	const long = 16
	run, digits := 0, 0
	for _, r := range name {
		switch {
		case r >= '0' && r <= '9':
			run, digits = run+1, digits+1
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			run++
		default:
			run, digits = 0, 0
		}
		if run >= long && digits > 0 {
			return true
		}
	}
	return false
}

// named is how a place below team/ is called.
func named(disk string) string { return "team/" + memory.Inert(disk, longestName) }

// longestName is how much of a name is shown.
const longestName = 200
