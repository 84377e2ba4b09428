package client

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// vault is a folder outside the tree that keeps texts: trash, or conflicts.
// Every text has a file of its own, <path>/<utc>-<device8>-<sha8>.md; the same
// text of a path is kept once. All names are legal on every file system.
//
// Trees of one project share their vaults, each run under the lock of its own
// tree. So every tree has a folder there for files that it has begun to write:
// whoever holds the lock knows that what lies in it was left by a dead program.
type vault struct {
	dir    string
	temps  string // in dir; "" in a vault that is only read
	device memory.DeviceID
	clock  memory.Clock
}

// write stores a file durably.
func (v vault) write(file string, content []byte) error {
	dir := filepath.Dir(file)
	for _, d := range []string{v.temps, dir} {
		if err := makeDir(d); err != nil {
			return fmt.Errorf("make folder for %s: %w", file, err)
		}
	}
	if _, err := replaceBy(v.temps, file, content, private, time.Time{}); err != nil {
		return err
	}
	return syncDir(dir)
}

// sweep removes what runs that were killed began to write. The caller holds the
// tree's lock.
func (v vault) sweep() { sweepTemps(v.temps, time.Time{}) }

const vaultTime = "20060102T150405Z"

// Kept is one text in a vault.
type Kept struct {
	Path   memory.Path
	File   string // absolute
	ID     string // short, and made of the path and the name of the file but for its time
	At     time.Time
	Device string // the first letters of whose it was

	// Of a conflict.
	Mirrored bool   // the server has it, too
	Alone    string // why it never will, by itself; "" if there is no reason
}

// keptOf reads what the name of a file in a vault says.
func keptOf(p memory.Path, file string) (Kept, bool) {
	stamp, rest, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".md"), "-")
	device, _, _ := strings.Cut(rest, "-")
	at, err := time.Parse(vaultTime, stamp)
	id := memory.Sum([]byte(p.String() + "\x00" + rest)).String()[:8]
	return Kept{Path: p, File: file, ID: id, At: at, Device: device}, err == nil
}

// Choose returns the one text that a person means: by its file, its ID, the
// beginning of that, or its path.
func Choose(all []Kept, name string) (Kept, error) {
	for _, means := range []func(Kept) bool{
		func(k Kept) bool { return k.File == name },
		func(k Kept) bool { return k.ID == name },
		func(k Kept) bool { return k.Path.String() == name },
		func(k Kept) bool { return "team/"+k.Path.String() == name },
		func(k Kept) bool { return name != "" && strings.HasPrefix(k.ID, name) },
	} {
		var found []Kept
		for _, k := range all {
			if means(k) {
				found = append(found, k)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Kept{}, severalMeant(name, found)
		}
	}
	return Kept{}, memory.NotFound(name)
}

// severalMeant lists what could be meant by a name, with names that are clear.
func severalMeant(name string, found []Kept) *memory.Error {
	ids := map[string]int{}
	for _, k := range found {
		ids[k.ID]++
	}
	var clear []string
	for _, k := range found {
		if ids[k.ID] == 1 {
			clear = append(clear, k.ID)
			continue
		}
		clear = append(clear, k.File)
	}
	return memory.Invalid("id", fmt.Sprintf("%s may be one of %d texts: %s", name, len(found), strings.Join(clear, ", ")))
}

// keep stores a text durably and returns its file.
func (v vault) keep(p memory.Path, content []byte) (string, error) {
	if p.IsZero() {
		return "", errors.New("keep a text: no path")
	}
	sum := memory.Sum(content)
	dir := filepath.Join(v.dir, filepath.FromSlash(p.String()))
	if file, ok := v.find(dir, sum, content); ok {
		return file, nil
	}
	file := freeFile(filepath.Join(dir, fmt.Sprintf("%s-%s-%s.md", v.stamp(), deviceTag(v.device), sum.String()[:8])))
	return file, v.write(file, content)
}

// keepYoung is keep for texts that are not kept for ever: what is thrown away
// again is as young as what never was before.
func (v vault) keepYoung(p memory.Path, content []byte) error {
	for {
		file, err := v.keep(p, content)
		if err != nil {
			return err
		}
		// Another tree of the project may have emptied the trash of it meanwhile.
		if err := v.renew(file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// renew gives a file the stamp of now. One that is later, because a clock was
// ahead, stays.
func (v vault) renew(file string) error {
	dir, name := filepath.Split(file)
	old, rest, _ := strings.Cut(name, "-")
	now := v.stamp()
	if now <= old {
		return nil
	}
	if err := os.Rename(file, freeFile(dir+now+"-"+rest)); err != nil {
		return fmt.Errorf("keep %s for longer: %w", file, err)
	}
	return syncDir(dir)
}

func (v vault) stamp() string { return v.clock().UTC().Format(vaultTime) }

// freeFile returns a name that no file has: another text may have the same
// first digits, in the same second, or this one may have been a conflict before
// of which something is left.
func freeFile(file string) string {
	free := file
	for n := 2; exists(free) || exists(metaFile(free)); n++ {
		free = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(file, ".md"), n)
	}
	return free
}

// find looks for a file that already keeps this very text.
func (v vault) find(dir string, sum memory.Hash, content []byte) (string, bool) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", false
	}
	for _, f := range files {
		if !strings.Contains(f.Name(), "-"+sum.String()[:8]) || strings.HasSuffix(f.Name(), baseSuffix) {
			continue
		}
		file := filepath.Join(dir, f.Name())
		if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, content) {
			return file, true
		}
	}
	return "", false
}

