package memory

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What waits for a reviewer is counted for reviewers, and projects that the
// principal may not know of are left out.
func TestOverviews(t *testing.T) {
	t.Parallel()
	session := []Scope{ScopeRead, ScopeWrite, ScopeReview}
	type seen struct {
		Project ProjectID
		Role    Role
		Pending int
	}
	for _, tt := range []struct {
		name  string
		roles map[ProjectID]Role
		who   Principal
		want  []seen
	}{
		{"default roles", map[ProjectID]Role{}, Principal{Scopes: session}, []seen{{"prj_b", RoleViewer, 0}}},
		{"given roles", map[ProjectID]Role{"prj_a": RoleReviewer, "prj_b": RoleNone}, Principal{Scopes: session}, []seen{{"prj_a", RoleReviewer, 2}}},
		{"contributor", map[ProjectID]Role{"prj_a": RoleContributor}, Principal{Scopes: session}, []seen{{"prj_a", RoleContributor, 0}, {"prj_b", RoleViewer, 0}}},
		{"token that may not review", map[ProjectID]Role{"prj_a": RoleReviewer}, Principal{Scopes: session[:2]}, []seen{{"prj_a", RoleReviewer, 0}, {"prj_b", RoleViewer, 0}}},
		{"admin", map[ProjectID]Role{"prj_a": RoleNone}, Principal{Admin: true, Scopes: session}, []seen{{"prj_a", RoleMaintainer, 2}, {"prj_b", RoleMaintainer, 2}}},
		{"token of one project", map[ProjectID]Role{"prj_a": RoleViewer}, Principal{Project: "prj_a", Scopes: session}, []seen{{"prj_a", RoleViewer, 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.roles = tt.roles
			found, err := b.Overviews(t.Context(), tt.who)
			must(t, err)
			recent, err := b.Recent(t.Context(), tt.who, 0)
			must(t, err)
			var got []seen
			for i, o := range found {
				got = append(got, seen{o.ID, o.Role, o.Pending})
				if o.Entries != 3 || o.Mine != 1 || o.ChangedAt != start() || recent[i].Project != o.ID || recent[i].Seq != 200 {
					t.Errorf("overview %+v, change %+v", o, recent[i])
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || len(recent) != len(got) {
				t.Errorf("%d changes, overviews (-want +got):\n%s", len(recent), diff)
			}
		})
	}
}

// Whoever is no maintainer is told of their own findings only, and a token without
// the scope of no request.
func TestOverviews_Findings(t *testing.T) {
	t.Parallel()
	session := []Scope{ScopeRead, ScopeWrite, ScopeReview}
	for _, tt := range []struct {
		name     string
		role     Role
		scopes   []Scope
		want     FindingNumbers
		requests int
	}{
		{"maintainer", RoleMaintainer, session, FindingNumbers{Open: 9, Mine: 4, Requested: 3, Asked: 1}, 2},
		{"maintainer's token", RoleMaintainer, session[:2], FindingNumbers{Open: 9, Mine: 4, Requested: 3, Asked: 1}, 0},
		{"reviewer", RoleReviewer, session, FindingNumbers{Open: 4, Mine: 4, Requested: 1, Asked: 1}, 0},
	} {
		b := setup(t)
		b.store.roles = map[ProjectID]Role{"prj_a": tt.role, "prj_b": RoleNone}
		found, err := b.Overviews(t.Context(), Principal{Scopes: tt.scopes})
		must(t, err)
		if len(found) != 1 || found[0].Findings != tt.want || found[0].Requests != tt.requests {
			t.Errorf("%s: %+v", tt.name, found)
		}
	}
}

func TestOverviews_Errors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.Recent(t.Context(), Principal{Scopes: []Scope{ScopeWrite}}, 1)
	wantCode(t, err, CodeForbidden)
	b.store.fail(errFake)
	if _, err := b.Recent(t.Context(), b.who, 1); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}
