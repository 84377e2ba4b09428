package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/memory"
)

// person is a member who writes, as agents and editors do. Only the person's own
// goroutine uses what is not said to be others' too.
type person struct {
	*chaos
	*member

	name    string
	network *network
	random  *rand.Rand
	count   int
	written map[string]writing // by mark
	adding  map[string]writing // by what is being done
	removed map[string]string  // marks that were in what was removed or replaced on purpose, and how
	moving  map[string]string  // new names that nobody else has yet, with the old ones

	watcher *exec.Cmd // of the goroutine that makes trouble

	mu  sync.Mutex
	log strings.Builder
}

// writing is a line that was written.
type writing struct {
	path   string
	append bool // at the end of what everybody writes to
}

// marks finds the marks of lines.
var marks = regexp.MustCompile(`w\d{5}-[a-z]+`)

// live edits until the end.
func (p *person) live(t *testing.T, end <-chan struct{}) {
	t.Helper()
	for {
		select {
		case <-end:
			return
		case <-time.After(upTo(p.random, p.size.edits)):
		}
		if err := p.edit(); err != nil {
			t.Error(err)
			return
		}
	}
}

// edit does one thing. That a file is gone, or there, is no error: somebody
// else's change has just come.
func (p *person) edit() error {
	clear(p.adding)
	err := p.change(p.shared())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		maps.Copy(p.written, p.adding)
	}
	return err
}

func (p *person) change(path string) (err error) {
	switch n := p.random.IntN(100); {
	case n < 30:
		err = p.appendTo(path)
	case n < 45:
		err = p.inPlace(path, p.atEnd(path))
	case n < 65:
		err = p.replace(path, p.atEnd(path))
	case n < 72:
		err = p.inPlace(path, p.between(path))
	case n < 78:
		err = p.replace(p.other(), p.between(path))
	case n < 80:
		err = p.replace(path, p.reworded(path))
	case n < 90:
		err = p.create()
	case n < 96 && p.size.long:
		err = p.rename()
	default:
		err = p.drop()
	}
	return err
}

// shared picks one of the files that everybody writes to, wherever it is now.
func (p *person) shared() string {
	name := hot()[p.random.IntN(len(hot()))]
	for _, pattern := range []string{name, "*/" + name} {
		found, _ := filepath.Glob(p.file(pattern)) // the pattern is sound
		for _, file := range found {
			path, err := filepath.Rel(p.tree(), file)
			if err == nil && !p.isMoving(filepath.ToSlash(path)) {
				return filepath.ToSlash(path)
			}
		}
	}
	return name
}

func isHot(path string) bool { return slices.Contains(hot(), filepath.Base(path)) }

func (p *person) file(path string) string { return filepath.Join(p.tree(), filepath.FromSlash(path)) }

// bin is where the person throws what is removed, so that it can be looked at.
func (p *person) bin() string { return filepath.Join(p.home, "bin") }

// line makes a line that nobody wrote before.
func (p *person) line(path string, atEnd bool) string {
	p.count++
	mark := fmt.Sprintf("w%05d-%s", p.count, p.name)
	p.adding[mark] = writing{path, atEnd && isHot(path)}
	p.tell("%s in %s", mark, path)
	if path == memory.IndexName {
		return fmt.Sprintf("- [%s](notes/%s.md)\n", mark, mark)
	}
	return "- " + mark + "\n"
}

// appendTo adds a line at the end of a file that is there.
func (p *person) appendTo(path string) error {
	f, err := os.OpenFile(p.file(path), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, p.line(path, true))
	return errors.Join(err, f.Close())
}

// change makes a new text of one, "" if there is nothing to change.
type edit func(text string) string

func (p *person) atEnd(path string) edit {
	return func(text string) string { return text + p.line(path, true) }
}

// between puts a line between two paragraphs.
func (p *person) between(path string) edit {
	return func(text string) string {
		parts := strings.SplitAfter(text, "\n\n")
		if len(parts) < 4 {
			return ""
		}
		at := 1 + p.random.IntN(len(parts)-3)
		return strings.Join(parts[:at], "") + p.line(path, false) + "\n" + strings.Join(parts[at:], "")
	}
}

// reworded replaces one of the person's own lines that somebody else has, too,
// and that stands alone: who touches lines of others is in conflict with them.
func (p *person) reworded(path string) edit {
	return func(text string) string {
		for _, mark := range marks.FindAllString(text, -1) {
			if !strings.Contains(text, "\n\n- "+mark+"\n\n") {
				continue
			}
			if _, mine := p.written[mark]; !mine || !p.elsewhere(path, mark) || p.random.IntN(3) > 0 {
				continue
			}
			before, rest, _ := strings.Cut(text, mark)
			start, end := strings.LastIndex(before, "\n")+1, strings.Index(rest, "\n")+1
			return before[:start] + p.line(path, false) + rest[end:]
		}
		return ""
	}
}

