package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Where Claude Code keeps memory, as its documentation says or as it was seen.
const (
	configFolder     = ".claude"
	projectsFolder   = "projects"
	memoryFolder     = "memory"
	maxSlug          = 200 // characters; beyond, the agent appends a hash of its own
	envMemoryDir     = "TEAMMEM_MEMORY_DIR"
	envCowork        = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
	envRemoteDir     = "CLAUDE_CODE_REMOTE_MEMORY_DIR"
	envConfigDir     = "CLAUDE_CONFIG_DIR"
	envProjectFolder = "CLAUDE_CODE_PROJECT_DIR_NAME"
)

// Locate finds the memory folder that the agent uses for a working folder, and
// the repository that both belong to. override, a folder that the member
// named, always wins.
func Locate(folder, override string, getenv func(string) string) (client.Place, error) {
	root, err := findRoot(folder)
	if err != nil {
		return client.Place{}, err
	}
	p := client.Place{Folder: root.real, Repository: root.identity(), Remote: root.remote}
	p.MemoryDir, p.Source, err = memoryDir(root, override, getenv)
	return p, err
}

// memoryDir goes through the sources; the first that says something wins.
func memoryDir(root repository, override string, getenv func(string) string) (dir, source string, err error) {
	if override != "" {
		dir, err = expand(override, getenv)
		return dir, fromMember, err
	}
	for _, variable := range []string{envMemoryDir, envCowork} {
		if v := getenv(variable); v != "" {
			dir, err = expand(v, getenv)
			return dir, variable, err
		}
	}
	if s, ok, err := settingsDir(root, getenv); err != nil || ok {
		return s.dir, s.file, err
	}
	return defaultDir(root, getenv)
}

// defaultDir is <config>/projects/<slug>/memory.
func defaultDir(root repository, getenv func(string) string) (dir, source string, err error) {
	projects, source, err := projectsDir(getenv)
	if err != nil {
		return "", "", err
	}
	if name := getenv(envProjectFolder); name != "" && getenv(envConfigDir) != "" && projectFolderName(name) {
		return filepath.Join(projects, name, memoryFolder), envProjectFolder, nil
	}
	dir, err = projectMemory(projects, root)
	return dir, source, err
}

// projectsDir is <config>/projects, with what decided it.
func projectsDir(getenv func(string) string) (dir, source string, err error) {
	for _, variable := range []string{envRemoteDir, envConfigDir} {
		if base := getenv(variable); base != "" {
			return filepath.Join(base, projectsFolder), variable, nil
		}
	}
	home := homeOf(getenv)
	if home == "" {
		return "", "", errors.New("HOME is not set, so the agent's memory cannot be found: name it with --memory-dir")
	}
	return filepath.Join(home, configFolder, projectsFolder), fromDefault, nil
}

// projectMemory takes, of the paths that the repository goes by, the first one
// whose memory exists.
func projectMemory(projects string, root repository) (string, error) {
	var first string
	for _, path := range root.paths() {
		slug, cut := Slug(path)
		if cut {
			return "", longSlug(projects, slug)
		}
		dir := filepath.Join(projects, slug, memoryFolder)
		if first == "" {
			first = dir
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return first, nil
}

// longSlug names the folders that a very long path may stand for: the agent's
// hash is its own business, so the member decides.
func longSlug(projects, slug string) error {
	found, err := filepath.Glob(filepath.Join(projects, slug+"*"))
	if err != nil {
		return fmt.Errorf("look for the memory folder: %w", err)
	}
	return fmt.Errorf("the folder's path is too long to tell which memory is its own; name it with --memory-dir, one of %s",
		strings.Join(found, ", "))
}

// Slug is the name of a project's folder: every UTF-16 unit outside
// [a-zA-Z0-9] of its path becomes "-". cut reports that the agent would append
// a hash.
func Slug(path string) (slug string, cut bool) {
	var b strings.Builder
	for _, r := range path {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	if s := b.String(); len(s) > maxSlug {
		return s[:maxSlug], true
	}
	return b.String(), false
}

// NeedsProject reports whether a folder holds so much that no remote of it can
// say which project is meant: the root of a file system, and the home folder.
func NeedsProject(folder string, getenv func(string) string) bool {
	if folder == filepath.Dir(folder) {
		return true
	}
	home, err := filepath.EvalSymlinks(homeOf(getenv))
	return err == nil && folder == home
}

// MakeMemoryDir makes the memory folder that the agent itself would make with
// its first note. One that the member named has to be there: a slip of the pen
// must not become a folder.
func MakeMemoryDir(p client.Place) error {
	_, err := os.Stat(p.MemoryDir)
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return nil // what else may be wrong with it, opening it says
	case p.Source == fromMember:
		return memory.Invalid("memory-dir", fmt.Sprintf("there is no folder %s", p.MemoryDir))
	}
	if err := os.MkdirAll(p.MemoryDir, 0o700); err != nil {
		return fmt.Errorf("make the memory folder: %w", err)
	}
	return nil
}

func projectFolderName(s string) bool {
	return len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// expand makes a folder's name absolute; "~/" is the home folder.
func expand(dir string, getenv func(string) string) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		if home := homeOf(getenv); home != "" {
			return filepath.Join(home, rest), nil
		}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find memory folder: %w", err)
	}
	return abs, nil
}

func homeOf(getenv func(string) string) string {
	if h := getenv("HOME"); h != "" {
		return h
	}
	return getenv("USERPROFILE")
}

// repository is the folder that shares one memory: a git root with all its
// worktrees and sub-folders, or a plain folder.
type repository struct {
	at     string // real path of the folder that was named
	real   string // path with links resolved
	typed  string // absolute, as it was named
	common string // real path of git's common folder; "" without git
	bare   string // the same, if it has no working folder of its own
	remote string // normalised origin; "" without one
}

// paths are those that the agent may have named the memory after: the real
// one, the one that was typed, and that of a bare repository.
func (r repository) paths() []string {
	paths := []string{r.real}
	for _, p := range []string{r.typed, r.bare} {
		if p != "" && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

// identity names the repository whatever path leads to it.
func (r repository) identity() string {
	switch {
	case r.remote != "":
		return r.remote
	case r.common != "":
		return "dir:" + r.common
	}
	return "dir:" + r.real
}

func findRoot(folder string) (repository, error) {
	typed, err := filepath.Abs(folder)
	if err != nil {
		return repository{}, fmt.Errorf("find folder: %w", err)
	}
	real, err := filepath.EvalSymlinks(typed)
	if errors.Is(err, fs.ErrNotExist) {
		return repository{}, memory.Invalid("dir", fmt.Sprintf("there is no folder %s", typed))
	}
	if err != nil {
		return repository{}, fmt.Errorf("find folder: %w", err)
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return repository{}, memory.Invalid("dir", fmt.Sprintf("%s is not a folder", typed))
	}
	r := repository{at: real, real: real, typed: typed}
	return r, r.findGit()
}
