package client

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/teammem/teammem/client/tree"
)

// Edit lends the linked tree to change between two cycles. No other run of
// teammem works in it meanwhile, and it is known to be the tree that was
// linked. A text that change replaces or removes goes to the trash if it is
// what change expected there; any other is kept as a cycle would keep it. The
// server learns of it all in the next cycle.
func (s *Syncer) Edit(ctx context.Context, change func(t *tree.Tree) error) error {
	return s.lend(ctx, func(c *cycle) error {
		c.lent = true
		return change(c.tree)
	})
}

// lend opens a cycle that asks no server, and lets use work with what it knows.
func (s *Syncer) lend(ctx context.Context, use func(c *cycle) error) (err error) {
	state := s.dirs.stateDir(s.link)
	l, err := takeLock(ctx, filepath.Join(state, "lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	c, err := s.open(ctx, filepath.Join(state, "index"), SyncOptions{}, &Report{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.tree.Close()) }()
	return use(c)
}
