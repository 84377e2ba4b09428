package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// maxFolders is how deep folders are looked into: a path key has no more.
const maxFolders = 7

// File is an entry on disk.
type File struct {
	Path  memory.Path
	Disk  string // the spelling on disk, below team/, slash-separated
	Stamp Stamp
	// Refused is set if only a newer program may have given the file its name.
	// The file is what it is when the server has the path; else it is refused.
	Refused error
}

// Listing is what was found below team/ by looking at names alone.
type Listing struct {
	Files     []File    // sorted by path
	Blocked   []Blocked // sorted by spelling
	Folders   []string  // that were looked into, on disk; the first is "", team/ itself
	Leftovers []string  // our own files that a crash left behind, for Sweep
	Ignored   int       // names that are not ours to look at
	LeftOut   []string  // of those, Markdown files and folders that the member's rules name; folders end with a slash
	Started   time.Time

	// Of a listing that was made from an earlier one.
	Partly bool          // only some folders were looked at
	Anew   []File        // of Files, those that were found there
	Lost   []memory.Path // what is no longer there

	unknown map[string]bool // skeletons of blocked names; true for folders
	spelled map[string]string
	looked  map[string]info // what the folders were
	sure    time.Time       // before any of them was looked at last
	keys    map[string]bool // skeletons of Files; nil: not needed yet
	rules   Rules
}

// List looks at every name below team/ and opens no file. What it cannot look
// at is part of the listing; the error is for team/ as a whole.
func (t *Tree) List(ctx context.Context) (Listing, error) {
	l := t.newListing()
	if err := t.Verify(); err != nil {
		return Listing{}, err
	}
	team, err := t.reopen()
	if err != nil {
		return Listing{}, fmt.Errorf("list tree: %w", err)
	}
	defer team.close()
	if err := l.walk(ctx, team, 0); err != nil {
		return Listing{}, fmt.Errorf("list tree: %w", err)
	}
	l.findClashes()
	slices.SortFunc(l.Files, comparePaths)
	slices.Sort(l.LeftOut)
	l.sortBlocked()
	for _, b := range l.Blocked {
		if !b.hides() {
			continue
		}
		key := sanitize.Skeleton(canonical(b.Disk))
		l.unknown[key] = l.unknown[key] || b.Folder
	}
	return l, nil
}

func (t *Tree) newListing() Listing {
	now := t.options.Clock()
	return Listing{Started: now, sure: now, unknown: map[string]bool{}, spelled: map[string]string{}, looked: map[string]info{}, rules: t.rules}
}

