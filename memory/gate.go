package memory

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// Push takes a batch of changes through the gate: authorise, then for every op
// its path, size, encoding, secrets, frontmatter and policy, and then one
// transaction which compares bases and writes. One bad op never stops the
// others; the error is about the request as a whole.
func (s *Service) Push(ctx context.Context, who Principal, id ProjectID, p Push) (Receipt, error) {
	project, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.admit(ctx, who, p); err != nil {
		return Receipt{}, err
	}
	if p.Epoch != project.Head.Epoch {
		return Receipt{}, epochChanged(project.Head)
	}
	b := Batch{
		Project: id, Epoch: p.Epoch, Key: p.Key, Body: p.Body, Only: p.Only, By: who, Device: cmp.Or(p.Device, who.Device), Agent: p.Agent,
		At: s.clock(), Review: project.Review, Release: p.Release,
	}
	b.Guarded = b.At.Add(-deletesLast)
	b = s.bounded(b)
	for _, op := range p.Ops {
		item, err := s.check(ctx, project, b.Items, op)
		if err != nil {
			return Receipt{}, err
		}
		b.Items = append(b.Items, item)
	}
	return s.commit(ctx, b)
}

// bounded adds what a project can hold.
func (s *Service) bounded(b Batch) Batch {
	b.Quota, b.Pending, b.Own = s.limits.ProjectEntries, s.limits.ProjectPending, s.limits.MemberPending
	return b
}

// admit checks a push as a whole.
func (s *Service) admit(ctx context.Context, who Principal, p Push) error {
	if len(p.Ops) == 0 || len(p.Ops) > s.limits.PushOps {
		return Invalid("ops", fmt.Sprintf("a push has 1 to %d ops", s.limits.PushOps))
	}
	total := 0
	for _, op := range p.Ops {
		total += len(op.Content)
	}
	if total > s.limits.PushBytes {
		return &Error{Code: CodeTooLarge, Field: "ops", Message: fmt.Sprintf("a push has at most %d bytes of content", s.limits.PushBytes)}
	}
	if len(p.Key) > 100 {
		return Invalid("key", "an idempotency key has at most 100 bytes")
	}
	for _, w := range []struct{ field, word string }{
		{"agent", p.Agent.Name}, {"agent", p.Agent.Version}, {"agent", p.Agent.Session}, {"agent", p.Agent.Model}, {"key", p.Key},
	} {
		if err := s.screenWords(ctx, w.field, w.word); err != nil {
			return err
		}
	}
	return s.ownDevice(ctx, who, p.Device)
}

// check takes one op through everything that needs no head, after the ops before
// it. A problem of the op becomes part of the item; the error is one of the
// request, such as a cancelled context.
func (s *Service) check(ctx context.Context, project ProjectView, before []Item, op Op) (Item, error) {
	w, err := s.screen(ctx, project.ID, op)
	if err == nil && w.Action == ActionMove {
		w, err = s.screenMoved(ctx, project.ID, before, w)
	}
	if ctx.Err() != nil {
		return Item{}, ctx.Err()
	}
	if err != nil {
		item, err := refusal(op.Action, err)
		if p := item.Refused; p != nil && p.Code == CodeSecretFound && p.Field == "content" {
			item.Found = w.Path
		}
		return item, err
	}
	item := Item{Write: w}
	if Decide(project.Project, w) != DecidePublish {
		item.Proposal = NewProposalID()
	}
	return item, nil
}

// refusal keeps of an op that did not pass only what the audit says of it.
func refusal(a Action, err error) (Item, error) {
	problem := asError(err)
	if problem == nil {
		return Item{}, err
	}
	if !a.known() {
		a = "push" // what a client made up is not repeated
	}
	return Item{Write: Write{Action: a}, Refused: problem}, nil
}

// screen turns an op into a write, in the order of the gate.
func (s *Service) screen(ctx context.Context, id ProjectID, op Op) (Write, error) {
	path, err := ParsePath(op.Path)
	if err != nil {
		return Write{}, err
	}
	if op.BaseRev < 0 {
		return Write{}, Invalid("base_rev", "a base is 0 or the number of a revision")
	}
	if err := s.checkNote(op.Note); err != nil {
		return Write{}, err
	}
	w := Write{
		Action: op.Action, Path: path, EntryID: op.EntryID, NewID: NewEntryID(), BaseRev: op.BaseRev, BaseSum: op.BaseSum,
		AbsentAt: op.AbsentAt, AllowEmpty: op.AllowEmpty, Review: op.Review, Note: op.Note,
	}
	if op.EntryID != "" && !op.EntryID.valid() {
		return Write{}, Invalid("entry_id", "this is not the id of an entry")
	}
	if err := screenWords(ctx, s.scannerFor(id, Path{}), "note", op.Note); err != nil {
		return Write{}, err
	}
	switch op.Action {
	case ActionPut:
		return s.screenPut(ctx, id, op, w)
	case ActionMove:
		return s.screenMove(ctx, id, op, w)
	case ActionDelete:
		return w, nil
	default:
		return Write{}, Invalid("op", "an op is put, move or delete")
	}
}

