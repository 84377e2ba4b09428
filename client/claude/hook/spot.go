package hook

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
)

// spot is a place below the team/ folder of a link.
type spot struct {
	link client.Link
	disk string // as spelled, below team/, slash-separated
	out  string // set if it only looks as if it was below team/: how it leads out
}

// notOurs reports whether the place is team/ itself, or the file in which the
// member says what not to share.
func (s spot) notOurs() bool { return s.disk == "" || s.disk == ".teammemignore" }

// The ways out of team/.
const (
	outByDots = "the name starts in team/ and leads out of it"
	outByLink = "a symbolic link on the way leads elsewhere; links in team/ are not shared"
)

// find tells whether a file lies below the team/ folder of a link, whatever the
// path that leads there. Most files lie below none, so it has to be quick.
func find(links []client.Link, folder, file string) (spot, bool) {
	if !filepath.IsAbs(file) {
		if folder == "" {
			return spot{}, false
		}
		file = folder + string(filepath.Separator) + file
	}
	clean := filepath.Clean(file)
	for _, l := range links {
		for _, dir := range teamsOf(l) {
			if disk, ok := below(dir, clean); ok {
				return spot{link: l, disk: disk, out: linkOnTheWay(dir, disk)}, true
			}
			if _, ok := below(dir, textual(file)); ok {
				return spot{link: l, disk: filepath.Base(clean), out: outByDots}, true
			}
		}
	}
	return findReal(links, realOf(clean, 0))
}

// teamsOf returns the names of the team/ folder of a link.
func teamsOf(l client.Link) []string {
	dirs := []string{filepath.Join(l.MemoryDir, tree.FolderName)}
	if l.MemoryReal != "" && l.MemoryReal != l.MemoryDir {
		dirs = append(dirs, filepath.Join(l.MemoryReal, tree.FolderName))
	}
	return dirs
}

// below returns the rest of a path below a folder, slash-separated.
func below(dir, path string) (disk string, ok bool) {
	rest, ok := strings.CutPrefix(path, dir)
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return "", false
	}
	return filepath.ToSlash(strings.TrimLeft(rest, string(filepath.Separator))), true
}

// textual spells a path with the system's separators and leaves dots alone.
func textual(path string) string { return filepath.FromSlash(path) }

// linkOnTheWay looks for symbolic links below team/.
func linkOnTheWay(team, disk string) string {
	at := team
	for name := range strings.SplitSeq(disk, "/") {
		at = filepath.Join(at, name)
		info, err := os.Lstat(at)
		if err != nil {
			return "" // it is not there yet
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return outByLink
		}
	}
	return ""
}

// findReal compares the folders above a real path with each team/, not their
// names: a file system may not care about case, or know a folder by two names.
func findReal(links []client.Link, real string) (spot, bool) {
	teams := make([]os.FileInfo, len(links))
	some := false
	for i, l := range links {
		if info, err := os.Stat(filepath.Join(l.MemoryDir, tree.FolderName)); err == nil {
			teams[i], some = info, true
		}
	}
	if !some {
		return spot{}, false
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			for i, team := range teams {
				if team != nil && os.SameFile(info, team) {
					disk, _ := below(dir, real)
					return spot{link: links[i], disk: disk}, true
				}
			}
		}
		if dir == filepath.Dir(dir) {
			return spot{}, false
		}
	}
}

// maxLinks is how many links are followed that lead to nothing yet.
const maxLinks = 40

// realOf resolves links as far as the path exists. A link to a file that is yet
// to be made leads there, too.
func realOf(path string, links int) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path || links > maxLinks {
		return path
	}
	if target, err := os.Readlink(path); err == nil {
		if !filepath.IsAbs(target) {
			target = filepath.Join(parent, target)
		}
		return realOf(target, links+1)
	}
	return filepath.Join(realOf(parent, links), filepath.Base(path))
}
