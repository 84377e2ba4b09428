package memory

import (
	"context"
	"time"
)

// FindingPart is one of the lists in which people find findings, over all
// projects of a member: it says whose turn it is.
type FindingPart string

// The parts.
const (
	FindingsOpen      FindingPart = "open"      // the author's: nobody asked for an exception, or nobody made one, or it has ended
	FindingsRequested FindingPart = "requested" // a maintainer's
	FindingsDone      FindingPart = "done"      // nobody's
)

// Part says whose turn it is.
func (s FindingState) Part() FindingPart {
	switch s {
	case FindingRequested:
		return FindingsRequested
	case FindingAllowed, FindingCompleted, FindingResolved:
		return FindingsDone
	case FindingOpen, FindingDenied, FindingExpired:
	}
	return FindingsOpen
}

// FindingNumbers counts the findings of a project that are not done with.
type FindingNumbers struct {
	Open      int
	Mine      int // of those, the member's own
	Requested int
	Asked     int // of those, by the member
}

// FindingQueueQuery asks for a page of one part, newest first.
type FindingQueueQuery struct {
	Part    FindingPart
	Project ProjectID // "" for all
	Now     time.Time // when what has expired is judged
	After   FindingCursor
	Limit   int
}

// FindingQueue lists findings of all projects of the principal: maintainers see
// all of a project, others their own.
func (s *Service) FindingQueue(ctx context.Context, who Principal, q FindingQueueQuery) ([]Finding, error) {
	seen, err := s.Overviews(ctx, who)
	if err != nil {
		return nil, err
	}
	var all, own []ProjectID
	for _, o := range seen {
		switch {
		case q.Project != "" && q.Project != o.ID:
		case o.Role >= RoleMaintainer:
			all = append(all, o.ID)
		default:
			own = append(own, o.ID)
		}
	}
	if len(all)+len(own) == 0 {
		return nil, nil
	}
	q.Limit, q.Now = s.limits.page(q.Limit), s.clock()
	found, err := s.store.FindingQueue(ctx, all, own, who.Member, q)
	for i := range found {
		found[i] = found[i].now(q.Now)
	}
	return found, err
}

// Scanning is by which rules texts are scanned, and where those that are stored
// are looked at again.
type Scanning struct {
	RuleSet string
	Rescans []RescanProgress // that are not at their end, while one goes on, in projects that the principal may see
}

// Scanning tells by which rules texts are scanned.
func (s *Service) Scanning(ctx context.Context, who Principal) (Scanning, error) {
	seen, err := s.Overviews(ctx, who)
	if err != nil {
		return Scanning{}, err
	}
	state := Scanning{RuleSet: RuleSet(s.scanner.RuleSet())}
	_, all, err := s.rescans(ctx)
	if err != nil {
		return state, orNothing(err)
	}
	mine := map[ProjectID]bool{}
	for _, o := range seen {
		mine[o.ID] = true
	}
	running := false
	for _, p := range all {
		if p.EndedAt.IsZero() {
			running = running || !p.BeganAt.IsZero()
			if mine[p.Project] {
				state.Rescans = append(state.Rescans, p)
			}
		}
	}
	if !running { // a new project has not begun either, and needs not
		state.Rescans = nil
	}
	return state, nil
}
