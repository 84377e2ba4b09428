package memory

import "context"

// Service holds the use cases. It is the single gate: REST, command line and
// console all write through it, and every method decides for itself whether
// the principal may do what it does.
type Service struct {
	store   Store
	scanner Scanner
	notify  Notifier
	clock   Clock
	limits  Limits
	risks   RiskRules
}

// NewService wires the use cases to their ports. The zero Limits are the
// defaults.
func NewService(store Store, scanner Scanner, notify Notifier, clock Clock, limits Limits) *Service {
	return &Service{store: store, scanner: scanner, notify: notify, clock: clock, limits: limits.withDefaults(), risks: NewRiskRules()}
}

// ProjectView is a project as one member sees it.
type ProjectView struct {
	Project
	Role Role
}

// minimumRole is the lowest role that may use a scope in a project.
func minimumRole(s Scope) Role {
	switch s {
	case ScopeRead:
		return RoleViewer
	case ScopeWrite:
		return RoleContributor
	case ScopeReview:
		return RoleReviewer
	case ScopeAdmin:
	}
	return RoleMaintainer
}

// enter checks that the principal may use a scope in the project: the token
// must reach the project and hold the scope, and the member must have the role.
// A project that the principal may not know of is not found.
func (s *Service) enter(ctx context.Context, who Principal, id ProjectID, scope Scope) (ProjectView, error) {
	if who.Project != "" && who.Project != id {
		return ProjectView{}, NotFound("project")
	}
	project, err := s.store.Project(ctx, id)
	if err != nil {
		return ProjectView{}, err
	}
	view, err := s.view(ctx, who, project)
	if err != nil {
		return ProjectView{}, err
	}
	return view, allow(who, view.Role, scope)
}

// view adds the member's role; without one, the project is not found.
func (s *Service) view(ctx context.Context, who Principal, p Project) (ProjectView, error) {
	var given Role
	var ok bool
	if !who.Admin {
		var err error
		if given, ok, err = s.store.Role(ctx, p.ID, who.Member); err != nil {
			return ProjectView{}, err
		}
	}
	role := roleIn(who, p, given, ok)
	if role == RoleNone {
		return ProjectView{}, NotFound("project")
	}
	return ProjectView{Project: p, Role: role}, nil
}

// roleIn is the principal's role in a project: the one that was given, if one
// was, else what the project gives everybody. Admins are maintainers.
func roleIn(who Principal, p Project, given Role, ok bool) Role {
	switch {
	case who.Admin:
		return RoleMaintainer
	case ok:
		return given
	}
	return p.DefaultRole
}

func allow(who Principal, role Role, scope Scope) error {
	if !who.Can(scope) {
		return &Error{
			Code: CodeForbidden, Message: "this token does not have the scope " + string(scope),
			Hint: "log in again with a token that has it",
		}
	}
	if least := minimumRole(scope); role < least {
		return &Error{
			Code: CodeForbidden, Message: "this needs the role " + least.String() + "; yours is " + role.String(),
			Hint: "ask a maintainer of the project for the role",
		}
	}
	return nil
}

// Projects lists the projects that the principal may see, or those of them
// with the slug or git remote.
func (s *Service) Projects(ctx context.Context, who Principal, slug, remote string) ([]ProjectView, error) {
	if remote != "" {
		if remote = NormalizeRemote(remote); remote == "" {
			return nil, Invalid("remote", "this is not a git remote on a host")
		}
	}
	if err := allow(who, RoleMaintainer, ScopeRead); err != nil {
		return nil, err
	}
	all, err := s.store.Projects(ctx, slug, remote)
	if err != nil {
		return nil, err
	}
	var seen []ProjectView
	for _, p := range all {
		if who.Project != "" && who.Project != p.ID {
			continue
		}
		view, err := s.view(ctx, who, p)
		if err != nil && CodeOf(err) == CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		seen = append(seen, view)
	}
	return seen, nil
}

// Project returns one project.
func (s *Service) Project(ctx context.Context, who Principal, id ProjectID) (ProjectView, error) {
	return s.enter(ctx, who, id, ScopeRead)
}

// Me returns the principal's member.
func (s *Service) Me(ctx context.Context, who Principal) (Member, error) {
	return s.store.Member(ctx, who.Member)
}