// text returns a text of a path by its hash; nil if it is not kept.
func (v vault) text(p memory.Path, sum memory.Hash) []byte {
	files, _ := filepath.Glob(filepath.Join(v.dir, filepath.FromSlash(p.String()), "*-"+sum.String()[:8]+"*.md"))
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil && memory.Sum(text) == sum {
			return text
		}
	}
	return nil
}

// list returns everything that is kept, oldest first. A missing folder is
// empty.
func (v vault) list() ([]Kept, error) {
	var all []Kept
	err := v.walk(func(file string) error {
		if !strings.HasSuffix(file, ".md") || strings.HasSuffix(file, baseSuffix) {
			return nil
		}
		rel, err := filepath.Rel(v.dir, filepath.Dir(file))
		if err != nil {
			return err
		}
		path, err := memory.ParseServedPath(filepath.ToSlash(rel))
		if err != nil {
			return nil //nolint:nilerr // not one of ours
		}
		if k, ok := keptOf(path, file); ok {
			all = append(all, k)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Kept) int { return a.At.Compare(b.At) })
	return all, nil
}

// walk calls f with every file in the vault. A run in another tree of the project
// may remove folders meanwhile: they are passed over, and none after them.
func (v vault) walk(f func(file string) error) error {
	err := filepath.WalkDir(v.dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil || d.IsDir():
			return err
		}
		return f(file)
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", v.dir, err)
	}
	return nil
}

// prune removes texts that are kept since before the given time.
func (v vault) prune(before time.Time) error {
	all, err := v.list()
	if err != nil {
		return err
	}
	for _, k := range all {
		if !k.At.Before(before) {
			break
		}
		if err := os.Remove(k.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty the trash: %w", err)
		}
		_ = os.Remove(filepath.Dir(k.File)) // the folder, if that was the last
	}
	return nil
}

// deviceTag is what names of files say of a device. A server made its identity,
// so only letters and digits of it are taken.
func deviceTag(d memory.DeviceID) string {
	tag := strings.Map(func(r rune) rune {
		if ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9') {
			return r
		}
		return -1
	}, strings.TrimPrefix(string(d), "dev_"))
	if tag == "" {
		return "local"
	}
	return tag[:min(8, len(tag))]
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// rescuedPath names a text that was found without a path key: it was left in a
// folder of the tree by an interrupted run.
func rescuedPath(disk string) memory.Path {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || ('a' <= r && r <= 'z') || ('A' <= r && r <= 'Z') || ('0' <= r && r <= '9') {
			return r
		}
		return '-'
	}, disk), "-")
	p, err := memory.ParsePath("rescued/" + name[:min(60, len(name))] + ".md")
	if err != nil {
		p, _ = memory.ParsePath("rescued/unnamed.md") // a constant that is allowed
	}
	return p
}
