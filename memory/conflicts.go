package memory

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// KeepConflict takes a text that could not be merged through the gate, and
// keeps it beside its author's computer. It is no change: nobody's tree gets it.
// What is reported again is answered with what became of it.
func (s *Service) KeepConflict(ctx context.Context, who Principal, id ProjectID, d Draft) (Conflict, error) {
	if _, err := s.enter(ctx, who, id, ScopeWrite); err != nil {
		return Conflict{}, err
	}
	if err := s.ownDevice(ctx, who, d.Device); err != nil {
		return Conflict{}, err
	}
	row := who.Row(s.clock(), "conflict.keep", string(d.ID))
	c, text, err := s.screenDraft(ctx, id, d)
	if err != nil {
		return Conflict{}, s.refuseConflict(ctx, row, id, err)
	}
	if c.EntryID, err = s.entryNamed(ctx, id, c); err != nil {
		return Conflict{}, err
	}
	c.Project, c.Author, c.At = id, Author{who.Member, who.Name}, row.At
	row.After, row.Decision = c.Sum, "kept"
	kept, err := s.store.KeepConflict(ctx, c, text, s.limits.OpenConflicts, row)
	if CodeOf(err) == CodeTextRejected {
		return Conflict{}, s.refuseConflict(ctx, row, id, err)
	}
	if err != nil {
		return Conflict{}, err
	}
	if kept.Author.Member != who.Member || kept.Path != c.Path || kept.Sum != c.Sum {
		return Conflict{}, &Error{Code: CodeConflict, Field: "id", Message: "another conflict has this id"}
	}
	return kept, nil
}

// screenDraft is the gate, in its order.
func (s *Service) screenDraft(ctx context.Context, id ProjectID, d Draft) (Conflict, Clean, error) {
	path, err := ParsePath(d.Path)
	if err != nil {
		return Conflict{}, Clean{}, err
	}
	switch {
	case !d.ID.valid():
		return Conflict{}, Clean{}, Invalid("id", "this is not the id of a conflict")
	case d.BaseRev < 0 || d.ServerRev < 0:
		return Conflict{}, Clean{}, Invalid("base_rev", "a revision is 0 or a number above it")
	case d.EntryID != "" && !d.EntryID.valid():
		return Conflict{}, Clean{}, Invalid("entry_id", "this is not the id of an entry")
	case !d.Sum.IsZero() && d.Sum != Sum(d.Content):
		return Conflict{}, Clean{}, Invalid("sha256", "the stated sha256 is not the content's")
	}
	text, err := Screen(ctx, s.scannerFor(id, path), path, d.Content)
	return Conflict{
		ID: d.ID, Path: path, EntryID: d.EntryID, BaseRev: d.BaseRev, ServerRev: d.ServerRev, Sum: text.Sum(), Size: text.Size(),
		Device: d.Device, RuleSet: text.RuleSet(), KeptAt: d.KeptAt,
	}, text, err
}

// entryNamed returns the entry that a report says its text is of, if the path
// that the conflict is listed under is that entry's: by now, or in the revisions
// which the text is between. Whoever resolves it would else write to an entry
// that they never read of. Without one, it is of whatever has the path.
func (s *Service) entryNamed(ctx context.Context, id ProjectID, c Conflict) (EntryID, error) {
	if c.EntryID == "" {
		return "", nil
	}
	head, err := s.store.Entry(ctx, id, c.EntryID)
	if err != nil {
		return "", orNothing(err)
	}
	if head.Path == c.Path {
		return head.ID, nil
	}
	between, err := s.store.Revisions(ctx, id, []RevisionRef{{c.EntryID, c.BaseRev}, {c.EntryID, c.ServerRev}}, s.limits.PageBytes)
	for _, r := range between {
		if r.Path == c.Path {
			return r.EntryID, err
		}
	}
	return "", err
}

// refuseConflict puts a refusal on record, like that of a push.
func (s *Service) refuseConflict(ctx context.Context, row AuditRow, id ProjectID, err error) error {
	problem := asError(err)
	if problem == nil || ctx.Err() != nil {
		return err
	}
	row.Object, row.Decision, row.Rules = string(id), string(RulingRefused), rulesOf(problem)
	if err := s.store.Audit(ctx, row); err != nil {
		return err
	}
	return problem
}

