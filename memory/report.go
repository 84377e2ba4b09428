package memory

import (
	"context"
	"time"
)

// Flow is which way a tree is mirrored.
type Flow string

// The flows.
const (
	FlowBothWays Flow = "both-ways"
	FlowPullOnly Flow = "pull-only"
	FlowPushOnly Flow = "push-only"
)

// Direction is where the changes come from that a computer holds.
type Direction string

// The directions.
const (
	Incoming Direction = "incoming" // made by others: the computer still has what they took away
	Outgoing Direction = "outgoing" // made there: the server still has what it would take away
)

// DeviceReport is what a computer says of a tree: what waits there for a person,
// and what stays there. It has names, and never a text.
type DeviceReport struct {
	Device       DeviceID
	Tree         string // tells trees of one project on one computer apart
	Flow         Flow
	Holds        []ReportedHold
	Refused      []ReportedFile // by a rule; the first [MaxReported]
	Blocked      []ReportedFile // by the computer's disk, or its owner's rules; the first [MaxReported]
	RefusedTotal int
	BlockedTotal int
	Conflicts    int // that are open
	Waiting      int // proposals that a reviewer has to see
}

// ReportedHold are changes that look like an accident.
type ReportedHold struct {
	ID        string
	Deletes   int // these, or else Changes
	Changes   int
	Direction Direction
}

// ReportedFile is a file that is not shared, with why. One whose name is itself
// refused has no path.
type ReportedFile struct {
	Path  Path
	Code  Code
	Layer string
}

// MaxReported is how many files of a kind a report names.
const MaxReported = 50

// maxTrees is how many trees of a project one computer reports on; the newest
// reports count.
const maxTrees = 20

// ReportStore keeps what computers say of themselves.
type ReportStore interface {
	// KeepReport keeps a report in place of the one before on the same tree, and
	// those on most trees of the project on the computer.
	KeepReport(ctx context.Context, project ProjectID, r DeviceReport, client string, at time.Time, most int) error
	// DeviceHealth returns a page of the trees on computers that are logged in:
	// all of the projects where everybody's are wanted, and the member's own.
	DeviceHealth(ctx context.Context, projects []ProjectID, everybody []ProjectID, member MemberID, q HealthQuery) ([]DeviceHealth, error)
}

// Report keeps what a computer of the principal's says of a tree. Whoever may
// pull from the project may report on it.
func (s *Service) Report(ctx context.Context, who Principal, id ProjectID, r DeviceReport) error {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return err
	}
	if r.Device == "" {
		r.Device = who.Device
	}
	if r.Device == "" {
		return Invalid("device", "say which of your devices reports")
	}
	if err := s.ownDevice(ctx, who, r.Device); err != nil {
		return err
	}
	for _, files := range [][]ReportedFile{r.Refused, r.Blocked} {
		if err := s.unname(ctx, files); err != nil {
			return err
		}
	}
	return s.store.KeepReport(ctx, id, r, who.Client, s.clock(), maxTrees)
}

// unname removes the paths that look like secrets, as [Screen] would refuse
// them.
func (s *Service) unname(ctx context.Context, files []ReportedFile) error {
	for i, f := range files {
		if f.Path.IsZero() {
			continue
		}
		err := scanPath(ctx, s.scanner, f.Path)
		if CodeOf(err) != CodeSecretFound && err != nil {
			return err
		}
		if err != nil {
			files[i].Path = Path{}
		}
	}
	return nil
}
