package client

import (
	"cmp"
	"errors"
	"maps"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Codes of files that the disk itself keeps from being shared. They stand
// beside the protocol's codes and never leave this machine.
const (
	codeUnreadable = memory.Code(tree.KindUnreadable)
	codeUnstable   = memory.Code(tree.KindUnstable)
	codeClash      = memory.Code(tree.KindClash)
)

// BlockedCodes are the codes of files that stay here because of what they are
// on disk, not because of what is in them.
func BlockedCodes() []memory.Code {
	codes := []memory.Code{memory.CodeSuspectEmpty}
	for _, k := range []tree.Kind{
		tree.KindUnreadable, tree.KindSymlink, tree.KindIrregular, tree.KindHardlink, tree.KindClash, tree.KindUnstable, tree.KindIgnored,
	} {
		codes = append(codes, memory.Code(k))
	}
	return codes
}

// folderKey is a folder's name in the form in which the planner names folders.
func folderKey(disk string) string { return norm.NFC.String(disk) }

// blockedProblem says why a name in the tree is left alone, and what to do.
func blockedProblem(b *tree.Blocked) *memory.Error {
	if e, ok := errors.AsType[*memory.Error](b.Err); ok {
		return e
	}
	e := &memory.Error{Code: memory.Code(b.Kind), Err: b.Err}
	switch b.Kind {
	case tree.KindUnreadable:
		e.Message, e.Hint = "the file cannot be read or written", "check its permissions and the disk"
	case tree.KindSymlink:
		e.Message, e.Hint = "this is a symbolic link, which is never followed", "put the file itself here"
	case tree.KindIrregular:
		e.Message, e.Hint = "this is not an ordinary file", "move it out of team/"
	case tree.KindHardlink:
		e.Message, e.Hint = "the file has a second name elsewhere, so it could share more than you mean", "put a copy here instead"
	case tree.KindClash:
		e.Message, e.Hint = "two files differ only in how one name is spelled", "rename one of them"
	case tree.KindTooLarge:
		e.Code = memory.CodeTooLarge
		e.Message, e.Hint = "the file is larger than an entry may be (256 KiB)", "split it into several entries"
	case tree.KindUnstable:
		e.Message, e.Hint = "the file is being written to all the time", "sync again when it rests"
	case tree.KindPathRejected:
		e.Message, e.Hint = "this name is not shared", "choose another name"
	case tree.KindIgnored:
		e.Message, e.Hint = "this name is left out of what is shared", "choose another name, or see .teammemignore"
	}
	return e
}

// nameTaken is why a file stays where it is although its entry was renamed.
func nameTaken() *memory.Error {
	return &memory.Error{
		Code: codeClash, Message: "a team-mate's entry now has this name, and your file is in its place", Hint: "rename your file",
	}
}

// refuse records that a file is not shared. It is news unless the same file was
// refused for the same reason before.
func (c *cycle) refuse(r refusal) {
	old, known := c.refused[r.Disk]
	c.fresh[r.Disk] = !known || old.Code != r.Code || old.Layer != r.Layer || old.Sum != r.Sum
	c.refusals[r.Disk] = r
	c.state.dirty = c.state.dirty || c.fresh[r.Disk] || old.RuleSet != r.RuleSet || old.Action != r.Action
}

// refuseAgain lists a refusal from before that still holds.
func (c *cycle) refuseAgain(disk string) {
	r, known := c.refused[disk]
	if _, now := c.refusals[disk]; known && !now {
		c.refuse(r)
	}
}

// refuseEntry lists an entry that is not written because of its name here. What
// is blocked for another reason is listed as the scan found it.
func (c *cycle) refuseEntry(op msync.Op) {
	if op.Local.Blocked == msync.SuspectEmpty {
		c.refuseEmptied(op)
		return
	}
	kind := tree.Kind(op.Local.Blocked)
	if _, found := c.blocked[op.Local.Path]; found || kind != tree.KindIgnored && kind != tree.KindClash {
		return
	}
	p := op.Local.Path
	if kind == tree.KindIgnored && c.listing.LeavesOut(p) {
		c.leaveOut(op)
		return
	}
	r := refusalOf(p.String(), p, blockedProblem(&tree.Blocked{Kind: kind}))
	r.Unwritten = true
	c.refuse(r)
}

// wasRefused reports whether an op only asks once more about what was refused
// because of something else than the text, and lists it.
func (c *cycle) wasRefused(op msync.Op) bool {
	p := cmp.Or(op.Local.Path, op.Path)
	disk := c.state.disk(p, p)
	r, known := c.refused[disk]
	if !known || r.RuleSet != "" || r.Action == "" || !c.holds(r) {
		return false
	}
	c.refuseAgain(disk)
	return true
}

// reopen lets what was refused because of other entries be asked once more in
// this run: one of those just left.
func (c *cycle) reopen() {
	maps.DeleteFunc(c.refusals, func(_ string, r refusal) bool { return r.Action != "" && r.RuleSet == "" })
}

// accepted forgets that the file of a path was refused.
func (c *cycle) accepted(p memory.Path) {
	disk := c.state.disk(p, p)
	delete(c.refused, disk)
	delete(c.refusals, disk)
}

// refusalOf records why a name in the tree is left alone.
func refusalOf(disk string, p memory.Path, problem *memory.Error) refusal {
	return refusal{
		Disk: disk, Path: p, Code: problem.Code, Layer: problem.Layer, Position: int64(problem.Position),
		Message: problem.Message, Hint: problem.Hint, Findings: problem.Findings,
	}
}

// problem brings a recorded refusal back into words.
func (r refusal) problem() *memory.Error {
	return &memory.Error{
		Code: r.Code, Layer: r.Layer, Position: int(r.Position), Message: r.Message, Hint: r.Hint, Findings: r.Findings,
	}
}

// listed is how a report tells of the refusal.
func (r refusal) listed(isNew bool) Refused {
	return Refused{File: r.Disk, Remote: r.Unwritten || r.Entry != "", New: isNew, Problem: r.problem()}
}

// holds reports whether the file is still what the refusal was about.
func (c *cycle) holds(r refusal) bool {
	f, there := c.state.files[r.Path]
	switch r.Action {
	case memory.ActionDelete:
		return !there
	case memory.ActionPut, memory.ActionMove:
		return there && f.Sum == r.Sum
	default:
		return false
	}
}

// remembered returns what the next run must know of refusals: those of this
// run, and those from before that it did not get to look at.
func (c *cycle) remembered() []refusal {
	var all []refusal
	for _, r := range c.refusals {
		all = append(all, r)
	}
	for disk, r := range c.refused {
		if _, now := c.refusals[disk]; !now && !c.told && (!c.scanned || c.holds(r)) {
			all = append(all, r)
		}
	}
	for _, r := range c.state.foreign {
		all = append(all, r)
	}
	return all
}
