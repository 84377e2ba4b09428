package adopt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// What one import may look at. A project holds no more entries, and a key has
// no more than eight segments; some deeper files can be taken under a shorter
// name.
const (
	maxNames = 20_000
	maxBytes = 128 << 20
	maxDepth = 16
)

// found is one name below a source.
type found struct {
	name    string // slash-separated, as spelled on disk; foreign text
	key     string // below the source, which it is not for a single file
	folder  bool   // that was not looked into
	reason  string // why it is not taken
	problem *memory.Error
	content []byte // of a file without a reason and a problem
}

// walker looks through a source. It opens no file but notes, follows no link,
// and leaves no name out.
type walker struct {
	source Source
	real   string // folder of the source, without links
	own    own
	names  int // that may still be looked at
	bytes  int // that may still be read
	found  []found
}

// own is the member's own tree, which is no source of an import.
type own struct{ memory, team fs.FileInfo }

// ownTree looks at the folders of a tree. That one of them is not there is for
// the sync to say.
func ownTree(memoryDir string) own {
	var o own
	if info, err := os.Stat(memoryDir); err == nil {
		o.memory = info
	}
	if info, err := os.Stat(filepath.Join(memoryDir, tree.FolderName)); err == nil {
		o.team = info
	}
	return o
}

// holds reports whether a folder is team/, or lies in it.
func (o own) holds(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // opening it says why
	}
	for {
		if info, err := os.Stat(real); err == nil && os.SameFile(info, o.team) {
			return true
		}
		if real == filepath.Dir(real) {
			return false
		}
		real = filepath.Dir(real)
	}
}

// discover returns every name below the source, in a fixed order. The memory
// folder that is linked is not looked into.
func discover(ctx context.Context, s Source, memoryDir string) ([]found, error) {
	w := &walker{source: s, own: ownTree(memoryDir), names: maxNames, bytes: maxBytes}
	look := w.tree
	if s.Layout == LayoutFiles {
		look = w.files
	}
	err := look(ctx)
	slices.SortStableFunc(w.found, func(a, b found) int { return strings.Compare(a.name, b.name) })
	return w.found, err
}

func (w *walker) tree(ctx context.Context) error {
	root, err := os.OpenRoot(w.source.Dir)
	if err != nil {
		return fmt.Errorf("open source: %w", err)
	}
	defer root.Close()
	if w.real, err = filepath.EvalSymlinks(w.source.Dir); err != nil {
		return fmt.Errorf("open source: %w", err)
	}
	info, err := root.Stat(".")
	if err != nil {
		return fmt.Errorf("open source: %w", err)
	}
	if os.SameFile(info, w.own.memory) || w.own.holds(w.source.Dir) {
		return &memory.Error{
			Code: memory.CodeInvalid, Field: "source", Message: "this is the memory folder that is linked, not another one",
			Hint: "teammem share FILE shares single files of it; what is in team/ is shared already",
		}
	}
	return w.folder(ctx, root, "", 0)
}

// folder looks at each name in a folder.
func (w *walker) folder(ctx context.Context, root *os.Root, dir string, depth int) error {
	names, err := w.list(ctx, root)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case memory.CodeOf(err) == memory.CodeInvalid:
		return err
	case err != nil && dir == "":
		return fmt.Errorf("list source: %w", err)
	case err != nil:
		w.add(found{name: dir, folder: true, problem: unreadable("the folder cannot be read", err)})
		return nil
	}
	for _, name := range names {
		if err := w.name(ctx, root, path.Join(dir, name), name, depth); err != nil {
			return err
		}
	}
	return nil
}

// list returns the names in a folder. It reads some at a time, so that a huge
// folder is not read to its end.
func (w *walker) list(ctx context.Context, root *os.Root) ([]string, error) {
	const some = 1000
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var all []string
	for {
		names, err := d.Readdirnames(some)
		all = append(all, names...)
		if w.names -= len(names); w.names < 0 {
			return nil, tooMuch(fmt.Sprintf("more than %d names", maxNames))
		}
		switch {
		case errors.Is(err, io.EOF):
			slices.Sort(all)
			return all, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
	}
}

// name sorts out one name, and goes into a folder.
func (w *walker) name(ctx context.Context, root *os.Root, name, base string, depth int) error {
	info, err := root.Lstat(base)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // it is gone by now
	case err != nil:
		w.add(found{name: name, problem: unreadable("the file cannot be read", err)})
		return nil
	}
	reason := w.reason(name, base, info)
	if reason == "" && info.IsDir() && w.isPrivate(root, name, base) {
		reason = "an agent's memory folder: private; import its team/ folder by name"
	}
	if reason != "" {
		w.add(found{name: name, folder: info.IsDir(), reason: reason})
		return nil
	}
	if !info.IsDir() {
		return w.file(root, name, base, info)
	}
	if depth == maxDepth {
		w.add(found{name: name, folder: true, problem: tooDeep()})
		return nil
	}
	sub, err := enter(root, base, info)
	if err != nil {
		w.add(found{name: name, folder: true, problem: unreadable("the folder cannot be read", err)})
		return nil
	}
	defer sub.Close()
	return w.folder(ctx, sub, name, depth+1)
}

