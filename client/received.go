package client

import (
	"errors"
	"strconv"
	"strings"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// received is a text that was about to come into the tree. Until the index is
// written, a file beside it keeps that: should this program end in between, the
// next run knows what the file goes back to, whatever the member has written to
// it meanwhile. Without, a text of the server's that came with a new name would
// be taken for the member's own, and be there twice once either side changed it.
type received struct {
	msync.Base        // that the file then has
	inode      uint64 // of the new file; 0: only the very text proves that it came
}

// receive keeps which texts are about to come into the tree.
func (c *cycle) receive(b *tree.Batch, bases []msync.Base) {
	if len(bases) == 0 {
		return
	}
	inodes := b.Inodes()
	var lines strings.Builder
	for _, base := range bases {
		if inode, ok := inodes[base.Path]; ok {
			lines.WriteString(received{base, inode}.line())
		}
	}
	c.receipts.add(lines.String())
}

func (r received) line() string {
	fields := []string{
		strconv.FormatInt(r.Rev, 10), strconv.FormatUint(r.inode, 10), r.Sum.String(), r.Text.String(), string(r.EntryID), r.Path.String(),
	}
	return strings.Join(fields, " ") + "\n"
}

func parseReceived(line string) (r received, ok bool) {
	const parts = 6
	fields := strings.SplitN(line, " ", parts)
	if len(fields) < parts {
		return r, false
	}
	var errs [parts - 1]error
	r.Rev, errs[0] = strconv.ParseInt(fields[0], 10, 64)
	r.inode, errs[1] = strconv.ParseUint(fields[1], 10, 64)
	r.Sum, errs[2] = memory.ParseHash(fields[2])
	r.Text, errs[3] = memory.ParseHash(fields[3])
	r.EntryID = memory.EntryID(fields[4])
	r.Path, errs[4] = memory.ParseServedPath(fields[5])
	return r, errors.Join(errs[:]...) == nil
}

// readReceived returns what earlier runs noted.
func readReceived(n *notes) (all []received) {
	for _, line := range n.lines() {
		if r, ok := parseReceived(line); ok {
			all = append(all, r)
		}
	}
	return all
}

// forgetInodes is for a run that finds new texts of an earlier one which never
// got their names: once they are cleared away, their numbers may be those of the
// member's files.
func (c *cycle) forgetInodes() {
	if len(c.received) == 0 {
		return
	}
	c.receipts.drop()
	var lines strings.Builder
	for i := range c.received {
		c.received[i].inode = 0
		lines.WriteString(c.received[i].line())
	}
	c.receipts.add(lines.String())
}

// acknowledge makes what came into the tree what was agreed on, now that it is
// known what the server has since.
func (c *cycle) acknowledge() {
	if len(c.received) == 0 {
		return
	}
	texts := c.state.texts()
	for _, r := range c.received {
		f, there := c.state.files[r.Path]
		e := c.state.entries[r.EntryID]
		came := f.Sum == r.Sum || there && f.Inode == r.inode && r.inode != 0 || !there && texts[r.Sum] // renamed since
		if came && e != nil && e.base.Rev < r.Rev {
			c.state.confirm(r.Base)
		}
	}
	c.received = nil
}
