package hook

import (
	"context"
	"errors"
	"io/fs"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
)

// openTree opens the team/ folder of a link to read from.
func (h *Hooks) openTree(l client.Link) (*tree.Tree, error) {
	return tree.Open(l.MemoryDir, tree.Options{
		Clock: h.Clock, Home: h.Getenv("HOME"),
		Keep: func(context.Context, tree.Old) error { return errors.New("a hook replaces no file") },
	})
}

// read returns the text at a place, "" if there is none that could be shared.
func (h *Hooks) read(ctx context.Context, at spot) (string, error) {
	t, err := h.openTree(at.link)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer t.Close()
	content, _, err := t.Read(ctx, at.disk, tree.Stamp{})
	if _, blocked := errors.AsType[*tree.Blocked](err); blocked || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(content), err
}
