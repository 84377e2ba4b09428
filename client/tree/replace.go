package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/teammem/teammem/memory"
)

// claim gives a file another name; fs.ErrExist if there is something. No step
// of it can overwrite, but where a file system has neither hard links nor a
// rename that refuses to.
func (t *Tree) claim(from *folder, a string, to *folder, b string) error {
	err := t.tryRenameFree(from, a, to, b)
	if err == nil || !unsupported(err) {
		return err
	}
	if err = t.tryLink(from, a, to, b); err == nil {
		return from.unlink(a)
	}
	if !unsupported(err) {
		return err
	}
	if _, err := to.lstat(b); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fs.ErrExist, err)
	}
	return t.rename(from, a, to, b)
}

// replace puts the file tmp in the place of name, and returns the name under
// which what was there is kept. current is the text that was last seen there.
func (t *Tree) replace(d *folder, tmp, name string, current []byte) (old string, err error) {
	old = newOldName(name)
	// A crash may come after any step, and a .tmp is removed unread: so it is
	// called .old before it can be the only name of somebody's text.
	if err := t.rename(d, tmp, d, old); err != nil {
		return "", err
	}
	swapped := t.tryExchange(d, old, name)
	if swapped == nil {
		return old, t.takeBack(d, old, name)
	}
	if err := t.rename(d, old, d, tmp); err != nil {
		return "", err
	}
	switch {
	case unsupported(swapped):
		return old, t.replaceInSteps(d, tmp, name, old, current)
	case errors.Is(swapped, fs.ErrNotExist):
		return "", ErrChanged
	}
	return "", swapped
}

// takeBack undoes an exchange with something that is no file: a folder or link
// that was put there after we looked.
func (t *Tree) takeBack(d *folder, old, name string) error {
	i, err := d.lstat(old)
	if err != nil || i.regular() {
		return err
	}
	if err := t.exchange(d, old, name); err != nil {
		return err
	}
	if err := d.unlink(old); err != nil {
		return err
	}
	return ErrChanged
}

// replaceInSteps is replace for file systems that cannot exchange two names.
// What another program puts at the name between the last look and the rename is
// the only text that this package can lose.
func (t *Tree) replaceInSteps(d *folder, tmp, name, old string, current []byte) error {
	linked, err := true, t.tryLink(d, name, d, old)
	if unsupported(err) {
		linked, err = false, d.writeNew(old, current)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	if err = d.sameStill(name, old, linked); err == nil {
		err = t.rename(d, tmp, d, name)
	}
	if err != nil {
		return errors.Join(err, d.unlink(old))
	}
	return nil
}

// sameStill returns ErrChanged if the two names are not one file any more.
func (d *folder) sameStill(name, old string, linked bool) error {
	now, err := d.lstat(name)
	if err != nil {
		return err
	}
	was, err := d.lstat(old)
	if err == nil && (!now.regular() || linked && !now.same(was)) {
		return ErrChanged
	}
	return err
}

// writeNew writes a file that does not exist yet, durably.
func (d *folder) writeNew(name string, content []byte) error {
	f, err := d.create(name)
	if err != nil {
		return err
	}
	return errors.Join(f.write(content), f.sync(), f.close())
}

// letGo hands the text of an .old file to the keeper and removes the file. An
// error means that the file is still there, so that nothing is lost; one that
// somebody has open for writing is errMoving.
func (t *Tree) letGo(ctx context.Context, d *folder, name string, old Old) error {
	return t.letGoIf(ctx, d, name, old, func(memory.Hash) bool { return true })
}

// letGoExpected is letGo for a text that nobody changed, else ErrChanged.
func (t *Tree) letGoExpected(ctx context.Context, d *folder, name string, old Old) error {
	err := t.letGoIf(ctx, d, name, old, func(sum memory.Hash) bool { return sum == old.Expected })
	if errors.Is(err, errMoving) {
		return ErrChanged
	}
	return err
}

func (t *Tree) letGoIf(ctx context.Context, d *folder, name string, old Old, wanted func(memory.Hash) bool) error {
	f, err := d.openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	content, i, err := t.readAside(f)
	if err != nil {
		return err
	}
	old.Content, old.Sum = content, memory.Sum(content)
	if !wanted(old.Sum) {
		return ErrChanged
	}
	if err := t.options.Keep(context.WithoutCancel(ctx), old); err != nil {
		return fmt.Errorf("keep the text of %s: %w", old.Disk, err)
	}
	// Somebody may have looked up the name just before it was taken away, and
	// opened the file only now.
	if now, err := t.statAside(f); err != nil || now.Stamp != i.Stamp {
		return errors.Join(errMoving, err)
	}
	return d.unlink(name)
}

// readAside reads a file that lost its name, if nobody writes to it any more.
func (t *Tree) readAside(f *os.File) ([]byte, info, error) {
	i, err := fstat(f)
	switch {
	case err != nil:
		return nil, info{}, err
	case !i.regular():
		return nil, info{}, &Blocked{Kind: KindIrregular}
	case i.Size > maxOldBytes:
		return nil, info{}, &Blocked{Kind: KindTooLarge}
	}
	buf := make([]byte, i.Size+1)
	return t.aside(f, func() ([]byte, info, error) { return readOnce(f, i, buf) })
}

// statAside is the stamp of a file that lost its name, if nobody writes to it.
func (t *Tree) statAside(f *os.File) (info, error) {
	_, i, err := t.aside(f, func() ([]byte, info, error) {
		i, err := fstat(f)
		return nil, i, err
	})
	return i, err
}

// aside looks at a file that nobody can open any more. Without leases, one that
// was written to lately counts as being written to.
func (t *Tree) aside(f *os.File, look func() ([]byte, info, error)) ([]byte, info, error) {
	content, i, err := t.leased(f, look)
	if !errors.Is(err, errNoLease) {
		return content, i, err
	}
	content, i, err = look()
	if err == nil && t.young(i) {
		err = errMoving
	}
	return content, i, err
}

func (t *Tree) tryRenameFree(from *folder, a string, to *folder, b string) error {
	if t.noExchange {
		return errors.ErrUnsupported
	}
	return t.renameFree(from, a, to, b)
}

func (t *Tree) tryExchange(d *folder, a, b string) error {
	if t.noExchange {
		return errors.ErrUnsupported
	}
	return t.exchange(d, a, b)
}

func (t *Tree) tryLink(from *folder, a string, to *folder, b string) error {
	if t.noLink {
		return errors.ErrUnsupported
	}
	return t.link(from, a, to, b)
}
