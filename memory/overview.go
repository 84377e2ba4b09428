package memory

import (
	"context"
	"time"
)

// Overview is a project as one member sees it, with how much is in it.
type Overview struct {
	ProjectView
	Entries   int // live ones
	Pending   int // proposals of others that the principal may decide
	Mine      int // proposals of the principal's own that wait
	Findings  FindingNumbers
	Requests  int       // for exceptions, of others, that the principal may decide
	ChangedAt time.Time // of the newest change; zero if there is none
}

// ProjectChange is a change with the project that it happened in.
type ProjectChange struct {
	Change

	Project ProjectID
	Creates bool // the entry was new
}

// Overviews lists the projects that the principal may see, by slug.
func (s *Service) Overviews(ctx context.Context, who Principal) ([]Overview, error) {
	if err := allow(who, RoleMaintainer, ScopeRead); err != nil {
		return nil, err
	}
	all, err := s.store.Overviews(ctx, who.Member, s.clock())
	if err != nil {
		return nil, err
	}
	var seen []Overview
	for _, n := range all {
		o := Overview{
			ProjectView: ProjectView{Project: n.Project, Role: roleIn(who, n.Project, n.Role, n.Given)},
			Entries:     n.Entries, Mine: n.Mine, Findings: n.Findings, ChangedAt: n.ChangedAt,
		}
		if o.Role == RoleNone || (who.Project != "" && who.Project != o.ID) {
			continue
		}
		if o.Role >= minimumRole(ScopeReview) && who.Can(ScopeReview) {
			o.Pending = n.Pending
		}
		switch {
		case o.Role < RoleMaintainer: // who sees their own
			o.Findings.Open, o.Findings.Requested = n.Findings.Mine, n.Findings.Asked
		case who.Can(ScopeReview):
			o.Requests = n.Findings.Requested - n.Findings.Asked
		}
		seen = append(seen, o)
	}
	return seen, nil
}

// Recent returns the newest changes of all projects that the principal may
// see, newest first and without contents.
func (s *Service) Recent(ctx context.Context, who Principal, limit int) ([]ProjectChange, error) {
	seen, err := s.Overviews(ctx, who)
	if err != nil {
		return nil, err
	}
	limit = s.limits.page(limit)
	var ids []ProjectID
	for _, o := range seen {
		ids = append(ids, o.ID)
	}
	return s.store.Recent(ctx, ids, limit)
}
