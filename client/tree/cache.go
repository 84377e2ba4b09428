package tree

import (
	"errors"
	"io/fs"
	"os"

	"github.com/teammem/teammem/sanitize"
)

// maxCached is how many folders a batch keeps open; each takes two descriptors.
const maxCached = 64

// folderCache keeps the folders that a batch works in open, and knows which of
// them must be made durable. It calls folders by the names that they will have:
// all keys are such spellings below team/, and what is said of a folder holds
// wherever it is for now. Only place, by way of hidden, leads to where that is.
type folderCache struct {
	t     *Tree
	open  map[string]*cachedFolder
	dirty map[string]bool
	made  map[string]bool // folders that were not there before
	turns int             // of the next folder

	hidden map[string]string // new folders that nobody sees yet, to where they are on disk until then
}

// cachedFolder is an opened folder. On a file system that takes several
// spellings for one name, it knows how its names are spelled.
type cachedFolder struct {
	*folder
	cache *folderCache
	top   string // the hidden folder that this one is, or is in; "" if it can be seen
	turn  int    // whose writer's it is
	fold  bool
	spelt map[string]string // skeleton to spelling; nil if not read
}

// get opens a folder, or finds it opened. team/ itself is "".
func (c *folderCache) get(disk string) (*cachedFolder, error) {
	if d, ok := c.open[disk]; ok {
		return d, nil
	}
	place, top := c.place(disk)
	d, err := c.t.descend(place)
	if err != nil {
		return nil, err
	}
	if top != "" {
		d.disk = disk
	}
	return c.add(d, top)
}

// make is get that makes missing folders. With hide nobody sees them before
// reveal.
func (c *folderCache) make(disk string, hide bool) (*cachedFolder, error) {
	d, err := c.get(disk)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if _, gone := c.hidden[disk]; gone {
		return nil, ErrChanged // with what was written into it
	}
	above, name := split(disk)
	parent, err := c.make(above, hide)
	if err != nil {
		return nil, err
	}
	if err := parent.free(name); err != nil {
		return nil, err
	}
	if hide && parent.top == "" && canHide && parent.self.sameDevice(c.t.team.self) {
		name = c.hide(parent, disk)
	}
	switch err := parent.root.Mkdir(name, 0o700); {
	case err == nil:
		if c.made == nil {
			c.made = map[string]bool{}
		}
		c.made[disk] = true
	case !errors.Is(err, fs.ErrExist):
		return nil, err
	}
	parent.added(name)
	return c.get(disk)
}

func (c *folderCache) add(d *folder, top string) (*cachedFolder, error) {
	fold, err := c.t.folding()
	if err != nil {
		c.t.release(d)
		return nil, err
	}
	if c.open == nil {
		c.open = map[string]*cachedFolder{}
	}
	f := &cachedFolder{folder: d, cache: c, top: top, turn: c.turns, fold: fold}
	c.turns++
	c.open[d.disk] = f
	return f, nil
}

// trim closes all folders if there are many. Only call it between operations.
func (c *folderCache) trim() {
	if c.full() {
		c.forget()
	}
}

func (c *folderCache) full() bool { return len(c.open) >= maxCached }

// forget closes all folders; they are opened again when they are needed.
func (c *folderCache) forget() {
	for _, d := range c.open {
		c.t.release(d.folder)
	}
	c.open = nil
}

// remove forgets a folder that is gone.
func (c *folderCache) remove(disk string) {
	if d, ok := c.open[disk]; ok {
		c.t.release(d.folder)
		delete(c.open, disk)
	}
	delete(c.dirty, disk)
}

// sync makes the names in all changed folders durable: one by one, or if they
// are many, with one flush of the file system that team is on.
func (c *folderCache) sync(team *os.File) error {
	many := canFlush && len(c.dirty) > fewFiles
	for disk := range c.dirty {
		c.trim()
		d, err := c.get(disk)
		if errors.Is(err, fs.ErrNotExist) || err == nil && many && d.self.sameDevice(c.t.team.self) {
			continue // somebody removed it, or the flush covers it
		}
		if err != nil {
			return err
		}
		if err := c.t.await(d.sync); err != nil {
			return err
		}
	}
	c.dirty = nil
	if many {
		return c.t.await(func() error { return flush(team) })
	}
	return nil
}

// added notes that a name came to the folder.
func (d *cachedFolder) added(name string) {
	d.touched()
	if d.spelt != nil {
		d.spelt[sanitize.Skeleton(canonical(name))] = name
	}
}

// removed notes that a name went from the folder.
func (d *cachedFolder) removed(name string) {
	d.touched()
	if d.spelt != nil {
		delete(d.spelt, sanitize.Skeleton(canonical(name)))
	}
}

func (d *cachedFolder) touched() {
	if d.cache.dirty == nil {
		d.cache.dirty = map[string]bool{}
	}
	d.cache.dirty[d.disk], d.cache.t.changed[d.disk] = true, true
}

// spelling returns how a name is spelled that is the same as this one to the
// file system, "" if there is none.
func (d *cachedFolder) spelling(name string) (string, error) {
	if !d.fold {
		return name, nil
	}
	if d.spelt == nil {
		names, err := d.names()
		if err != nil {
			return "", err
		}
		d.spelt = make(map[string]string, len(names))
		for _, n := range names {
			d.spelt[sanitize.Skeleton(canonical(n))] = n
		}
	}
	return d.spelt[sanitize.Skeleton(canonical(name))], nil
}

// free returns a [*Blocked] if the name would name a file that is spelled in
// another way. That the file system changed its Unicode form is no other way.
func (d *cachedFolder) free(name string) error {
	other, err := d.spelling(name)
	if err != nil {
		return err
	}
	if other != "" && canonical(other) != canonical(name) {
		return &Blocked{Disk: d.join(other), Kind: KindClash}
	}
	return nil
}
