package view

import (
	"slices"
	"strconv"
	"strings"
)

// Folder is one folder of a project. Folders are listed flat, in the order and
// with the depth in which they are shown.
type Folder struct {
	Name    string
	Prefix  string // its path with a final "/"; "" for the whole project
	Depth   int
	Count   int // entries in it and below
	Current bool
	Open    bool // the current one is it or lies below
	More    int  // no folder, but how many of this level are not listed; 0 of a folder
}

// Tree lists the folders of a project, given the paths of its entries: the top
// level, and those around the open folder, and of each level the nearest. So a
// project with thousands of folders makes a short list.
func Tree(paths []string, open string) []Folder {
	counts := map[string]int{}
	for _, p := range paths {
		for i, c := range []byte(p) {
			if c == '/' {
				counts[p[:i+1]]++
			}
		}
	}
	root := Folder{Name: "All entries", Count: len(paths), Current: open == "", Open: true}
	return addFolders([]Folder{root}, counts, root, open)
}

// addFolders appends the folders directly below parent and, where it leads to
// the open one, those below them.
func addFolders(list []Folder, counts map[string]int, parent Folder, open string) []Folder {
	var names []string
	for prefix := range counts {
		rest, below := strings.CutPrefix(prefix, parent.Prefix)
		if below && strings.Count(rest, "/") == 1 {
			names = append(names, strings.TrimSuffix(rest, "/"))
		}
	}
	slices.Sort(names)
	nearest := around(names, strings.TrimPrefix(open, parent.Prefix))
	for _, name := range nearest {
		prefix := parent.Prefix + name + "/"
		f := Folder{
			Name: name, Prefix: prefix, Depth: parent.Depth + 1, Count: counts[prefix],
			Current: prefix == open, Open: strings.HasPrefix(open, prefix),
		}
		list = append(list, f)
		if f.Open {
			list = addFolders(list, counts, f, open)
		}
	}
	if more := len(names) - len(nearest); more > 0 {
		list = append(list, Folder{Depth: parent.Depth + 1, More: more})
	}
	return list
}

// around cuts sorted names to those that are nearest to a path.
func around(names []string, open string) []string {
	const most = 60
	name, _, _ := strings.Cut(open, "/")
	at, _ := slices.BinarySearch(names, name)
	first := max(0, min(at-most/2, len(names)-most))
	return names[first:min(len(names), first+most)]
}

// indent is the class that sets a folder below its parent. The deepest share
// one: a page is only so wide.
func (f Folder) indent() string {
	const most = 5
	return "depth-" + strconv.Itoa(min(f.Depth, most))
}

func (f Folder) icon() string {
	if f.Open {
		return "folder-open"
	}
	return "folder"
}
