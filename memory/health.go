package memory

import (
	"context"
	"time"
)

// DeviceHealth is one tree on one computer, as far as the server knows of it. A
// computer that never had anything to report has no report.
type DeviceHealth struct {
	Project  ProjectID
	Device   Device
	Owner    Author
	Client   string // what the program called itself last; "" if not known
	LastSeen time.Time
	Behind   int64         // changes that it was not sent yet; -1: not known
	Report   *DeviceReport // nil: there never was anything to say
	Reported time.Time
	Troubled bool // the report has something that a person should look at
}

// HealthQuery asks for a page of the trees: those in trouble first, and then
// whoever was seen last.
type HealthQuery struct {
	After HealthCursor // the last of the page before
	Limit int
}

// HealthCursor is the place of a tree in that list.
type HealthCursor struct {
	Troubled bool
	LastSeen time.Time
	Project  ProjectID
	Device   DeviceID
	Tree     string
}

// Place is where the tree stands in lists.
func (h DeviceHealth) Place() HealthCursor {
	c := HealthCursor{Troubled: h.Troubled, LastSeen: h.LastSeen, Project: h.Project, Device: h.Device.ID}
	if h.Report != nil {
		c.Tree = h.Report.Tree
	}
	return c
}

// Health lists how the trees are on the principal's own computers, and on
// everybody's in projects where the principal decides.
func (s *Service) Health(ctx context.Context, who Principal, q HealthQuery) ([]DeviceHealth, error) {
	seen, err := s.Overviews(ctx, who)
	if err != nil {
		return nil, err
	}
	var projects, everybody []ProjectID
	for _, o := range seen {
		projects = append(projects, o.ID)
		if o.Role >= minimumRole(ScopeReview) && who.Can(ScopeReview) {
			everybody = append(everybody, o.ID)
		}
	}
	if len(projects) == 0 {
		return nil, nil
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.DeviceHealth(ctx, projects, everybody, who.Member, q)
}

// DeviceCursor is the newest change of a project that a computer was sent.
type DeviceCursor struct {
	Project ProjectID
	Member  MemberID // whose computer it says it is
	Device  DeviceID
	At      Cursor
	Client  string
}
