package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Withdrawal is a quarantine as a maintainer asks for it.
type Withdrawal struct {
	Suspects

	Reason string
	DryRun bool // only tell what it would take back
}

// mostSuspects is how many entries one quarantine can name.
const mostSuspects = 20_000

// Quarantine takes changes back, for every member at once. Who asks for the same
// again takes nothing back, and is answered with what they took back before: if
// that is long ago, with a quarantine without an identity.
func (s *Service) Quarantine(ctx context.Context, who Principal, id ProjectID, w Withdrawal) (Quarantine, error) {
	project, err := s.moderate(ctx, who, id, ScopeWrite)
	if err != nil {
		return Quarantine{}, err
	}
	if err := w.check(); err != nil {
		return Quarantine{}, err
	}
	if len(w.Entries) > mostSuspects {
		return Quarantine{}, Invalid("entry_ids", fmt.Sprintf("a quarantine names at most %d entries", mostSuspects))
	}
	w.Entries = unique(slices.Clone(w.Entries))
	if err := s.checkWhy(ctx, w.Reason); err != nil {
		return Quarantine{}, err
	}
	q := Quarantine{Project: id, Suspects: w.Suspects, Reason: w.Reason, By: Author{who.Member, who.Name}, At: s.clock()}
	seen, err := s.store.PreviewQuarantine(ctx, q)
	if err != nil {
		return Quarantine{}, err
	}
	var back []RevisionRef
	for _, e := range seen.Entries {
		if e.Back > 0 {
			back = append(back, RevisionRef{e.EntryID, e.Back})
		}
	}
	if w.DryRun {
		err := s.withScreened(ctx, id, back, func(done Screened) error {
			seen = seen.without(done)
			return nil
		})
		return seen, err
	}
	q.ID = NewQuarantineID()
	asked, row := q, who.Row(q.At, "quarantine.add", string(q.ID))
	err = s.withScreened(ctx, id, back, func(done Screened) error {
		q, err = s.store.AddQuarantine(ctx, asked, done, row)
		return err
	})
	if err == nil && q.Head.Seq > project.Head.Seq {
		s.notify.Notify(id, Cursor{project.Head.Epoch, q.Head.Seq})
	}
	return q, err
}

// withScreened screens revisions and then does something with them. That happens
// before the project is locked, so it may turn out under the lock that others
// come back by now: they are screened, too, and it is done again.
func (s *Service) withScreened(ctx context.Context, id ProjectID, refs []RevisionRef, do func(Screened) error) error {
	const rounds = 5
	done := Screened{}
	for range rounds {
		if err := s.screenRevisions(ctx, id, refs, done); err != nil {
			return err
		}
		err := do(done)
		more, ok := errors.AsType[*Unscreened](err)
		if !ok {
			return err
		}
		refs = more.Refs
	}
	return &Error{Code: CodeUnavailable, Message: "the entries keep changing", Hint: "try again in a moment"}
}

// screenRevisions takes texts through today's gate: what was allowed when they
// were written may be refused now.
func (s *Service) screenRevisions(ctx context.Context, id ProjectID, refs []RevisionRef, done Screened) error {
	for len(refs) > 0 {
		found, err := s.store.Revisions(ctx, id, refs, s.limits.PageBytes)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			break
		}
		refs = refs[min(len(found), len(refs)):]
		for _, r := range found {
			fit := r.Action == ActionDelete || r.Purged // there is no text
			if !fit {
				path, err := ParsePath(r.Path.String())
				if err == nil {
					_, err = Screen(ctx, s.scannerFor(id, path), path, r.Content)
				}
				fit = err == nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			done[RevisionRef{r.EntryID, r.Rev}] = fit
		}
	}
	return nil
}

