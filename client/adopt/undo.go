package adopt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Undoing is what undoing an import does with one file.
type Undoing string

// The undoings.
const (
	Remove  Undoing = "remove"  // it has the text that was imported
	Retract Undoing = "retract" // an index loses lines that it gained
	Stays   Undoing = "stays"   // somebody changed it since, or it is a teammate's
	Gone    Undoing = "gone"    // it is not there any more
)

// Step is one file of an undo.
type Step struct {
	Path    memory.Path
	Undoing Undoing
	Reason  string
	Lines   int // that an index loses

	disk  string
	sum   memory.Hash // of what is there
	after []byte      // of an index
}

// Undo is what taking back an import would do, or has done.
type Undo struct {
	Receipt Receipt
	Steps   []Step
	Report  *client.Report // of the sync behind it
}

// Acts returns how many files the undo changes.
func (u *Undo) Acts() int {
	n := 0
	for _, s := range u.Steps {
		if s.Undoing == Remove || s.Undoing == Retract {
			n++
		}
	}
	return n
}

// Spent reports whether nothing is left to take back. Of an import that was cut
// off the server may have more than is here.
func (u *Undo) Spent() bool {
	return u.Acts() == 0 && (u.Receipt.State == Sent || u.Receipt.State == Undone)
}

// PlanUndo says what taking back an import would do; the last one that was not
// undone, if id is empty. Nothing is changed.
func (im *Importer) PlanUndo(ctx context.Context, id string) (*Undo, error) {
	r, err := im.receipt(id)
	if err != nil {
		return nil, err
	}
	u := &Undo{Receipt: r}
	err = im.mirror.Edit(ctx, func(t *tree.Tree) error { return u.look(ctx, t) })
	if err != nil {
		return nil, fmt.Errorf("look at what is there: %w", err)
	}
	return u, nil
}

// maxUndos is how often an undo looks again after its sync.
const maxUndos = 3

// Undo takes an import back and syncs: what was changed since it was planned
// stays. The server keeps the texts in its history.
//
// If the import was cut off while it was sent, nobody here knows which files the
// server has by then: it brings them with the sync, and they are taken back
// after that. One that is spent is only noted as undone.
func (im *Importer) Undo(ctx context.Context, u *Undo) error {
	if u.Spent() {
		return im.undone(u)
	}
	complete, err := im.takeBack(ctx, u)
	if err != nil {
		return err
	}
	known := u.Receipt.State == Sent && complete
	if known {
		err = im.undone(u)
	}
	again := Undo{Receipt: u.Receipt}
	for range maxUndos {
		var failed error
		u.Report, failed = im.mirror.Sync(ctx, client.SyncOptions{Removed: append(u.removed(), again.removed()...)})
		if err = errors.Join(err, failed); err != nil || known {
			return err
		}
		more, err := im.takeBack(ctx, &again)
		if err != nil {
			return err
		}
		if complete = complete && more; again.Acts() == 0 {
			break
		}
	}
	if !complete {
		return nil // a later undo can try once more
	}
	return im.undone(u)
}