// inPlace changes the text in its file, as many editors do.
func (p *person) inPlace(path string, to edit) error {
	f, err := os.OpenFile(p.file(path), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if changed := to(string(text)); changed != "" {
		_, at := f.Seek(0, io.SeekStart)
		err = errors.Join(at, f.Truncate(0))
		if err == nil {
			_, err = io.WriteString(f, changed)
		}
	}
	return errors.Join(err, f.Close())
}

// replace puts a new file in the place of the old one, as others do. The names
// are exchanged to see what was there: it may be newer than what was read.
func (p *person) replace(path string, to edit) error {
	text, err := os.ReadFile(p.file(path))
	if err != nil {
		return err
	}
	changed := to(string(text))
	if changed == "" {
		return nil
	}
	temp, err := p.temp(path, changed)
	if err != nil {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, p.file(path), unix.RENAME_EXCHANGE)
	if err == nil {
		var old []byte
		old, err = os.ReadFile(temp)
		p.forget(string(old), changed, "replaced by who had not seen it")
	}
	return errors.Join(err, os.Remove(temp))
}

func (p *person) temp(path, text string) (string, error) {
	file := p.file(path)
	temp := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".tmp-"+p.name)
	return temp, os.WriteFile(temp, []byte(text), 0o600)
}

// forget notes the lines of a text that are not in what came in its place.
func (p *person) forget(old, now, how string) {
	for _, mark := range marks.FindAllString(old, -1) {
		if !strings.Contains(now, mark) {
			p.tell("%s: %s", mark, how)
			p.removed[mark] = how
		}
	}
}

// create makes a file, now and then one that somebody else may make at the same
// time.
func (p *person) create() error {
	path := fmt.Sprintf("area%d/%s-%d.md", p.random.IntN(9), p.name, p.count)
	if p.size.long && p.random.IntN(3) == 0 {
		path = fmt.Sprintf("topics/common-%d.md", p.random.IntN(8))
	}
	if p.isLeft(path) {
		return nil
	}
	file := p.file(path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return p.replace(path, p.atEnd(path))
	}
	temp, err := p.temp(path, "# "+path+"\n\n"+p.line(path, false))
	if err != nil {
		return err
	}
	err = unix.Renameat2(unix.AT_FDCWD, temp, unix.AT_FDCWD, file, unix.RENAME_NOREPLACE)
	if err != nil {
		err = errors.Join(err, os.Remove(temp))
	}
	return err
}

// other picks a file that not everybody writes to all the time.
func (p *person) other() string {
	var paths []string
	_ = filepath.WalkDir(p.tree(), func(file string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(p.tree(), file)
		path := filepath.ToSlash(rel)
		if err == nil && relErr == nil && !d.IsDir() && filepath.Ext(path) == ".md" && !isHot(path) && !p.isMoving(path) {
			paths = append(paths, path)
		}
		return nil // it is being written to
	})
	if len(paths) == 0 {
		return hot()[0]
	}
	return paths[p.random.IntN(len(paths))]
}

// isMoving reports whether the person gave a file a name that nobody else has
// seen yet. Who renames and then edits makes a new file.
func (p *person) isMoving(path string) bool {
	if p.moving[path] != "" && p.elsewhere(path) {
		delete(p.moving, path)
	}
	return p.moving[path] != ""
}

// isLeft reports whether the person gave the file that was there another name,
// and nobody else has seen that yet. Who makes a new file there makes a copy of
// what was renamed.
func (p *person) isLeft(path string) bool {
	for to, from := range maps.Clone(p.moving) {
		if from == path && p.isMoving(to) {
			return true
		}
	}
	return false
}

// elsewhere reports whether somebody else has all of some marks in a file, so
// that the server has them.
func (p *person) elsewhere(path string, all ...string) bool {
	for _, other := range p.people {
		if other == p {
			continue
		}
		text, err := os.ReadFile(other.file(path))
		if err == nil && !slices.ContainsFunc(all, func(mark string) bool { return !strings.Contains(string(text), mark) }) {
			return true
		}
	}
	return false
}

// rename gives a file another name, if the person has not changed it since
// others saw it.
func (p *person) rename() error {
	from, name := p.other(), ""
	if p.random.IntN(4) == 0 {
		from = p.shared()
		name = filepath.Base(from)
	}
	if from == memory.IndexName {
		return nil
	}
	text, err := os.ReadFile(p.file(from))
	if err != nil || !p.elsewhere(from, string(text)) {
		return err
	}
	p.count++
	to := fmt.Sprintf("area%d/%s", p.random.IntN(9), cmp.Or(name, fmt.Sprintf("%s-moved-%d.md", p.name, p.count)))
	if err := os.MkdirAll(filepath.Dir(p.file(to)), 0o700); err != nil {
		return err
	}
	p.tell("rename %s to %s", from, to)
	err = unix.Renameat2(unix.AT_FDCWD, p.file(from), unix.AT_FDCWD, p.file(to), unix.RENAME_NOREPLACE)
	if err == nil {
		p.moving[to] = from
	}
	return err
}

// drop removes a file whose lines others have seen. There are few of them, else
// a guard would rightly hold the deletes.
func (p *person) drop() error {
	path := p.other()
	text, err := os.ReadFile(p.file(path))
	if err != nil || !p.elsewhere(path, marks.FindAllString(string(text), -1)...) || !p.mayDelete(path) {
		return err
	}
	p.count++
	gone := filepath.Join(p.bin(), fmt.Sprint(p.count))
	if err := os.Rename(p.file(path), gone); err != nil {
		return err
	}
	p.tell("delete %s", path)
	text, err = os.ReadFile(gone)
	p.forget(string(text), "", "deleted in "+path)
	return err
}

// mayDelete allows few deletes, and none that leaves a folder nearly empty.
func (p *person) mayDelete(path string) bool {
	const left = 6
	beside, err := os.ReadDir(filepath.Dir(p.file(path)))
	return err == nil && len(beside) >= left && p.deletes.Add(1) <= int64(p.size.files/10)
}
