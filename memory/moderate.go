package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
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
// again takes nothing back, and gets a quarantine without an identity.
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
	if w.DryRun {
		return s.store.PreviewQuarantine(ctx, q)
	}
	q.ID = NewQuarantineID()
	q, err = s.store.AddQuarantine(ctx, q, who.Row(q.At, "quarantine.add", string(q.ID)))
	if err == nil && q.Withdrawn > 0 {
		s.notify.Notify(id, Cursor{project.Head.Epoch, q.Head.Seq})
	}
	return q, err
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
	q, err := s.store.ReleaseQuarantine(ctx, id, quarantine, cmp.Or(reason, "released from quarantine"), now, who.Row(now, "quarantine.release", string(quarantine)))
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

// Purge is a text to be removed for good.
type Purge struct {
	EntryID EntryID
	Rev     int64 // the revision with the text; 0: all texts of the entry, which goes
	Reason  string
}

// Purged is what a purge removed.
type Purged struct {
	Rev       int64     // the change that tells of it; 0: there was nothing left
	Sums      []Hash    // of the texts
	Revisions int       // that had them
	Elsewhere []EntryID // that have one of the texts too, and keep it
	Head      Head      // of the project afterwards
}

// Purge removes texts for good, wherever the server keeps them; what stays is
// who wrote them and when, and their hashes, by which they are refused from then
// on. Members purge what they have written themselves. Maintainers purge
// anything, but only where they are present in person: it cannot be undone.
func (s *Service) Purge(ctx context.Context, who Principal, id ProjectID, p Purge) (Purged, error) {
	project, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Purged{}, err
	}
	if err := s.checkWhy(ctx, p.Reason); err != nil {
		return Purged{}, err
	}
	if p.Rev < 0 {
		return Purged{}, Invalid("rev", "a revision is a number above 0")
	}
	now := s.clock()
	own := project.Role < RoleMaintainer || !who.Can(ScopeReview)
	purged, err := s.store.Purge(ctx, id, p, who, own, now, who.Row(now, "entry.purge", string(p.EntryID)))
	if err == nil && purged.Rev > 0 {
		s.notify.Notify(id, Cursor{project.Head.Epoch, purged.Head.Seq})
	}
	return purged, err
}

// Remnant is one revision of an entry that is to be purged, with who had its text
// first.
type Remnant struct {
	Past

	Author MemberID
}

// Condemn decides which revisions a purge takes, of an entry's, oldest first.
// Someone who purges only their own has to have brought each text.
func (p Purge) Condemn(head EntryHead, all []Remnant, by MemberID, own bool) (revs []int64, sums []Hash, err error) {
	wanted := map[Hash]bool{}
	for _, r := range all {
		if r.Action != ActionDelete && (p.Rev == 0 || p.Rev == r.Rev) {
			wanted[r.Sum] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil, NotFound("revision with a text")
	}
	if p.Rev > 0 && head.DeletedRev == 0 && wanted[head.Sum] {
		return nil, nil, &Error{
			Code: CodeConflict, Field: "rev", Message: "this is what the entry says now", Hint: "change or withdraw it first, or purge the whole entry",
		}
	}
	seen := map[Hash]bool{}
	for _, r := range all {
		if r.Action == ActionDelete || !wanted[r.Sum] {
			continue
		}
		if !seen[r.Sum] {
			seen[r.Sum], sums = true, append(sums, r.Sum)
			if own && r.Author != by {
				return nil, nil, &Error{
					Code: CodeForbidden, Message: "somebody else has written this, too",
					Hint: "a maintainer can purge it, in the console",
				}
			}
		}
		if !r.Purged {
			revs = append(revs, r.Rev)
		}
	}
	return revs, sums, nil
}

// ModerationStore takes changes back.
type ModerationStore interface {
	// PreviewQuarantine tells what a quarantine would take back.
	PreviewQuarantine(ctx context.Context, q Quarantine) (Quarantine, error)
	// AddQuarantine takes back what is suspect, in one transaction. If that is
	// nothing, nothing is written, and the identity is "".
	AddQuarantine(ctx context.Context, q Quarantine, row AuditRow) (Quarantine, error)
	// ReleaseQuarantine brings back, in one transaction, what it can.
	ReleaseQuarantine(ctx context.Context, project ProjectID, id QuarantineID, reason string, at time.Time, row AuditRow) (Quarantine, error)
	Quarantine(ctx context.Context, project ProjectID, id QuarantineID) (Quarantine, error)
	// Quarantines returns a page without entries, newest first.
	Quarantines(ctx context.Context, project ProjectID, q QuarantineQuery) ([]Quarantine, error)
	// Purge removes what [Purge.Condemn] says, in one transaction.
	Purge(ctx context.Context, project ProjectID, p Purge, by Principal, own bool, at time.Time, row AuditRow) (Purged, error)
}
