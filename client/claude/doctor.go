package claude

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Case is what doctor examines: a folder, and the link that it is under.
type Case struct {
	Dirs   client.Dirs
	Folder string // as the member named it
	Link   client.Link
	Linked bool     // else Link is zero
	Events []string // that hooks have to be installed for
	Getenv func(string) string

	root  repository
	place client.Place
	lost  error // why the memory folder cannot be told
}

// NewCase finds out what the agent's rules say of a folder. That they lead to
// no memory folder is a finding and no error.
func NewCase(d client.Dirs, folder string, getenv func(string) string) (*Case, error) {
	c := &Case{Dirs: d, Folder: folder, Getenv: getenv}
	var err error
	if c.root, err = findRoot(folder); err != nil {
		return nil, err
	}
	c.Link, err = LinkOf(d, folder, getenv)
	if err != nil && !errors.Is(err, client.ErrNotLinked) {
		return nil, err
	}
	c.Linked = err == nil
	c.place, c.lost = Locate(folder, "", getenv)
	return c, nil
}

// memoryDir is the folder that teammem works on, "" if there is none.
func (c *Case) memoryDir() string {
	if c.Linked {
		return c.Link.MemoryDir
	}
	return c.place.MemoryDir
}

// Place examines where the memory is, whose it is, and what it is linked with.
func (c *Case) Place() []client.Check {
	return []client.Check{c.checkMemory(), c.checkRoot(), c.checkLink()}
}

func (c *Case) checkMemory() client.Check {
	check := client.Check{Name: "memory", Grade: client.Well, Detail: c.memoryDir(), Source: c.place.Source}
	if c.Linked {
		check.Source = c.Link.Source
	} else if c.lost != nil {
		return client.Check{Name: "memory", Grade: client.Wrong, Detail: c.lost.Error(), Fix: "correct that, or link with --memory-dir DIR"}
	}
	real, err := filepath.EvalSymlinks(check.Detail)
	switch {
	case err == nil && real != check.Detail:
		check.Detail += ", which leads to " + real
	case errors.Is(err, fs.ErrNotExist) && c.Linked:
		check.Grade, check.Fix = client.Wrong, "put the folder back, or mount its disk; teammem deletes nothing because of it"
		check.Detail += " is not there"
	case errors.Is(err, fs.ErrNotExist):
		check.Grade, check.Fix = client.Look, "teammem link makes it, and so does the agent's first note"
		check.Detail += " is not there yet"
	case err != nil:
		check.Grade, check.Fix = client.Wrong, "check who may read it"
		check.Detail += " cannot be looked up: " + err.Error()
	}
	return check
}

func (c *Case) checkRoot() client.Check {
	slug, cut := Slug(c.root.real)
	if cut {
		slug += "…"
	}
	check := client.Check{Name: "root", Grade: client.Well, Detail: fmt.Sprintf("%s, slug %s", c.root.real, slug), Source: "git"}
	switch {
	case c.root.common == "":
		check.Source = "the folder itself: there is no git repository"
	case !inside(c.root.at, c.root.real) || c.root.common != filepath.Join(c.root.real, ".git"):
		check.Detail += fmt.Sprintf("; %s is a worktree or submodule of it", c.root.at)
	}
	if c.Linked && c.root.real != c.Link.Folder {
		check.Grade = client.Look
		check.Detail += "; sessions here have a memory of their own, and what is linked is that of " + c.Link.Folder
		check.Fix = "teammem link " + c.root.real + " --project SLUG"
	}
	return check
}

func (c *Case) checkLink() client.Check {
	check := client.Check{Name: "link", Grade: client.Well, Source: c.Dirs.Config}
	if !c.Linked {
		check.Grade, check.Detail, check.Fix = client.Wrong, "not linked", "teammem link "+c.root.real
		if c.root.remote == "" || NeedsProject(c.root.real, c.Getenv) {
			check.Fix += " --project SLUG"
		}
		return check
	}
	check.Detail = fmt.Sprintf("%s at %s, for %s", c.Link.Slug, c.Link.Server, c.Link.Repository)
	if err := Recheck(c.Link, c.Getenv); err != nil {
		check.Grade, check.Fix = client.Wrong, "teammem link "+c.Link.Folder+" --project "+c.Link.Slug+", if that is meant"
		check.Detail += ": " + strings.TrimPrefix(err.Error(), client.ErrMarker.Error()+": ")
		return check
	}
	if found := c.marker(); found != "" {
		check.Grade, check.Fix = client.Wrong, "teammem link "+c.Link.Folder+" --project "+c.Link.Slug+" --rebuild starts anew and deletes nothing"
		check.Detail += ": " + found
	}
	return check
}

// marker says what is wrong with the marker of the linked tree: without the
// right one, nothing moves.
func (c *Case) marker() string {
	dir, err := os.OpenRoot(c.Link.MemoryDir)
	if err != nil {
		return "" // the memory's own check says so
	}
	defer dir.Close()
	switch m := markerOf(dir); {
	case m == (marker{}):
		return "team/" + markerFile + " is missing, so this may be an empty mount point"
	case m.project != c.Link.Project || m.root != c.Link.RootID:
		return "team/ is not the folder that was linked: it was copied, or is another project's"
	}
	return ""
}

