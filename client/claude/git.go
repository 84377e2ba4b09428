package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/teammem/teammem/memory"
)

// findGit walks up to the git root, and from a worktree to the repository that
// it belongs to. Git itself is not run: it need not be installed.
func (r *repository) findGit() error {
	for dir := r.real; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		info, err := os.Stat(dotGit)
		switch {
		case err == nil:
			return r.enter(dir, dotGit, info)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("look for git: %w", err)
		case dir == filepath.Dir(dir):
			return nil // no git
		}
	}
}

// enter takes over the git root. Where .git is a file, it names the real git
// folder, and the link only counts if that folder points back.
func (r *repository) enter(dir, dotGit string, info fs.FileInfo) error {
	rel, err := filepath.Rel(dir, r.real)
	if err != nil {
		return fmt.Errorf("find git root: %w", err)
	}
	if rel != "." && strings.HasSuffix(r.typed, string(filepath.Separator)+rel) {
		r.typed = strings.TrimSuffix(r.typed, string(filepath.Separator)+rel)
	} else if rel != "." {
		r.typed = dir
	}
	r.real, r.common = dir, dotGit
	if !info.IsDir() {
		r.common = r.worktree(dotGit)
	}
	r.remote = originOf(r.common)
	return nil
}

// worktree follows gitdir and commondir. A submodule is a root of its own, and
// so is whatever its target does not confirm.
func (r *repository) worktree(dotGit string) string {
	gitDir, ok := pointer(dotGit, "gitdir: ")
	if !ok {
		return dotGit
	}
	common, ok := pointer(filepath.Join(gitDir, "commondir"), "")
	if !ok {
		return r.submodule(gitDir, dotGit)
	}
	back, ok := pointer(filepath.Join(gitDir, "gitdir"), "")
	if !ok || filepath.Dir(filepath.Dir(gitDir)) != common || !sameFile(back, dotGit) {
		return dotGit
	}
	if filepath.Base(common) == ".git" {
		r.real = filepath.Dir(common)
		r.typed = r.real
		return common
	}
	r.bare = common
	return common
}

// worktreesOf returns the folders of a repository's linked worktrees, those
// that are gone and not yet pruned included.
func worktreesOf(common string) []string {
	dirs, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if common == "" || err != nil {
		return nil
	}
	var found []string
	for _, d := range dirs {
		b, err := os.ReadFile(filepath.Join(common, "worktrees", d.Name(), "gitdir"))
		if err != nil {
			continue
		}
		dotGit := strings.TrimSpace(string(b))
		if !filepath.IsAbs(dotGit) {
			dotGit = filepath.Join(common, "worktrees", d.Name(), dotGit)
		}
		found = append(found, filepath.Dir(dotGit))
	}
	return found
}

// submodule returns the git folder of a submodule if that names its working
// folder in turn.
func (r *repository) submodule(gitDir, dotGit string) string {
	work := configValue(gitDir, "core", "", "worktree")
	if work != "" && !filepath.IsAbs(work) {
		work = filepath.Join(gitDir, work)
	}
	if work == "" || !sameFile(work, filepath.Dir(dotGit)) {
		return dotGit
	}
	return gitDir
}

// pointer reads a file that holds one path, relative to the file's folder.
func pointer(file, prefix string) (string, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	path, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if !ok || path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	return real, true
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// originOf returns the URL of the remote "origin", normalised.
func originOf(common string) string {
	url := configValue(common, "remote", "origin", "url")
	if url == "" {
		return ""
	}
	return memory.NormalizeRemote(url)
}
