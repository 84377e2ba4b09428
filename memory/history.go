package memory

import (
	"context"
	"fmt"
)

// Entries returns a page of live entries, by path.
func (s *Service) Entries(ctx context.Context, who Principal, id ProjectID, q EntryQuery) ([]Entry, error) {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return nil, err
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.Entries(ctx, id, q)
}

// Entry returns the live entry at a path, with its newest revision.
func (s *Service) Entry(ctx context.Context, who Principal, id ProjectID, path string) (Entry, Revision, error) {
	p, err := ParsePath(path)
	if err != nil {
		return Entry{}, Revision{}, err
	}
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return Entry{}, Revision{}, err
	}
	entry, err := s.store.EntryAt(ctx, id, p)
	if err != nil {
		return Entry{}, Revision{}, err
	}
	rev, err := s.revision(ctx, id, entry.ID, entry.Rev)
	return entry, rev, err
}

// EntryByID returns an entry, live or deleted, with its newest revision: of a
// deleted one that is the delete.
func (s *Service) EntryByID(ctx context.Context, who Principal, project ProjectID, id EntryID) (Entry, Revision, error) {
	if _, err := s.enter(ctx, who, project, ScopeRead); err != nil {
		return Entry{}, Revision{}, err
	}
	entry, err := s.store.Entry(ctx, project, id)
	if err != nil {
		return Entry{}, Revision{}, err
	}
	rev, err := s.revision(ctx, project, id, entry.Rev)
	return entry, rev, err
}

// History returns the revisions of an entry without their contents, newest
// first, below the given rev (0: from the newest).
func (s *Service) History(ctx context.Context, who Principal, id ProjectID, entry EntryID, below int64, limit int) ([]Revision, error) {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return nil, err
	}
	if _, err := s.store.Entry(ctx, id, entry); err != nil {
		return nil, err
	}
	limit = s.limits.page(limit)
	return s.store.History(ctx, id, entry, below, limit)
}

// Revision returns one version of an entry, with its content.
func (s *Service) Revision(ctx context.Context, who Principal, id ProjectID, entry EntryID, rev int64) (Revision, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return Revision{}, err
	}
	found, err := s.revision(ctx, id, entry, rev)
	if err != nil || found.Purged {
		return found, err // who, when and why stay
	}
	if problem := veiled(view.Role, found); problem != nil {
		return Revision{}, problem
	}
	return found, nil
}

// veiled says why a text is not given out, nil if it is. What is in quarantine
// is only for those who may have to judge it.
func veiled(role Role, r Revision) *Error {
	switch {
	case r.Purged:
		return &Error{Code: CodeNotFound, Field: "rev", Message: fmt.Sprintf("the text of this revision was purged in revision %d", r.WithdrawnRev)}
	case r.WithdrawnRev > 0 && role < RoleReviewer:
		return &Error{
			Code: CodeForbidden, Field: "rev", Message: fmt.Sprintf("this revision was withdrawn in revision %d", r.WithdrawnRev),
			Hint: "reviewers can read it",
		}
	}
	return nil
}

func (s *Service) revision(ctx context.Context, id ProjectID, entry EntryID, rev int64) (Revision, error) {
	found, err := s.store.Revisions(ctx, id, []RevisionRef{{entry, rev}}, s.limits.PageBytes)
	if err != nil {
		return Revision{}, err
	}
	if len(found) == 0 {
		return Revision{}, NotFound("revision")
	}
	return found[0], nil
}

// Restore makes an earlier version the newest one, as a revision of its own.
// Its text passes the gate again: what was allowed then may be refused now. A
// deleted entry comes back at the path that the revision had.
func (s *Service) Restore(ctx context.Context, who Principal, id ProjectID, entry EntryID, rev int64) (Receipt, error) {
	return s.restore(ctx, who, id, entry, rev, 0)
}

// RestoreOver is Restore by somebody who looked at the newest revision. If that
// is another by now, nothing is written, and the verdict says so.
func (s *Service) RestoreOver(ctx context.Context, who Principal, id ProjectID, entry EntryID, rev, newest int64) (Receipt, error) {
	if newest < 1 {
		return Receipt{}, Invalid("head", "say which revision is the newest")
	}
	return s.restore(ctx, who, id, entry, rev, newest)
}

func (s *Service) restore(ctx context.Context, who Principal, id ProjectID, entry EntryID, rev, newest int64) (Receipt, error) {
	project, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Receipt{}, err
	}
	old, err := s.revision(ctx, id, entry, rev)
	if err != nil {
		return Receipt{}, err
	}
	if old.Action == ActionDelete {
		return Receipt{}, Invalid("rev", "this revision is a delete; restore the one before it")
	}
	if problem := veiled(project.Role, old); problem != nil {
		return Receipt{}, problem
	}
	now, err := s.store.Entry(ctx, id, entry)
	if err != nil {
		return Receipt{}, err
	}
	path := now.Path
	if now.Deleted {
		path = old.Path
	}
	if newest == 0 {
		newest = now.Rev
	}
	return s.Push(ctx, who, id, Push{
		Epoch: project.Head.Epoch, Device: who.Device,
		Ops: []Op{{
			Action: ActionPut, Path: path.String(), EntryID: entry, BaseRev: newest, Content: old.Content, AllowEmpty: true,
			Note: fmt.Sprintf("restored from revision %d", rev),
		}},
	})
}