// Conflicts lists conflicts of the project, newest first and without their
// contents. Reviewers and up see all of them, others their own: a text that
// was never published is not everybody's to read.
func (s *Service) Conflicts(ctx context.Context, who Principal, id ProjectID, q ConflictQuery) ([]Conflict, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return nil, err
	}
	if !view.narrow(who, &q.Author) {
		return nil, nil
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.Conflicts(ctx, id, q)
}

// Conflict returns one conflict with the texts that it is between. Somebody
// else's is not found unless the principal is a reviewer or higher.
func (s *Service) Conflict(ctx context.Context, who Principal, id ProjectID, conflict ConflictID) (ConflictView, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return ConflictView{}, err
	}
	return s.standoff(ctx, who, view, conflict)
}

// standoff reads a conflict that the principal may see, and what it is between.
func (s *Service) standoff(ctx context.Context, who Principal, view ProjectView, id ConflictID) (v ConflictView, err error) {
	if v.Conflict, err = s.store.Conflict(ctx, view.ID, id); err != nil {
		return v, err
	}
	if !view.shows(who, v.Author.Member) {
		return ConflictView{}, NotFound("conflict")
	}
	if v.Purged {
		if v.Erased, err = s.store.Erasure(ctx, view.ID, string(id)); err != nil {
			return v, err
		}
	}
	if v.Head, err = s.entryOf(ctx, v.Conflict); err != nil {
		return v, err
	}
	if v.BaseRev > 0 && v.EntryID != "" {
		if v.Base, err = s.found(ctx, view, v.EntryID, v.BaseRev); err != nil {
			return v, err
		}
	}
	if v.Head != nil && !v.Head.Deleted {
		v.Theirs, err = s.found(ctx, view, v.Head.ID, v.Head.Rev)
	}
	return v, err
}

// entryOf returns what is there now of the entry that a text was of, wherever
// it moved; of one that was of none, whatever has its path.
func (s *Service) entryOf(ctx context.Context, c Conflict) (*Entry, error) {
	if c.EntryID != "" {
		head, err := s.store.Entry(ctx, c.Project, c.EntryID)
		if err == nil {
			return &head, nil
		}
		if CodeOf(err) != CodeNotFound {
			return nil, err
		}
	}
	head, err := s.store.EntryAt(ctx, c.Project, c.Path)
	if err != nil {
		return nil, orNothing(err)
	}
	return &head, nil
}

// found returns a revision with a text; nil if there is none that the principal
// may read.
func (s *Service) found(ctx context.Context, view ProjectView, entry EntryID, rev int64) (*Revision, error) {
	r, err := s.revision(ctx, view.ID, entry, rev)
	if err != nil || r.Action == ActionDelete || veiled(view.Role, r) != nil {
		return nil, orNothing(err)
	}
	return &r, nil
}

// ResolveConflict does what somebody decided, and closes the conflict. What is
// written goes through [Service.Push], over the revision that was looked at: if
// that is not the newest any more, the answer is CodeChanged, and the conflict
// stays open, as it does if the text is refused. Members resolve their own,
// reviewers everybody's, with a token that may decide. Who repeats what closed it
// is answered the same again.
func (s *Service) ResolveConflict(ctx context.Context, who Principal, id ProjectID, conflict ConflictID, r Resolve) (Conflict, error) {
	view, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Conflict{}, err
	}
	at, err := s.standoff(ctx, who, view, conflict)
	if err != nil {
		return Conflict{}, err
	}
	if err := mayResolve(who, view, at, r.How); err != nil {
		return Conflict{}, err
	}
	if at.Closed != nil {
		return resolved(at.Conflict, who, r.How)
	}
	if who.Device != "" && r.Device == "" {
		r.Device = who.Device
	}
	done, err := s.write(ctx, who, view, at, r)
	if err != nil {
		return Conflict{}, err
	}
	done.By, done.At, done.How = Author{who.Member, who.Name}, s.clock(), r.How
	row := who.Row(done.At, "conflict.resolve", string(conflict))
	row.Before, row.Decision = at.Sum, string(r.How)
	open, err := s.store.CloseConflict(ctx, id, conflict, done, row)
	if err != nil {
		return Conflict{}, err
	}
	if !open {
		again, err := s.store.Conflict(ctx, id, conflict)
		if err != nil {
			return Conflict{}, err
		}
		return resolved(again, who, r.How)
	}
	at.Closed = &done
	return at.Conflict, nil
}

