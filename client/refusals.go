package client

import (
	"errors"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Codes of files that the disk itself keeps from being shared. They stand
// beside the protocol's codes and never leave this machine.
const (
	codeUnreadable = memory.Code(tree.KindUnreadable)
	codeUnstable   = memory.Code(tree.KindUnstable)
)

// BlockedCodes are the codes of files that stay here because of what they are
// on disk, not because of what is in them.
func BlockedCodes() []memory.Code {
	var codes []memory.Code
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
	case tree.KindPathRejected, tree.KindIgnored:
		e.Message = "this name is not shared"
	}
	return e
}

// refuse records that a file is not shared. It is new unless the same file was
// refused for the same reason before.
func (c *cycle) refuse(disk string, p memory.Path, sum memory.Hash, ruleSet string, problem *memory.Error) {
	r := refusalOf(disk, p, sum, ruleSet, problem)
	old, known := c.refused[disk]
	fresh := !known || old.Code != r.Code || old.Sum != r.Sum
	if now, again := c.refusals[disk]; again {
		fresh = fresh && now.Code != r.Code
	}
	c.refusals[disk] = r
	c.fresh[disk] = c.fresh[disk] || fresh
	c.state.dirty = c.state.dirty || fresh
}

func refusalOf(disk string, p memory.Path, sum memory.Hash, ruleSet string, problem *memory.Error) refusal {
	return refusal{
		Disk: disk, Path: p, Sum: sum, RuleSet: ruleSet, Code: problem.Code, Layer: problem.Layer, Position: int64(problem.Position),
		Message: problem.Message, Hint: problem.Hint, Findings: problem.Findings,
	}
}

// problem brings a recorded refusal back into words.
func (r refusal) problem() *memory.Error {
	return &memory.Error{
		Code: r.Code, Layer: r.Layer, Position: int(r.Position), Message: r.Message, Hint: r.Hint, Findings: r.Findings,
	}
}

// stillRefused returns why the text that a file has now was refused, in this
// run or before.
func (c *cycle) stillRefused(p memory.Path) (refusal, bool) {
	f, ok := c.state.files[p]
	if !ok {
		return refusal{}, false
	}
	r, ok := c.refusals[f.Disk]
	if !ok {
		r, ok = c.refused[f.Disk]
	}
	return r, ok && !r.Sum.IsZero() && r.Sum == f.Sum
}
