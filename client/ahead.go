package client

import (
	"context"
	"errors"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// What is sent before the server is asked for news is little, in a tree that is
// looked through in a moment: else the scan and the question go on side by side.
const (
	maxAheadRows  = 1000
	maxAheadOps   = 16
	maxAheadBytes = 64 << 10
)

// mayBeAhead reports whether all that is known of the server adds up, so that
// what changed here could be sent without asking first what changed there.
func (c *cycle) mayBeAhead() bool {
	x := c.index
	return !c.options.Offline && !c.options.DryRun && !x.Cursor.IsZero() && !x.Unattributed && c.looksQuickly() &&
		len(c.state.foreign) == 0 && len(c.proposals) == 0 && c.state.digest == x.Digest
}

// looksQuickly reports whether the tree is looked through in a moment.
func (c *cycle) looksQuickly() bool {
	return c.last.listing != nil || len(c.state.entries) <= maxAheadRows
}

// sendAhead sends what only the member has changed, on the condition that the
// server is where it was seen last. Its receipt then proves as much as an answer
// without news would, in one exchange instead of two. Where there is nothing to
// send, the word of whoever listens to the server does. It reports false if the
// server has to be asked all the same.
func (c *cycle) sendAhead(ctx context.Context) (done bool, err error) {
	if c.absentAt.IsZero() || len(c.renameGuesses()) > 0 { // the tree is not the one that the index is about, or may hold no new texts
		return false, nil
	}
	todo := c.actionable(c.plan())
	if len(todo) == 0 && !c.isInDoubt() && c.options.Current != nil && c.options.Current(c.index.Cursor) {
		return true, nil
	}
	if !c.isLittle(todo) {
		return false, nil
	}
	s := sender{cycle: c, only: c.head().Tag()}
	err = s.upload(ctx, todo)
	if _, stated := errors.AsType[*memory.Error](err); stated && s.head == (memory.Head{}) {
		return false, nil // whatever is in the way, the feed tells it better
	}
	switch {
	case err != nil:
		return true, explain(err)
	case s.head == (memory.Head{}): // nothing of it may leave this machine
		return false, nil
	case s.head.Tag() != c.head().Tag(): // an older server does not know the condition
		c.again = true
	}
	if c.again {
		return true, c.observeAgain(ctx)
	}
	c.report.Asked = true
	return true, nil
}

// isInDoubt reports whether an earlier run left open what became of what it sent,
// or was about to write here. Only the feed knows.
func (c *cycle) isInDoubt() bool { return len(c.sent)+len(c.received) > 0 }

// head is where the server was seen last.
func (c *cycle) head() memory.Head {
	return memory.Head{Epoch: c.index.Cursor.Epoch, Seq: c.index.Cursor.Seq, Digest: c.index.Digest}
}

// isLittle reports whether ops are few new texts and nothing else.
func (c *cycle) isLittle(ops []msync.Op) bool {
	bytes := int64(0)
	for _, op := range ops {
		if op.Kind != msync.Upload && op.Kind != msync.Create {
			return false
		}
		bytes += c.state.files[op.Local.Path].Size
	}
	return len(ops) > 0 && len(ops) <= maxAheadOps && bytes <= maxAheadBytes
}