// Release makes what a quarantine took back the newest again, each text byte for
// byte. Entries that somebody has changed since stay as they are, and so do those
// whose name is taken: they can be released later.
func (s *Service) Release(ctx context.Context, who Principal, id ProjectID, quarantine QuarantineID, reason string) (Quarantine, error) {
	project, err := s.moderate(ctx, who, id, ScopeWrite)
	if err != nil {
		return Quarantine{}, err
	}
	if err := s.checkWhy(ctx, reason); err != nil {
		return Quarantine{}, err
	}
	now := s.clock()
	held, err := s.store.Quarantine(ctx, id, quarantine)
	if err != nil {
		return Quarantine{}, err
	}
	var was []RevisionRef
	for _, e := range held.Entries {
		if e.Released == 0 {
			was = append(was, RevisionRef{e.EntryID, e.Was})
		}
	}
	r := Releasing{Project: id, Quarantine: quarantine, Reason: cmp.Or(reason, "released from quarantine"), At: now}
	var q Quarantine
	err = s.withScreened(ctx, id, was, func(done Screened) error {
		r.Screened = done
		q, err = s.store.ReleaseQuarantine(ctx, r, who.Row(now, "quarantine.release", string(quarantine)))
		return err
	})
	if err == nil && q.Head.Seq > project.Head.Seq {
		s.notify.Notify(id, Cursor{project.Head.Epoch, q.Head.Seq})
	}
	return q, err
}

// Quarantines returns a page of quarantines without their entries, newest first.
func (s *Service) Quarantines(ctx context.Context, who Principal, id ProjectID, q QuarantineQuery) ([]Quarantine, error) {
	if _, err := s.moderate(ctx, who, id, ScopeRead); err != nil {
		return nil, err
	}
	if q.Limit <= 0 || q.Limit > s.limits.ListPage {
		q.Limit = s.limits.ListPage
	}
	return s.store.Quarantines(ctx, id, q)
}

// QuarantineByID returns one quarantine with its entries.
func (s *Service) QuarantineByID(ctx context.Context, who Principal, id ProjectID, quarantine QuarantineID) (Quarantine, error) {
	if _, err := s.moderate(ctx, who, id, ScopeRead); err != nil {
		return Quarantine{}, err
	}
	return s.store.Quarantine(ctx, id, quarantine)
}

// moderate admits maintainers.
func (s *Service) moderate(ctx context.Context, who Principal, id ProjectID, scope Scope) (ProjectView, error) {
	project, err := s.enter(ctx, who, id, scope)
	if err != nil {
		return ProjectView{}, err
	}
	if project.Role < RoleMaintainer {
		return ProjectView{}, &Error{
			Code: CodeForbidden, Message: "this needs the role " + RoleMaintainer.String() + "; yours is " + project.Role.String(),
			Hint: "ask a maintainer of the project",
		}
	}
	return project, nil
}

// checkWhy checks the reason that is kept beside what was done.
func (s *Service) checkWhy(ctx context.Context, reason string) error {
	if err := s.checkNote(reason); err != nil {
		return Invalid("reason", asError(err).Message)
	}
	return s.screenWords(ctx, "reason", reason)
}

// ModerationStore takes changes back.
type ModerationStore interface {
	// PreviewQuarantine tells what a quarantine would take back.
	PreviewQuarantine(ctx context.Context, q Quarantine) (Quarantine, error)
	// AddQuarantine takes back what is suspect, in one transaction, and brings
	// nothing back that the gate refuses. If there is nothing to take, nothing is
	// written, and it returns the same quarantine of shortly before; without one,
	// the identity is "". The error is an [*Unscreened] if something would come back
	// that was not screened.
	AddQuarantine(ctx context.Context, q Quarantine, done Screened, row AuditRow) (Quarantine, error)
	// ReleaseQuarantine brings back, in one transaction, what it can. The error may
	// be an [*Unscreened], too.
	ReleaseQuarantine(ctx context.Context, r Releasing, row AuditRow) (Quarantine, error)
	Quarantine(ctx context.Context, project ProjectID, id QuarantineID) (Quarantine, error)
	// Quarantines returns a page without entries, newest first.
	Quarantines(ctx context.Context, project ProjectID, q QuarantineQuery) ([]Quarantine, error)
	// Purge removes what [Purging.Condemn] says, in one transaction.
	Purge(ctx context.Context, p Purging, row AuditRow) (Purged, error)
	// Erasure tells how the text of a proposal or conflict was purged.
	Erasure(ctx context.Context, project ProjectID, object string) (Erasure, error)
}
