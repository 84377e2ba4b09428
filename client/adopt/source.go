package adopt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Layout says how the files of a source become entries.
type Layout string

// The layouts. The first four can also be named instead of a folder.
const (
	LayoutClaude   Layout = "claude"       // the memory that Claude Code keeps in a repository
	LayoutAgents   Layout = "agent-memory" // a folder for each agent
	LayoutBank     Layout = "memory-bank"  // as Cline and others keep it
	LayoutOpenClaw Layout = "openclaw"     // a workspace, of which MEMORY.md and memory/ are taken
	LayoutFolder   Layout = "folder"       // any folder with notes
	LayoutFiles    Layout = "files"        // single files
)

// agentsFolder is where what each agent keeps goes.
const agentsFolder = "agents"

// Source is where to import from.
type Source struct {
	Layout Layout
	Dir    string   // absolute; zero for LayoutFiles
	Files  []string // of LayoutFiles, absolute
}

// Places is what the names of sources are looked up in.
type Places struct {
	Repository string              // the linked folder
	Getenv     func(string) string //
}

// FindSource returns the source that a member means by the name of a layout, or
// of a folder or file. dir, if it is not empty, is where the layout is looked
// for instead of its usual place.
func FindSource(name, dir string, p Places) (Source, error) {
	usual, known := usualPlaces(p)[Layout(name)]
	switch {
	case known && dir != "":
		return named(Layout(name), dir)
	case known && (isFolder(usual) || !isFolder(name)):
		return folderSource(Layout(name), usual)
	case dir != "":
		return Source{}, memory.Invalid("source", fmt.Sprintf("only a layout takes a folder beside it, and %q is none", name))
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Source{}, memory.Invalid("source", fmt.Sprintf("there is no folder %+q; or name one of: %s, %s, %s, %s",
			name, LayoutClaude, LayoutAgents, LayoutBank, LayoutOpenClaw))
	case err != nil:
		return Source{}, fmt.Errorf("look at the source: %w", err)
	case info.IsDir():
		return recognise(name)
	}
	return FileSource([]string{name})
}

// FileSource is a source of single files.
func FileSource(files []string) (Source, error) {
	s := Source{Layout: LayoutFiles}
	for _, f := range files {
		abs, err := filepath.Abs(f)
		if err != nil {
			return Source{}, fmt.Errorf("find file: %w", err)
		}
		if info, err := os.Lstat(abs); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
			return Source{}, memory.Invalid("file", fmt.Sprintf("there is no file %+q", f))
		}
		if !slices.Contains(s.Files, abs) {
			s.Files = append(s.Files, abs)
		}
	}
	return s, nil
}

// usualPlaces are where the layouts with a name are found.
func usualPlaces(p Places) map[Layout]string {
	return map[Layout]string{
		LayoutClaude:   filepath.Join(p.Repository, ".claude", "memory"),
		LayoutAgents:   filepath.Join(p.Repository, ".claude", "agent-memory"),
		LayoutBank:     filepath.Join(p.Repository, "memory-bank"),
		LayoutOpenClaw: workspace(p.Getenv),
	}
}

// workspace is where OpenClaw keeps its memory unless its settings say
// otherwise.
func workspace(getenv func(string) string) string {
	if dir := getenv("OPENCLAW_WORKSPACE_DIR"); dir != "" {
		return dir
	}
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	return filepath.Join(home, ".openclaw", "workspace")
}

// named is a layout in a folder that the member chose.
func named(l Layout, dir string) (Source, error) {
	s, err := folderSource(l, dir)
	if err == nil && isPrivate(s.Dir) {
		err = private()
	}
	return s, err
}

func folderSource(l Layout, dir string) (Source, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Source{}, fmt.Errorf("find folder: %w", err)
	}
	if !isFolder(abs) {
		return Source{}, memory.Invalid("source", fmt.Sprintf("there is no folder %+q", abs))
	}
	return Source{Layout: l, Dir: abs}, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// recognise tells a folder's layout by its name and by what is in it.
func recognise(dir string) (Source, error) {
	s, err := named(LayoutFolder, dir)
	if err != nil {
		return Source{}, err
	}
	above, base := filepath.Base(filepath.Dir(s.Dir)), filepath.Base(s.Dir)
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(s.Dir, name))
		return err == nil
	}
	switch {
	case base == "agent-memory" || base == "agent-memory-local":
		s.Layout = LayoutAgents
	case base == "memory-bank" || has("projectbrief.md") && has("activeContext.md"):
		s.Layout = LayoutBank
	case above == ".claude" && base == "memory":
		s.Layout = LayoutClaude
	case has(memory.IndexName) && has("memory"):
		s.Layout = LayoutOpenClaw
	}
	return s, nil
}

// isPrivate reports whether a folder is an agent's memory folder, by the name it
// is reached by or by its own.
func isPrivate(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir // opening it says why
	}
	return slices.ContainsFunc([]string{dir, real}, isMemoryOfProject) ||
		strings.EqualFold(filepath.Base(real), memoryFolder) && isFolder(filepath.Join(real, tree.FolderName))
}

// memoryFolder is what an agent calls the folder with its notes.
const memoryFolder = "memory"

// isMemoryOfProject reports whether a folder is where an agent keeps its notes
// on a project: projects/SLUG/memory.
func isMemoryOfProject(dir string) bool {
	grand := filepath.Base(filepath.Dir(filepath.Dir(dir)))
	return strings.EqualFold(filepath.Base(dir), memoryFolder) && strings.EqualFold(grand, "projects")
}

func private() *memory.Error {
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "source", Message: "this is an agent's memory folder, and what is beside team/ in it is private",
		Hint: "import its team/ folder; teammem share FILE shares single private notes",
	}
}

// key is the path key that a file of the source would have, unless its name is
// refused.
func (s Source) key(file string) string {
	if s.Layout == LayoutAgents {
		return agentsFolder + "/" + file
	}
	return file
}

// outside says why a name is no part of what the layout takes, "" if it is.
func (s Source) outside(file string) string {
	if s.Layout != LayoutOpenClaw || file == memory.IndexName || file == "memory" || strings.HasPrefix(file, "memory/") {
		return ""
	}
	return "of a workspace only MEMORY.md and memory/ are memory"
}