// mayResolve checks who decides about another's text: that takes the scope that
// decisions about proposals take, which no computer's sync has.
func mayResolve(who Principal, view ProjectView, at ConflictView, how How) error {
	switch {
	case at.Author.Member == who.Member:
		return nil
	case how == HowLocal:
		return &Error{Code: CodeForbidden, Message: "only its author resolves a conflict in a tree", Hint: "choose another way"}
	}
	return allow(who, view.Role, ScopeReview)
}

// resolved answers who decides about a conflict that is closed. Where its author
// resolved it in the tree, nothing is left to be said against it.
func resolved(c Conflict, who Principal, how How) (Conflict, error) {
	if how == HowLocal && c.Author.Member == who.Member || how == c.Closed.How && c.Closed.By.Member == who.Member {
		return c, nil
	}
	return Conflict{}, &Error{
		Code: CodeConflict, Message: fmt.Sprintf("already resolved: %s by %s", c.Closed.How, c.Closed.By.Name), Hint: "reload to see how",
	}
}

// write makes what was decided a change like any other.
func (s *Service) write(ctx context.Context, who Principal, view ProjectView, at ConflictView, r Resolve) (Resolution, error) {
	text := at.Content
	switch r.How {
	case HowTheirs, HowLocal:
		return Resolution{}, nil
	case HowBoth:
		return s.writeBeside(ctx, who, view, at, r)
	case HowMerged:
		text = r.Content
	case HowOurs:
	default:
		return Resolution{}, Invalid("how", "this is no way to resolve a conflict")
	}
	if r.BaseRev != at.newest() {
		return Resolution{}, changed("the entry is not what was looked at any more")
	}
	op := Op{Action: ActionPut, Path: at.Path.String(), BaseRev: r.BaseRev, AbsentAt: view.Head.Cursor(), Content: text}
	if at.Head != nil {
		op.EntryID = at.Head.ID
		if !at.Head.Deleted {
			op.Path = at.Head.Path.String()
		}
	}
	v, err := s.pushResolved(ctx, who, view, at, r, op)
	if err != nil {
		return Resolution{}, err
	}
	return outcomeOf(v)
}

// writeBeside gives the text an entry of its own, under the first free number.
// One that has it already, of a try whose end was lost, is that entry.
func (s *Service) writeBeside(ctx context.Context, who Principal, view ProjectView, at ConflictView, r Resolve) (Resolution, error) {
	const most = 100
	name := at.Path
	if at.Head != nil && !at.Head.Deleted {
		name = at.Head.Path
	}
	stem := strings.TrimSuffix(name.String(), ".md")
	for n := 2; n < most; n++ {
		path, err := ParsePath(stem + "-" + strconv.Itoa(n) + ".md")
		if err != nil {
			return Resolution{}, err
		}
		taken, err := s.store.EntryAt(ctx, view.ID, path)
		if err == nil && taken.Sum == at.Sum {
			return Resolution{Rev: taken.Rev, EntryID: taken.ID}, nil
		}
		if orNothing(err) != nil {
			return Resolution{}, err
		}
		if err == nil {
			continue
		}
		v, err := s.pushResolved(ctx, who, view, at, r, Op{
			Action: ActionPut, Path: path.String(), AbsentAt: view.Head.Cursor(), Content: at.Content,
		})
		if err != nil {
			return Resolution{}, err
		}
		if v.Ruling == RulingConflict || v.Problem != nil && v.Problem.Code == CodePathRejected {
			continue // somebody has this name, or one that looks like it
		}
		return outcomeOf(v)
	}
	return Resolution{}, Invalid("how", "no number is free beside this name")
}

func (s *Service) pushResolved(ctx context.Context, who Principal, view ProjectView, at ConflictView, r Resolve, op Op) (Verdict, error) {
	op.Note = "resolved conflict " + string(at.ID)
	receipt, err := s.Push(ctx, who, view.ID, Push{Epoch: view.Head.Epoch, Device: r.Device, Ops: []Op{op}})
	if err != nil {
		return Verdict{}, err
	}
	return receipt.Verdicts[0], nil
}

// outcomeOf is what a text became, or why it became nothing.
func outcomeOf(v Verdict) (Resolution, error) {
	switch v.Ruling {
	case RulingPublished, RulingSame:
		return Resolution{Rev: v.Rev, EntryID: v.EntryID}, nil
	case RulingWaiting:
		return Resolution{Proposal: v.Proposal}, nil
	case RulingRefused:
		return Resolution{}, v.Problem
	case RulingConflict, RulingSuperseded, RulingDeleted:
	}
	return Resolution{}, changed("the entry is not what was looked at any more")
}
