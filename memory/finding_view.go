package memory

import (
	"context"
	"time"
)

// FindingView is a finding with what its author and maintainers have to know
// about it.
type FindingView struct {
	Finding

	Receivers []Receiver // that may have got the stored text; none if it was refused
	Restored  time.Time  // of the instance, after the text was stored: who got it before is known as far as the backup has it
	Decidable bool       // somebody else than its author is there who may decide about it
}

// FindingView returns one finding. Somebody else's is not found unless the
// principal is a maintainer. Its author learns who may have got it, and maintainers
// on which computers.
func (s *Service) FindingView(ctx context.Context, who Principal, id ProjectID, finding FindingID) (FindingView, error) {
	project, f, err := s.visibleFinding(ctx, who, id, finding, ScopeRead)
	if err != nil {
		return FindingView{}, err
	}
	v := FindingView{Finding: f.now(s.clock())}
	if v.Decidable, err = s.store.HasOtherMaintainer(ctx, id, f.Author.Member); err != nil {
		return FindingView{}, err
	}
	if f.Stored.Rev > 0 {
		if v.Receivers, err = s.store.Receivers(ctx, id, finding); err != nil {
			return FindingView{}, err
		}
		v.Restored, err = s.store.RestoredSince(ctx, id, finding)
	}
	if project.Role < RoleMaintainer {
		v.Receivers = byOwner(v.Receivers, who.Member)
	}
	return v, err
}
