package claude

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

const (
	teamFolder = "team"     // the one folder of a memory that is shared
	markerFile = ".teammem" // in it, and names its project
)

// maxSiblingFiles bounds how much of one sibling is looked at. Real ones hold
// some hundred files at most.
const maxSiblingFiles = 2000

// Sibling is another memory folder of the agent that belongs to the same
// repository, or nearly has its name. Agents have read memory by repository and
// written it by working folder, and have spelled folders differently from
// version to version; what was written to such a place is never read again.
type Sibling struct {
	Dir    string   // the memory folder
	Why    string   // it is one
	Twin   bool     // only its name says so
	Linked string   // project that it mirrors itself; "" for none
	Unseen string   // why it was not looked into; "" if it was
	Files  int      // Markdown files in it
	Unsent []string // below its team/ and not in the other's, or with another text there; foreign names
}

// Siblings looks for the siblings of a link's memory folder among those that the
// agent may have made for the repository of the folder. It follows no link and
// never picks one: that is the member's to decide. Where there is none, it
// costs the names of one folder.
func Siblings(d client.Dirs, l client.Link, folder string, getenv func(string) string) ([]Sibling, error) {
	root, err := findRoot(folder)
	if err != nil {
		return nil, err
	}
	return siblingsOf(d, l, root, getenv)
}

func siblingsOf(d client.Dirs, l client.Link, root repository, getenv func(string) string) ([]Sibling, error) {
	projects, _, err := projectsDir(getenv)
	if err != nil {
		return nil, err
	}
	s := search{dirs: d, link: l, root: root, projects: projects, sites: sitesOf(root, projects, l.MemoryDir)}
	all, err := os.OpenRoot(projects)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for other memory folders: %w", err)
	}
	defer all.Close()
	s.all = all
	if own, err := os.OpenRoot(l.MemoryDir); err == nil {
		defer own.Close()
		s.own = own
	}
	return s.run()
}

// search is one look for siblings.
type search struct {
	dirs     client.Dirs
	link     client.Link
	root     repository
	projects string
	sites    []site
	all      *os.Root // projects
	own      *os.Root // the memory folder that has the siblings; nil if it is missing
}

func (s *search) run() ([]Sibling, error) {
	dir, err := s.all.Open(".")
	if err != nil {
		return nil, fmt.Errorf("look for other memory folders: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("look for other memory folders: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !s.mayMatch(name) })
	slices.Sort(names)
	var found []Sibling
	for _, name := range names {
		if !s.isOther(name) {
			continue
		}
		m, ok := s.match(name)
		if !ok {
			continue
		}
		sibling := Sibling{Dir: filepath.Join(s.projects, name, memoryFolder), Why: m.why, Twin: m.kind != bySite}
		s.look(&sibling, name)
		ours, err := s.judge(&sibling)
		if err != nil {
			return nil, err
		}
		if ours && (m.kind != byStart || len(sibling.Unsent) > 0) {
			found = append(found, sibling)
		}
	}
	return found, nil
}

// isOther reports whether there is a memory under the name that is not the one
// whose siblings are wanted. A link to that one is no second memory.
func (s *search) isOther(name string) bool {
	there, err := os.Stat(filepath.Join(s.projects, name, memoryFolder))
	if err != nil || !there.IsDir() {
		return false
	}
	if s.own == nil {
		return true
	}
	own, err := s.own.Stat(".")
	return err != nil || !os.SameFile(there, own)
}

// judge notes which project a sibling mirrors. If that is another one, a name
// that only resembles ours proves nothing.
func (s *search) judge(sibling *Sibling) (ours bool, err error) {
	links, err := s.dirs.Links()
	if err != nil {
		return false, err
	}
	real, err := filepath.EvalSymlinks(sibling.Dir)
	if err != nil {
		real = sibling.Dir // which is linked with nothing, then
	}
	for _, l := range links {
		if l.MemoryReal == real {
			sibling.Linked = l.Slug
			return !sibling.Twin || l.Repository == s.root.identity(), nil
		}
	}
	if sibling.Linked == string(s.link.Project) {
		sibling.Linked = "" // as it was once; nothing mirrors it any more
	}
	return !sibling.Twin || sibling.Linked == "", nil
}

// look counts the files of a sibling, and compares those of its team/.
func (s *search) look(sibling *Sibling, name string) {
	for _, dir := range []string{name, path.Join(name, memoryFolder)} {
		info, err := s.all.Lstat(dir)
		switch {
		case err != nil:
			sibling.Unseen = err.Error()
			return
		case !info.IsDir():
			sibling.Unseen = "it is a link, which is not followed"
			return
		}
	}
	store, err := s.all.OpenRoot(path.Join(name, memoryFolder))
	if err != nil {
		sibling.Unseen = err.Error()
		return
	}
	defer store.Close()
	sibling.Linked = string(markerOf(store).project)
	for _, file := range notesIn(store, maxSiblingFiles) {
		sibling.Files++
		if below, ok := strings.CutPrefix(file, teamFolder+"/"); ok && !s.has(store, file) {
			sibling.Unsent = append(sibling.Unsent, below)
		}
	}
}

// marker is what team/ says of itself where it mirrors a project.
type marker struct {
	project memory.ProjectID
	root    string
}

// markerOf reads the marker of a memory folder's team/; the zero one if there
// is none.
func markerOf(store *os.Root) (m marker) {
	text, _ := noteOf(store, path.Join(teamFolder, markerFile))
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), " "); key {
		case "project":
			m.project = memory.ProjectID(value)
		case "root":
			m.root = value
		}
	}
	return m
}

// notesIn lists the ordinary Markdown files of a folder, at any depth. What
// cannot be read is left out, and names that start with a dot are nobody's note.
func notesIn(dir *os.Root, limit int) []string {
	var files []string
	_ = fs.WalkDir(dir.FS(), ".", func(name string, d fs.DirEntry, err error) error { // its function returns no error
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil || name == ".":
			return nil //nolint:nilerr // one name less
		case len(files) >= limit:
			return fs.SkipAll
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.Type().IsRegular() && strings.HasSuffix(name, ".md"):
			files = append(files, name)
		}
		return nil
	})
	return files
}

// has reports whether the memory folder has the file of a sibling, with the
// same text.
func (s *search) has(store *os.Root, file string) bool {
	if s.own == nil {
		return false
	}
	theirs, ok := noteOf(store, file)
	if !ok {
		return false
	}
	ours, ok := noteOf(s.own, file)
	if !ok {
		p, err := memory.ParsePath(strings.TrimPrefix(file, teamFolder+"/"))
		if err != nil {
			return false
		}
		ours, ok = noteOf(s.own, path.Join(teamFolder, p.String())) // its name may be spelled otherwise here
	}
	return ok && bytes.Equal(ours, theirs)
}

// noteOf reads an ordinary file that is no larger than an entry may be.
func noteOf(dir *os.Root, file string) ([]byte, bool) {
	info, err := dir.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > memory.MaxEntryBytes {
		return nil, false
	}
	f, err := dir.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, memory.MaxEntryBytes+1))
	return b, err == nil && len(b) <= memory.MaxEntryBytes
}
