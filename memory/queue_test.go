package memory

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A part of the queue reaches over the projects in which it means something.
func TestQueue_Projects(t *testing.T) {
	t.Parallel()
	session := []Scope{ScopeRead, ScopeWrite, ScopeReview}
	for _, tt := range []struct {
		name string
		who  Principal
		q    QueueQuery
		want []ProjectID
	}{
		{"pending, where one decides", Principal{Scopes: session}, QueueQuery{Part: PartPending}, []ProjectID{"prj_a"}},
		{"done, where one decides", Principal{Scopes: session}, QueueQuery{Part: PartDone}, []ProjectID{"prj_a"}},
		{"own, wherever", Principal{Scopes: session}, QueueQuery{Part: PartMine}, []ProjectID{"prj_a", "prj_b"}},
		{"of one project", Principal{Scopes: session}, QueueQuery{Part: PartMine, Project: "prj_b"}, []ProjectID{"prj_b"}},
		{"of a project where one does not decide", Principal{Scopes: session}, QueueQuery{Part: PartPending, Project: "prj_b"}, nil},
		{"of an unknown project", Principal{Scopes: session}, QueueQuery{Part: PartMine, Project: "prj_x"}, nil},
		{"an unknown part is like pending", Principal{Scopes: session}, QueueQuery{Part: "x"}, []ProjectID{"prj_a"}},
		{"token that may not review", Principal{Scopes: session[:2]}, QueueQuery{Part: PartPending}, nil},
		{"admin", Principal{Admin: true, Scopes: session}, QueueQuery{Part: PartPending}, []ProjectID{"prj_a", "prj_b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.roles = map[ProjectID]Role{"prj_a": RoleReviewer}
			found, err := b.Queue(t.Context(), tt.who, tt.q)
			must(t, err)
			var got []ProjectID
			for _, p := range found {
				got = append(got, p.Project)
				if p.Size != 200 {
					t.Errorf("asked for %d", p.Size)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("projects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestQueue_Errors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Queue(t.Context(), Principal{}, QueueQuery{})
	wantCode(t, err, CodeForbidden)
	b.store.fail(errFake)
	if _, err := b.Queue(t.Context(), b.who, QueueQuery{}); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

// What is decided is listed by its decision.
func TestProposal_Place(t *testing.T) {
	t.Parallel()
	p := Proposal{ID: "prp_a", At: start(), Decision: &ReviewDecision{At: start().Add(time.Hour)}}
	if got := p.Place(PartMine); got != (ProposalCursor{start(), "prp_a"}) {
		t.Errorf("mine: %+v", got)
	}
	if got := p.Place(PartDone); got != (ProposalCursor{start().Add(time.Hour), "prp_a"}) {
		t.Errorf("done: %+v", got)
	}
}