// reason says why a name is passed over without looking into it.
func (w *walker) reason(name, base string, info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "a link, which is never followed"
	case base == ".claude" && info.IsDir():
		return "hidden; teammem import claude and agent-memory read what agents keep there"
	case strings.HasPrefix(base, "."):
		return "hidden"
	case w.source.outside(name) != "":
		return w.source.outside(name)
	case info.IsDir() && (os.SameFile(info, w.own.memory) || os.SameFile(info, w.own.team)):
		return "the memory folder that is linked"
	case info.IsDir():
		return ""
	case !info.Mode().IsRegular():
		return "not an ordinary file"
	case !isMarkdown(base):
		return "not a Markdown file"
	}
	return ""
}

// isPrivate reports whether a folder in the folder is an agent's memory folder.
// Notes that were made for one pair of eyes are shared one by one or not at all.
func (w *walker) isPrivate(root *os.Root, name, base string) bool {
	for _, dir := range []string{w.source.Dir, w.real} {
		if isMemoryOfProject(filepath.Join(dir, filepath.FromSlash(name))) {
			return true
		}
	}
	team, err := root.Lstat(filepath.Join(base, tree.FolderName)) // a link counts: it leads to some team/
	return err == nil && strings.EqualFold(base, memoryFolder) && (team.IsDir() || team.Mode()&fs.ModeSymlink != 0)
}

// isMarkdown also knows the spellings that a key may not have: they are taken
// under another name, if the member agrees.
func isMarkdown(name string) bool {
	ext := path.Ext(name)
	return strings.EqualFold(ext, ".md") || strings.EqualFold(ext, ".markdown")
}

// enter opens a folder in the folder, the same that was just looked at.
func enter(root *os.Root, base string, named fs.FileInfo) (*os.Root, error) {
	sub, err := root.OpenRoot(base)
	if err != nil {
		return nil, err
	}
	opened, err := sub.Stat(".")
	if err == nil && !os.SameFile(named, opened) {
		err = tree.ErrReplaced
	}
	if err != nil {
		return nil, errors.Join(err, sub.Close())
	}
	return sub, nil
}

// file reads one note.
func (w *walker) file(root *os.Root, name, base string, info fs.FileInfo) error {
	content, problem := readFile(root, base, info)
	if w.bytes -= len(content); w.bytes < 0 {
		return tooMuch(fmt.Sprintf("more than %d MB of notes", maxBytes>>20))
	}
	w.add(found{name: name, content: content, problem: problem})
	return nil
}

// files reads single files, each through the folder it is in.
func (w *walker) files(ctx context.Context) error {
	for _, file := range w.source.Files {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.alone(file); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) alone(file string) error {
	dir, base := filepath.Split(file)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open folder: %w", err)
	}
	defer root.Close()
	info, err := root.Lstat(base)
	switch {
	case err != nil:
		w.add(found{name: file, problem: unreadable("the file cannot be read", err)})
	case w.own.holds(dir):
		w.add(found{name: file, reason: "in team/, so it is shared already"})
	case info.Mode()&fs.ModeSymlink != 0:
		w.add(found{name: file, problem: &memory.Error{
			Code: memory.Code(tree.KindSymlink), Message: "this is a symbolic link, which is never followed", Hint: "name the file itself",
		}})
	case !info.Mode().IsRegular():
		w.add(found{name: file, reason: "not an ordinary file"})
	case !isMarkdown(base):
		w.add(found{name: file, reason: "not a Markdown file"})
	default:
		return w.file(root, file, base, info)
	}
	return nil
}

func (w *walker) add(f found) {
	f.key = f.name
	if w.source.Layout == LayoutFiles {
		f.key = filepath.Base(f.name)
	}
	w.found = append(w.found, f)
}

// tooMuch is the error for a source that is no folder of notes.
func tooMuch(what string) *memory.Error {
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "source", Message: "there is too much below this folder: " + what,
		Hint: "nothing was read or changed; import a folder that holds the notes alone",
	}
}

func tooDeep() *memory.Error {
	return &memory.Error{
		Code: memory.CodePathRejected, Layer: "length", Message: "the folder is too deep to be looked into",
		Hint: "import the folder by itself",
	}
}
