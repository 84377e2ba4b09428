package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestOverviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	empty := b.addProject(t, "acme/empty", "github.com/acme/empty")
	other := b.addMember(t, "Ole")
	b.exec(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, 'reviewer')", b.project.ID, b.member.ID)
	r := b.push(t, put(t, "a.md", "one\n"), put(t, "b.md", "two\n"))
	b.push(t, remove(t, "b.md", r.Verdicts[1]))
	for _, author := range []memory.MemberID{b.member.ID, other.ID} {
		for _, path := range []string{"x.md", "y.md", "z.md"} {
			state, decided := "pending", ""
			if path == "z.md" {
				state, decided = "withdrawn", string(author)
			}
			b.propose(t, author, path, state, decided)
		}
	}

	got, err := b.Overviews(t.Context(), b.member.ID, start())
	must(t, err)
	project, err := b.Project(t.Context(), b.project.ID)
	must(t, err)
	want := []memory.ProjectNumbers{
		{Project: project, Role: memory.RoleReviewer, Given: true, Entries: 1, Pending: 2, Mine: 2, ChangedAt: start()},
		{Project: empty},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("overviews (-want +got):\n%s", diff)
	}
}

// propose adds a row as a push that was held would.
func (b *bundle) propose(tb testing.TB, author memory.MemberID, path, state, decidedBy string) memory.ProposalID {
	tb.Helper()
	id, text := memory.NewProposalID(), []byte("text\n")
	sum := memory.Sum(text)
	b.exec(tb, `
		insert into proposals (
			project_id, proposal_id, state, op, path, path_key, previous_path, entry_id, creates, base_rev, kind, name, description,
			content, sha256, size, author, device_id, agent, agent_version, agent_session, agent_model, note, rule_set, at, decided_by, decided_at
		)
		values ($1, $2, $3, 'put', $4, $4, '', $5, true, 0, 'project', 'x', '', $6, $7, 5, $8, '', '', '', '', '', '', 'r', $9, nullif($10, ''),
			case when $10 <> '' then $9::timestamptz end)`,
		b.project.ID, id, state, path, memory.NewEntryID(), text, sum[:], author, start(), decidedBy)
	return id
}

func TestRecent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.addProject(t, "acme/other")
	b.push(t, put(t, "a.md", "one\n"))
	later := b.batch(put(t, "b.md", "two\n"))
	later.Project, later.Epoch, later.At = other.ID, other.Head.Epoch, start().Add(time.Hour)
	_, err := b.Push(t.Context(), later)
	must(t, err)
	last := b.batch(put(t, "c.md", "three\n"), put(t, "d.md", "four\n"))
	last.At = start().Add(2 * time.Hour)
	_, err = b.Push(t.Context(), last)
	must(t, err)

	for _, tt := range []struct {
		name     string
		projects []memory.ProjectID
		limit    int
		want     []string
	}{
		{"all", []memory.ProjectID{b.project.ID, other.ID}, 10, []string{"d.md", "c.md", "b.md", "a.md"}},
		{"the newest", []memory.ProjectID{b.project.ID, other.ID}, 3, []string{"d.md", "c.md", "b.md"}},
		{"of one project", []memory.ProjectID{other.ID}, 10, []string{"b.md"}},
		{"of none", nil, 10, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := b.Recent(t.Context(), tt.projects, tt.limit)
			must(t, err)
			var got []string
			for _, c := range found {
				got = append(got, c.Path.String())
				if !c.Creates || c.Author.Name != "Mara" || c.Agent.Name != "claude-code" || c.Content != nil || (c.Project == other.ID) != (c.Path.String() == "b.md") {
					t.Errorf("change %+v", c)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}
