package claude

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// maxResolve bounds how many folders are listed to find the one that a name
// stands for.
const maxResolve = 64

// site is a folder of the repository after which the agent may have named a
// memory.
type site struct {
	path string
	slug string
	cut  bool   // the agent appends a hash to the slug
	fold string // of the slug
	why  string
}

// sitesOf returns the paths that the repository goes by, and its worktrees. The
// memory in use may have its name from elsewhere.
func sitesOf(root repository, projects, memoryDir string) []site {
	var sites []site
	add := func(path, slug string, cut bool, why string) {
		if !slices.ContainsFunc(sites, func(s site) bool { return s.slug == slug && s.path == path }) {
			sites = append(sites, site{path, slug, cut, folded(slug), why})
		}
	}
	for _, p := range root.paths() {
		slug, cut := Slug(p)
		add(p, slug, cut, "the agent's own choice for "+p)
	}
	for _, p := range worktreesOf(root.common) {
		slug, cut := Slug(p)
		add(p, slug, cut, "worktree "+p)
	}
	if store := filepath.Dir(memoryDir); filepath.Dir(store) == projects {
		add(root.real, filepath.Base(store), false, "the memory in use")
	}
	return sites
}

// kind is what a name was recognised by.
type kind int

const (
	bySite  kind = iota // it is that of a folder of the repository
	byTwin              // it is nearly that
	byStart             // it starts like one, and stands for no folder that there is
)

// match is why a name in the agent's folder speaks of the repository.
type match struct {
	kind kind
	why  string
}

// mayMatch is the cheap half of match: nearly all names fail it.
func (s *search) mayMatch(name string) bool {
	for _, site := range s.sites {
		if _, ok := cutPrefix(name, site.slug); ok || sameEnd(name, site.slug) {
			return true
		}
	}
	return false
}

// sameEnd reports whether both names end in the same word, as two do that are
// folded to the same.
func sameEnd(a, b string) bool {
	noWord := func(r rune) bool { return !isWord(r) }
	a, b = strings.TrimRightFunc(a, noWord), strings.TrimRightFunc(b, noWord)
	return strings.EqualFold(a[strings.LastIndexFunc(a, noWord)+1:], b[strings.LastIndexFunc(b, noWord)+1:])
}

func (s *search) match(name string) (match, bool) {
	start := ""
	for _, site := range s.sites {
		rest, ok := cutPrefix(name, site.slug)
		switch {
		case !ok:
		case rest == "" && !site.cut:
			return match{bySite, site.why}, true
		case site.cut && strings.HasPrefix(rest, "-"):
			return match{byTwin, "perhaps " + site.why + ", whose path is too long to tell"}, true
		case strings.HasPrefix(rest, "-"):
			r := resolver{stop: true}
			if sub, ok := r.below(site.path, rest[1:]); ok {
				return match{bySite, "sub-folder " + sub}, true
			}
			start = site.slug
		}
	}
	if s.isOthers(name) {
		return match{}, false
	}
	for _, site := range s.sites {
		if fold := folded(name); fold != "" && fold == site.fold {
			return match{byTwin, "its name is nearly " + site.slug}, true
		}
	}
	return match{byStart, "perhaps of a folder that is gone: its name starts with " + start}, start != ""
}

// isOthers reports whether a name stands exactly for a folder of another
// repository, so that it resembles ours by chance.
func (s *search) isOthers(name string) bool {
	top := filepath.VolumeName(s.root.real) + string(filepath.Separator)
	slug, _ := Slug(top)
	rest, ok := cutPrefix(name, slug)
	if !ok {
		return false
	}
	dir, ok := new(resolver).below(top, rest)
	if !ok {
		return false
	}
	other, err := findRoot(dir)
	return err == nil && !sameFile(other.real, s.root.real)
}

// resolver finds the folder that a slug stands for.
type resolver struct {
	stop   bool // at a repository: what is in it is its own
	listed int  // folders so far
}

func (r *resolver) below(dir, rest string) (string, bool) {
	if r.listed++; r.listed > maxResolve {
		return "", false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	for _, e := range entries {
		slug, _ := Slug(e.Name())
		tail, ok := cutPrefix(rest, slug)
		if !ok || !e.IsDir() || tail != "" && tail[0] != '-' {
			continue
		}
		sub := filepath.Join(dir, e.Name())
		if _, err := os.Lstat(filepath.Join(sub, ".git")); r.stop && err == nil {
			continue
		}
		if tail == "" {
			return sub, true
		}
		if found, ok := r.below(sub, tail[1:]); ok {
			return found, true
		}
	}
	return "", false
}

// folded is what is left of a name when everything is taken out in which the
// agent's versions, and systems, have spelled one path differently: blank, "_",
// "." and "-", case, letters beyond ASCII, and a segment that is repeated.
func folded(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !isWord(r) })
	return strings.Join(slices.Compact(words), "-")
}

func isWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// cutPrefix compares names as the system's disks do.
func cutPrefix(name, prefix string) (string, bool) {
	if runtime.GOOS == "windows" && len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		return name[len(prefix):], true
	}
	return strings.CutPrefix(name, prefix)
}