// screenWords checks words that are stored beside a change like the change
// itself.
func (s *Service) screenWords(ctx context.Context, field, words string) error {
	return screenWords(ctx, s.scanner, field, words)
}

func screenWords(ctx context.Context, scanner Scanner, field, words string) error {
	if words == "" {
		return nil
	}
	if err := sanitize.CheckText([]byte(words)); err != nil {
		e := textRejected(err)
		e.Field = field
		return e
	}
	return scan(ctx, scanner, field, piece{words: words})
}

func (s *Service) screenPut(ctx context.Context, id ProjectID, op Op, w Write) (Write, error) {
	if !op.Sum.IsZero() && op.Sum != Sum(op.Content) {
		return Write{}, Invalid("sha256", "the stated sha256 is not the content's")
	}
	content, err := Screen(ctx, s.scannerFor(id, w.Path), w.Path, op.Content)
	if err != nil {
		return Write{Path: w.Path}, err
	}
	w.Content, w.Meta = content, content.Frontmatter()
	w.Risks = s.risks.of(w.Meta, content)
	return w, nil
}

func (s *Service) screenMove(ctx context.Context, id ProjectID, op Op, w Write) (Write, error) {
	previous, err := ParsePath(op.Previous)
	if err != nil {
		if e := asError(err); e != nil {
			e.Field = "previous_path"
		}
		return Write{}, err
	}
	w.Previous = previous
	return w, scanPath(ctx, s.scannerFor(id, Path{}), w.Path)
}

// commit hands the batch to the store and tells whoever waits for the project.
//
// What is stored is stored, for all or for a reviewer: from there on nothing may
// take the receipt from the client, neither a caller who has gone away nor an
// audit that cannot be written. A push of which nothing was stored is
// different: its refusals are only answered once they are on record, and it can
// be sent again.
func (s *Service) commit(ctx context.Context, b Batch) (Receipt, error) {
	receipt, err := s.store.Push(ctx, b)
	if CodeOf(err) == CodeDeleteGuard {
		return Receipt{}, s.auditGuard(ctx, b, err)
	}
	if err != nil {
		return Receipt{}, err
	}
	published, waits := false, false
	for _, v := range receipt.Verdicts {
		published, waits = published || v.Ruling == RulingPublished, waits || v.Ruling == RulingWaiting
	}
	if published {
		s.notify.Notify(b.Project, receipt.Head.Cursor())
	}
	const patience = 5 * time.Second // the client waits for the receipt
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err = s.auditRefusals(ctx, b, receipt)
	if err != nil && !published && !waits {
		return Receipt{}, err
	}
	receipt.Unrecorded = err
	return receipt, nil
}

// auditGuard records that deletes were not carried out.
func (s *Service) auditGuard(ctx context.Context, b Batch, err error) error {
	row := b.By.Row(b.At, "entry.delete", string(b.Project))
	row.Decision, row.Rules = string(RulingRefused), []string{string(CodeDeleteGuard)}
	if failed := s.store.Audit(ctx, row); failed != nil {
		return failed
	}
	return err
}

// auditRefusals records what was refused in the instance's chain, so that a
// refused push never waits for the project's row.
func (s *Service) auditRefusals(ctx context.Context, b Batch, r Receipt) error {
	var rows []AuditRow
	var found []Finding
	for i, v := range r.Verdicts {
		if v.Ruling != RulingRefused {
			continue
		}
		row := b.By.Row(b.At, "entry."+string(b.Items[i].Write.Action), string(b.Project))
		if v.EntryID != "" {
			row.Object = string(v.EntryID)
		}
		row.Decision, row.Rules = string(RulingRefused), rulesOf(v.Problem)
		rows = append(rows, row)
		found = append(found, s.refusedFindings(b, b.Items[i], v.Problem)...)
	}
	if len(rows) == 0 {
		return nil
	}
	if len(found) > 0 {
		if _, err := s.store.KeepFindings(ctx, b.Project, found, s.limits.OpenFindings, rows...); CodeOf(err) != CodeQuota {
			return err // also none
		}
	}
	return s.store.Audit(ctx, rows...)
}

// rulesOf names what refused: the code, and the rules behind it.
func rulesOf(problem *Error) []string {
	rules := []string{string(problem.Code)}
	for _, f := range problem.Findings {
		rules = append(rules, f.Rule)
	}
	return rules
}

func epochChanged(h Head) *Error {
	return &Error{
		Code: CodeEpochChanged, Message: "the project's history was replaced since you last synced", Head: &h,
		Hint: "run teammem sync to join the new history; nothing of yours is removed",
	}
}
