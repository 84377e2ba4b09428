package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// Each part has its own order, and its pages join without a gap or a double.
func TestQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	me, other := b.member.ID, b.addMember(t, "Ole").ID
	hidden := b.project
	b.project = b.addProject(t, "acme/second")
	projects := []memory.ProjectID{b.project.ID}
	put := func(author memory.MemberID, path, state string, at, decided time.Duration) {
		t.Helper()
		by := ""
		if state != "pending" {
			by = string(me)
		}
		id := b.propose(t, author, path, state, by)
		b.exec(t, `
			update proposals
			set at = $2, decided_at = case when decided_by is not null then $3::timestamptz end
			where proposal_id = $1`, id, start().Add(at), start().Add(decided))
	}
	put(other, "old.md", "pending", 0, 0)
	put(other, "new.md", "pending", time.Hour, 0)
	put(other, "mid.md", "pending", time.Minute, 0)
	put(me, "mine.md", "pending", 2*time.Hour, 0)
	put(me, "mine-gone.md", "withdrawn", 0, time.Hour)
	put(other, "gone.md", "withdrawn", time.Hour, 2*time.Hour)
	b.project = hidden
	put(other, "elsewhere.md", "pending", 0, 0)

	for _, tt := range []struct {
		part memory.Part
		want []string
	}{
		{memory.PartPending, []string{"old.md", "mid.md", "new.md"}},
		{memory.PartMine, []string{"mine.md", "mine-gone.md"}},
		{memory.PartDone, []string{"gone.md", "mine-gone.md"}},
		{"nonsense", nil},
	} {
		t.Run(string(tt.part), func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 2, 10} {
				var got []string
				q := memory.QueueQuery{Part: tt.part, Limit: size}
				for {
					page, err := b.Queue(t.Context(), projects, me, q)
					must(t, err)
					for _, p := range page {
						got = append(got, p.Path.String())
						if p.Content != nil || p.Project != projects[0] {
							t.Errorf("proposal %+v", p)
						}
					}
					if len(page) < size {
						break
					}
					q.After = page[len(page)-1].Place(tt.part)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("pages of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}