// removed are the files whose deletes the member agreed to by undoing.
func (u *Undo) removed() []memory.Path {
	var paths []memory.Path
	for _, s := range u.Steps {
		if s.Undoing == Remove {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// takeBack decides once more, since the tree may have changed, and does it.
func (im *Importer) takeBack(ctx context.Context, u *Undo) (complete bool, err error) {
	err = im.mirror.Edit(ctx, func(t *tree.Tree) (err error) {
		if err := u.look(ctx, t); err != nil || u.Acts() == 0 {
			complete = err == nil
			return err
		}
		complete, err = u.carryOut(ctx, t)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("take back import %s: %w", u.Receipt.ID, err)
	}
	return complete, nil
}

func (im *Importer) undone(u *Undo) error {
	u.Receipt.State = Undone
	return im.save(&u.Receipt)
}

// look decides on each file by what it holds now.
func (u *Undo) look(ctx context.Context, t *tree.Tree) error {
	l, err := t.List(ctx)
	if err != nil {
		return err
	}
	u.Steps = nil
	staying := map[string]bool{}
	for _, f := range u.Receipt.Files {
		s, _, err := find(ctx, t, l, f.Path)
		if err != nil {
			return err
		}
		if s.Undoing == "" {
			s.Undoing = Remove
			switch {
			case f.Outcome == Theirs:
				s.Undoing, s.Reason = Stays, "a teammate has shared the same text"
			case s.sum.String() != f.SHA256:
				s.Undoing, s.Reason = Stays, "it was changed since"
			}
		}
		staying[f.Path] = s.Undoing == Stays
		u.Steps = append(u.Steps, s)
	}
	return u.lookAtIndexes(ctx, t, l, staying)
}

// find reads the file of a path that a receipt names.
func find(ctx context.Context, t *tree.Tree, l tree.Listing, key string) (Step, []byte, error) {
	p, err := memory.ParsePath(key)
	if err != nil {
		return Step{Undoing: Stays, Reason: fmt.Sprintf("%+q is no path any more: remove it by hand", key)}, nil, nil //nolint:nilerr // it is the reason
	}
	s := Step{Path: p, disk: l.Spell(p)}
	text, _, err := t.Read(ctx, s.disk, tree.Stamp{})
	switch b, blocked := errors.AsType[*tree.Blocked](err); {
	case errors.Is(err, fs.ErrNotExist):
		s.Undoing, s.Reason = Gone, "it is not there any more"
	case blocked:
		s.Undoing, s.Reason = Stays, "it cannot be read: "+string(b.Kind)
	case err != nil:
		return s, nil, err
	}
	s.sum = memory.Sum(text)
	return s, text, nil
}

// lookAtIndexes goes through the indexes that gained lines. The lines of
// entries that stay, stay as well.
func (u *Undo) lookAtIndexes(ctx context.Context, t *tree.Tree, l tree.Listing, staying map[string]bool) error {
	for _, x := range slices.Backward(u.Receipt.Indexes) {
		if x.Outcome == Theirs {
			continue // its lines are, too
		}
		at := slices.IndexFunc(u.Steps, func(s Step) bool { return s.Path.String() == x.Path })
		if at < 0 {
			s, text, err := find(ctx, t, l, x.Path)
			if err != nil {
				return err
			}
			s.after = text
			at = len(u.Steps)
			u.Steps = append(u.Steps, s)
		}
		s := &u.Steps[at]
		if s.Undoing == "" || s.Undoing == Retract {
			s.retract(x, staying)
		}
	}
	for i := range u.Steps {
		if s := &u.Steps[i]; s.Undoing == "" {
			s.Undoing, s.Reason = Stays, "the lines that it gained are not there any more"
		}
	}
	return nil
}

// retract takes the lines out that an index gained: all at once, if they still
// are its end, or those that are still there.
func (s *Step) retract(x ReceiptIndex, staying map[string]bool) {
	var lines []string
	for _, line := range x.Lines {
		if !staying[line.Target] {
			lines = append(lines, line.Text)
		}
	}
	text := string(s.after)
	if rest, ok := strings.CutSuffix(text, x.Lead+strings.Join(lines, "")); ok && len(lines) == len(x.Lines) {
		s.Undoing, s.Lines, s.after = Retract, s.Lines+len(lines), []byte(rest)
		return
	}
	for _, line := range lines {
		if before, after, ok := cutLines(text, line); ok {
			text = before + after
			s.Undoing = Retract
			s.Lines++
		}
	}
	s.after = []byte(text)
}

// cutLines cuts whole lines at their last place in a text, whatever they end
// with there.
func cutLines(text, gone string) (before, after string, ok bool) {
	plain := strings.ReplaceAll(gone, "\r\n", "\n")
	for _, form := range []string{plain, strings.ReplaceAll(plain, "\n", "\r\n"), strings.TrimSuffix(plain, "\n")} {
		for from := len(text); ; {
			at := strings.LastIndex(text[:from], form)
			if at < 0 {
				break
			}
			end := at + len(form)
			if (at == 0 || text[at-1] == '\n') && (strings.HasSuffix(form, "\n") || end == len(text)) {
				return text[:at], text[end:], true
			}
			from = at
		}
	}
	return text, "", false
}

// carryOut changes the tree. It reports whether nothing is left to be tried
// again.
func (u *Undo) carryOut(ctx context.Context, t *tree.Tree) (complete bool, err error) {
	b := t.Begin()
	var acting []*Step
	for i := range u.Steps {
		s := &u.Steps[i]
		switch s.Undoing {
		case Remove:
			b.Delete(s.Path, s.disk, s.sum)
		case Retract:
			b.Put(s.Path, s.disk, s.after, time.Time{}, s.sum)
		case Stays, Gone:
			continue
		}
		acting = append(acting, s)
	}
	results, err := b.Commit(ctx)
	if err != nil {
		return false, err
	}
	complete = true
	for i, r := range results {
		if r.Err == nil {
			continue
		}
		acting[i].Undoing, acting[i].Reason = Stays, whyNot(r.Err)
		complete = complete && errors.Is(r.Err, tree.ErrChanged)
	}
	return complete, ctx.Err()
}
