package client

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// TrashDays is for how many days the trash keeps a text.
const TrashDays = int(trashAge / (24 * time.Hour))

// Trash returns the texts in the trash of the project of a link, oldest first.
func (d Dirs) Trash(l Link) ([]Kept, error) { return vault{dir: d.trashDir(l)}.list() }

// Restore puts a kept text back into the tree, as an edit of the member's that
// the next sync shares: at its path, or at another one if that is not zero. It
// never replaces a text, and reports false if this one is there already. The
// trash keeps it as well.
func (s *Syncer) Restore(ctx context.Context, k Kept, as memory.Path) (restored bool, err error) {
	if as.IsZero() {
		as = k.Path
	}
	err = s.lend(ctx, func(c *cycle) error {
		text, err := os.ReadFile(k.File)
		if err != nil {
			return fmt.Errorf("read the kept text: %w", err)
		}
		l, err := c.tree.List(ctx)
		if err != nil {
			return err
		}
		there, err := c.inPlace(ctx, &l, as)
		switch {
		case err != nil:
			return err
		case there != nil && bytes.Equal(there, text):
			return nil
		case there != nil || hasTwin(&l, as):
			return &memory.Error{
				Code: memory.CodeConflict, Message: fmt.Sprintf("%s is there, with another text", as), Hint: "choose another name with --as",
			}
		}
		restored = true
		return c.place(ctx, as, l.Spell(as), text, nil)
	})
	return restored && err == nil, err
}

// hasTwin reports whether a file has the path, or one that reads like it.
func hasTwin(l *tree.Listing, p memory.Path) bool {
	for _, f := range l.Files {
		if f.Path.Skeleton() == p.Skeleton() {
			return true
		}
	}
	return false
}
