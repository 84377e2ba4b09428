package sync_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// What was published while the answer got lost is known again in files that
// changed places since, and nowhere else.
func TestPlan_Strays(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		base, local, remote string
		restored            bool
		want                []string
	}{
		"a new file": {
			base: "e1 a.md A 1", local: "a.md B, b.md A", remote: "e2 b.md B 2",
			want: []string{"4 adopt e2 a.md"},
		},
		"and then": {
			base: "e1 a.md A 1, e2 b.md B 2", local: "a.md B, b.md A",
			want: []string{"14 move-remote e1 a.md>b.md", "14 move-remote e2 b.md>a.md"},
		},
		"an edit": {
			base: "e1 a.md A 1, e2 b.md B 2", local: "a.md C, b.md A", remote: "e2 b.md C 3",
			want: []string{"4 adopt e2 a.md"},
		},
		"both new": {
			local: "a.md B, b.md A", remote: "e1 a.md A 1, e2 b.md B 2",
			want: []string{"4 adopt e1 b.md", "4 adopt e2 a.md"},
		},
		"a tree from a backup, and a swap on the server": {
			local: "a.md B, b.md A", remote: "e1 a.md A 1, e2 b.md B 2", restored: true,
			want: []string{"13 conflict e1 a.md", "13 conflict e2 b.md"},
		},
		"a copy in the place of another text": {
			base: "e1 a.md A 1", local: "a.md B, b.md C", remote: "e2 b.md B 2",
			want: []string{"3 upload e1 a.md", "13 conflict e2 b.md"},
		},
		"a team-mate's twin": {
			local: "a.md A", remote: "e1 b.md A 1",
			want: []string{"12 download e1 b.md", "11 create a.md"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := msync.Input{
				Base: baseOf(t, tc.base), Local: localOf(t, tc.local), Remote: remoteOf(t, tc.remote),
				AbsentAt: memory.Cursor{Epoch: "e", Seq: 1},
			}
			if tc.restored {
				in.AbsentAt = memory.Cursor{}
			}
			if diff := cmp.Diff(tc.want, render(msync.Plan(in))); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}