// Stores names the other memory folders of the repository.
func (c *Case) Stores() []client.Check {
	l := c.Link
	if !c.Linked {
		l = client.Link{Folder: c.root.real, MemoryDir: c.place.MemoryDir}
	}
	all, err := siblingsOf(c.Dirs, l, c.root, c.Getenv)
	switch {
	case err != nil:
		return []client.Check{{Name: "stores", Grade: client.Look, Detail: err.Error(), Fix: "check who may read the agent's folder"}}
	case len(all) == 0:
		return []client.Check{{Name: "stores", Grade: client.Well, Detail: "no second memory of this repository"}}
	}
	var checks []client.Check
	for _, s := range all {
		checks = append(checks, s.check(c.memoryDir()))
	}
	return checks
}

func (s Sibling) check(memoryDir string) client.Check {
	check := client.Check{Name: "stores", Grade: client.Look, Detail: s.Dir, Source: s.Why}
	switch {
	case s.Linked != "":
		check.Grade = client.Well
		check.Detail += " mirrors " + visible(s.Linked) + " itself"
		return check
	case s.Unseen != "":
		check.Detail += " was not looked into: " + s.Unseen
		check.Fix = "look whether the agent writes to it"
		return check
	}
	files := "files"
	if s.Files == 1 {
		files = "file"
	}
	check.Detail += fmt.Sprintf(" holds %d %s", s.Files, files)
	check.Fix = "move what you need to " + memoryDir + ": sessions read that one only"
	if len(s.Unsent) > 0 {
		check.Detail += fmt.Sprintf(", of team/ not here: %s", some(s.Unsent))
		check.Fix = "teammem import " + filepath.Join(s.Dir, teamFolder)
	}
	return check
}

// Agent examines the agent itself.
func (c *Case) Agent(ctx context.Context) []client.Check {
	settings := c.readSettings()
	checks := []client.Check{checkVersion(ctx), c.checkAutoMemory(settings)}
	checks = append(checks, c.checkHooks(settings)...)
	return append(checks, c.checkIndexes()...)
}

// checkIndexes measures the two indexes: the agent loads the private one, and
// reads the team's.
func (c *Case) checkIndexes() []client.Check {
	dir, err := os.OpenRoot(c.memoryDir())
	if c.memoryDir() == "" || err != nil {
		return nil // the memory's own check says so
	}
	defer dir.Close()
	return []client.Check{checkPrivateIndex(dir), checkTeamIndex(dir)}
}

func checkPrivateIndex(dir *os.Root) client.Check {
	check := client.Check{Name: "private index", Grade: client.Well, Source: memory.IndexName}
	index, there := readIndex(dir, memory.IndexName)
	if !there {
		check.Detail = "none yet"
		return check
	}
	budget := memory.IndexBudget(index)
	check.Detail = usage(budget)
	if budget.Near() {
		check.Grade, check.Fix = client.Look, "shorten it: the agent loads no more than that; teammem never touches it"
	}
	return check
}

func checkTeamIndex(dir *os.Root) client.Check {
	name := teamFolder + "/" + memory.IndexName
	check := client.Check{Name: "team index", Grade: client.Well, Source: name}
	index, there := readIndex(dir, name)
	if !there {
		check.Detail = "none; agents get a generated one"
		return check
	}
	budget := memory.IndexBudget(index)
	check.Detail = usage(budget)
	lines := map[string][]int{}
	for _, l := range memory.LintIndex(index, entriesIn(dir)) {
		lines[l.Rule] = append(lines[l.Rule], l.Line)
	}
	var wrong []int
	for _, rule := range []string{memory.LintDangling, memory.LintOutside, memory.LintDuplicate} {
		if len(lines[rule]) > 0 {
			check.Detail += fmt.Sprintf(", %d %s", len(lines[rule]), rule)
			wrong = append(wrong, lines[rule]...)
		}
	}
	if n := len(lines[memory.LintUnlisted]); n > 0 {
		check.Detail += fmt.Sprintf(", %d unlisted", n) // which agents find all the same
	}
	if budget.Near() {
		check.Grade, check.Fix = client.Look, "shorten it: agents read no more than that"
	} else if len(wrong) > 0 {
		check.Grade, check.Fix = client.Look, "correct or remove line "+someLines(wrong)
	}
	return check
}

// someLines names the first few of some lines.
func someLines(lines []int) string {
	slices.Sort(lines)
	var names []string
	for _, n := range slices.Compact(lines) {
		names = append(names, strconv.Itoa(n))
	}
	return some(names)
}

func usage(b memory.Budget) string {
	limit := memory.IndexLimit()
	return fmt.Sprintf("%d of %d lines, %d of %d bytes", b.Lines, limit.Lines, b.Bytes, limit.Bytes)
}

// readIndex reads an index, or as much of it as tells that it is too long.
func readIndex(dir *os.Root, name string) (index string, there bool) {
	info, err := dir.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := dir.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, memory.MaxEntryBytes))
	return string(b), err == nil
}

// entriesIn returns the paths of the entries below team/.
func entriesIn(dir *os.Root) []memory.Path {
	var paths []memory.Path
	for _, file := range notesIn(dir, maxSiblingFiles) {
		below, ok := strings.CutPrefix(file, teamFolder+"/")
		if p, err := memory.ParsePath(below); ok && err == nil && below != memory.IndexName {
			paths = append(paths, p)
		}
	}
	return paths
}
