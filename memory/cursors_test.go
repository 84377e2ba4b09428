package memory

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCursors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.projects["prj_c"] = Project{ID: "prj_c", Slug: "acme/closed", DefaultRole: RoleNone, Head: Head{Epoch: "e3"}}
	all := map[ProjectID]Cursor{"prj_a": {"e1", 7}, "prj_b": {"e2", 1}, "prj_c": {"e3", 0}}
	open, one := map[ProjectID]Cursor{"prj_a": {"e1", 7}, "prj_b": {"e2", 1}}, map[ProjectID]Cursor{"prj_a": {"e1", 7}}
	for _, tt := range []struct {
		name string
		who  Principal
		want map[ProjectID]Cursor
		code Code
	}{
		{name: "member", who: b.who, want: open},
		{name: "admin", who: Principal{Admin: true, Scopes: []Scope{ScopeRead}}, want: all},
		{name: "admin's token for one project", who: Principal{Admin: true, Project: "prj_a", Scopes: []Scope{ScopeRead}}, want: one},
		{name: "token for a project that is closed to its member", who: Principal{Project: "prj_c", Scopes: []Scope{ScopeRead}}, want: map[ProjectID]Cursor{}},
		{name: "no scope", who: Principal{Admin: true, Scopes: []Scope{ScopeWrite}}, code: CodeForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := b.Cursors(t.Context(), tt.who)
			if tt.code != "" {
				wantCode(t, err, tt.code)
				return
			}
			if must(t, err); !cmp.Equal(tt.want, got) {
				t.Errorf("-want +got:\n%s", cmp.Diff(tt.want, got))
			}
		})
	}
}

func TestCursors_Unavailable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.fail(errFake)
	if _, err := b.Cursors(t.Context(), b.who); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}