// walk lists one folder and then those in it, so that few are open at a time.
func (l *Listing) walk(ctx context.Context, d *folder, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// Names alone: os.File.ReadDir looks at each entry once more.
	names, err := d.dir.Readdirnames(-1)
	if err != nil {
		return d.folderError("", err)
	}
	l.Folders = append(l.Folders, d.disk)
	l.looked[d.disk] = d.self
	if c := canonical(d.disk); c != d.disk {
		l.spelled[c] = d.disk
	}
	var folders []string
	for _, name := range names {
		if l.name(d, name) {
			folders = append(folders, name)
		}
	}
	slices.Sort(folders)
	for _, name := range folders {
		if err := l.descend(ctx, d, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// name sorts out one name, and reports whether it is a folder to look into.
func (l *Listing) name(d *folder, name string) (isFolder bool) {
	switch {
	case isTmp(name) || isOld(name) || isNew(name):
		l.Leftovers = append(l.Leftovers, d.join(name))
		if isNew(name) {
			l.foreign(d, name)
		}
		return false
	case (name == markerName || name == ignoreName) && d.disk == "":
		return false
	case ignored(name) && !odd(name):
		l.Ignored++
		return false
	}
	i, err := d.lstat(name)
	if err == nil && d.answers(name, i) {
		l.unknown[sanitize.Skeleton(canonical(d.join(name)))] = false
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case l.rules.excludes(d.join(name), err == nil && i.dir()):
		l.leaveOut(d.join(name), err == nil && i.dir())
	case strings.HasSuffix(name, extension):
		l.file(d, name, i, err)
	case err != nil:
		l.block(Blocked{Disk: d.join(name), Kind: KindUnreadable, Folder: true, Err: err})
	case i.dir():
		return true
	case i.mode&fs.ModeSymlink != 0: // it may stand for a folder with entries in it
		l.block(Blocked{Disk: d.join(name), Kind: KindSymlink, Folder: true})
	case i.junction():
		l.block(Blocked{Disk: d.join(name), Kind: KindIrregular, Folder: true})
	case resembles(name):
		_, refused := memory.ParsePath(d.join(name))
		l.block(Blocked{Disk: d.join(name), Kind: KindPathRejected, Err: refused})
	default:
		l.Ignored++
	}
	return false
}

// answers reports whether a name that is no entry's is what the disk has for that
// of one: where "a.MD" and "a.md" are one file, the entry is not gone.
func (d *folder) answers(name string, i info) bool {
	stem := len(name) - len(extension)
	if stem < 1 || name[stem:] == extension || !strings.EqualFold(name[stem:], extension) {
		return false
	}
	other, err := d.lstat(name[:stem] + extension)
	return err == nil && other.same(i)
}

// leaveOut notes a name that the member's rules leave out, if an entry could be
// there.
func (l *Listing) leaveOut(disk string, folder bool) {
	l.Ignored++
	switch {
	case folder:
		l.LeftOut = append(l.LeftOut, disk+"/")
	case strings.HasSuffix(disk, extension):
		l.LeftOut = append(l.LeftOut, disk)
	}
}

// file looks at a name that ends like an entry's.
func (l *Listing) file(d *folder, name string, i info, err error) {
	disk := d.join(name)
	p, refused := memory.ParsePath(disk)
	if refused != nil {
		p, _ = memory.ParseServedPath(disk) // zero if that fails, too
	}
	switch b := d.judge(name, i, err); {
	case p.IsZero():
		l.block(Blocked{Disk: disk, Kind: KindPathRejected, Folder: i.dir(), Err: refused})
	case b != nil:
		b.Path = p
		l.block(*b)
	default:
		l.Files = append(l.Files, File{Path: p, Disk: disk, Stamp: i.Stamp, Refused: refused})
	}
}

// judge returns why the file with this name must be left alone, or nil.
func (d *folder) judge(name string, i info, err error) *Blocked {
	if err == nil && i.regular() && i.nlink == 1 && i.Size <= memory.MaxEntryBytes {
		return nil
	}
	b := &Blocked{Disk: d.join(name), Err: err}
	switch {
	case err != nil:
		b.Kind = KindUnreadable
	case i.mode&fs.ModeSymlink != 0:
		b.Kind = KindSymlink
	case !i.regular():
		b.Kind, b.Folder = KindIrregular, i.dir()
	case i.nlink > 1+d.ownLinks(i):
		b.Kind = KindHardlink
	case i.Size > memory.MaxEntryBytes:
		b.Kind = KindTooLarge
	default:
		return nil
	}
	return b
}

// ownLinks counts the second names in the folder that we gave to the file. A
// file that has others as well is linked from somewhere else.
func (d *folder) ownLinks(i info) (n uint64) {
	names, err := d.names()
	if err != nil {
		return 0
	}
	for _, name := range names {
		if !isTmp(name) && !isOld(name) {
			continue
		}
		if other, err := d.lstat(name); err == nil && other.same(i) {
			n++
		}
	}
	return n
}

// descend lists a folder in the folder. What hides its content hides all that
// may be in it; that it vanished while we looked is no proof of absence either.
func (l *Listing) descend(ctx context.Context, d *folder, name string, depth int) error {
	if depth > maxFolders {
		_, err := memory.ParsePath(path.Join(d.join(name), "x"+extension))
		l.block(Blocked{Disk: d.join(name), Kind: KindPathRejected, Folder: true, Err: err})
		return nil
	}
	sub, err := d.open(name)
	if err == nil {
		defer sub.close()
		err = l.walk(ctx, sub, depth)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	b, ok := errors.AsType[*Blocked](err)
	switch {
	case err == nil:
	case ok:
		l.block(*b)
	default:
		l.block(Blocked{Disk: d.join(name), Kind: KindUnreadable, Folder: true, Err: err})
	}
	return nil
}

// foreign looks for what [Tree.Sweep] will not touch in a folder that a crash
// left hidden: only a person can say what that is.
func (l *Listing) foreign(d *folder, name string) {
	i, err := d.lstat(name)
	if err == nil && i.dir() {
		err = l.foreignIn(d, name)
	} else if err == nil {
		if b := d.foreign(name, i); b != nil {
			l.block(*b)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.block(Blocked{Disk: d.join(name), Kind: KindUnreadable, Folder: true, Err: err})
	}
}

func (l *Listing) foreignIn(d *folder, name string) error {
	sub, err := d.open(name)
	if err != nil {
		return err
	}
	defer sub.close()
	names, err := sub.names()
	for _, n := range names {
		l.foreign(sub, n)
	}
	return err
}

func (l *Listing) sortBlocked() {
	slices.SortFunc(l.Blocked, func(a, b Blocked) int { return cmp.Compare(a.Disk, b.Disk) })
}

func (l *Listing) block(b Blocked) { l.Blocked = append(l.Blocked, b) }

// findClashes moves files whose path keys are equal to the blocked ones: which
// of them is the entry only a person can say.
func (l *Listing) findClashes() {
	keys := make([]string, len(l.Files))
	count := make(map[string]int, len(l.Files))
	for i, f := range l.Files {
		keys[i] = f.Path.Skeleton()
		count[keys[i]]++
	}
	if len(count) == len(l.Files) {
		return
	}
	kept := l.Files[:0]
	for i, f := range l.Files {
		if count[keys[i]] == 1 {
			kept = append(kept, f)
			continue
		}
		l.block(Blocked{Disk: f.Disk, Path: f.Path, Kind: KindClash})
	}
	l.Files = kept
}

// Covers reports whether p would be in Files if it existed. If not, it is
// unknown: blocked, below a folder that could not be read, or ignored.
func (l *Listing) Covers(p memory.Path) bool {
	if Ignored(p.String()) || l.LeavesOut(p) {
		return false
	}
	if len(l.unknown) == 0 {
		return true
	}
	key := p.Skeleton()
	if _, blocked := l.unknown[key]; blocked {
		return false
	}
	for i, c := range key {
		if c == '/' && l.unknown[key[:i]] {
			return false
		}
	}
	return true
}

// LeavesOut reports whether the member's rules leave out the path.
func (l *Listing) LeavesOut(p memory.Path) bool { return l.rules.LeaveOut(p.String()) }

// Spell returns the spelling on disk for a path: that of the file if it is
// there, else one that goes into the folders which are there.
func (l *Listing) Spell(p memory.Path) string {
	if f, found := l.File(p); found {
		return f.Disk
	}
	for dir := p.Dir(); dir != ""; dir, _ = split(dir) {
		if disk, ok := l.spelled[dir]; ok {
			return disk + strings.TrimPrefix(p.String(), dir)
		}
	}
	return p.String()
}
