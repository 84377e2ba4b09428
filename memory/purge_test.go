package memory

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPurging_Condemn(t *testing.T) {
	t.Parallel()
	const me, other = MemberID("mem_me"), MemberID("mem_other")
	text := func(rev int64, text string, by MemberID) Remnant {
		return Remnant{Past: Past{Rev: rev, Action: ActionPut, Sum: Sum([]byte(text))}, Author: by}
	}
	live := EntryHead{ID: "ent_a", Rev: 2, Sum: Sum([]byte("new"))}
	withdrawn := text(1, "old", me)
	withdrawn.Withdrawn = 3
	mine := []Remnant{text(1, "old", me), text(2, "new", me)}
	person, token := Principal{Member: me}, Principal{Member: me, Token: "tok_a"}
	for _, tc := range []struct {
		name   string
		p      Purging
		all    []Remnant
		jailed bool
		want   []int64
		code   Code
	}{
		{"own entry", Purging{Own: true, By: person}, mine, false, []int64{1, 2}, ""},
		{"a token, what is there", Purging{Own: true, Old: true, By: token}, mine, false, nil, CodeForbidden},
		{"a token, an earlier text", Purging{Own: true, Old: true, By: token, Purge: Purge{Rev: 1}}, mine, false, []int64{1}, ""},
		{"where a reviewer sees deletes", Purging{Own: true, Old: true, By: person}, mine, false, nil, CodeForbidden},
		{"what it says now", Purging{By: person, Purge: Purge{Rev: 2}}, mine, false, nil, CodeConflict},
		{"somebody else's", Purging{Own: true, By: person}, []Remnant{text(1, "old", other), text(2, "new", me)}, false, nil, CodeForbidden},
		{"what was taken back", Purging{Own: true, By: person}, []Remnant{withdrawn, text(2, "new", me)}, false, nil, CodeForbidden},
		{"in quarantine", Purging{Own: true, By: person, Purge: Purge{Rev: 1}}, mine, true, nil, CodeForbidden},
		{"in quarantine, by a maintainer", Purging{By: person}, []Remnant{withdrawn, text(2, "new", me)}, true, []int64{1, 2}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, _, err := tc.p.Condemn(live, tc.all, tc.jailed)
			if err != nil {
				got = nil
			}
			if (err == nil) != (tc.code == "") || err != nil && CodeOf(err) != tc.code || !cmp.Equal(got, tc.want) {
				t.Errorf("revisions %v, %v; want %v, %q", got, err, tc.want, tc.code)
			}
		})
	}
}

// purges keeps what the store was asked to purge.
type purges struct {
	*fakeStore

	asked *Purging
}

func (p purges) Purge(_ context.Context, x Purging, _ AuditRow) (Purged, error) {
	*p.asked = x
	return Purged{}, nil
}

// What a member may purge is decided by who is there, and by what a delete would
// meet in the project.
func TestPurge_WhoMayTakeWhat(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		role     Role
		review   Preset
		token    TokenID
		scopes   []Scope
		own, old bool
	}{
		{"contributor", RoleContributor, PresetOpen, "", nil, true, false},
		{"contributor's token", RoleContributor, PresetOpen, "tok_a", nil, true, true},
		{"contributor in a guarded project", RoleContributor, PresetGuarded, "", nil, true, true},
		{"contributor in a strict project", RoleContributor, PresetStrict, "", nil, true, true},
		{"maintainer's computer", RoleMaintainer, PresetStrict, "", nil, true, true},
		{"maintainer in person", RoleMaintainer, PresetStrict, "", []Scope{ScopeReview}, false, false},
		{"maintainer's token", RoleMaintainer, PresetOpen, "tok_a", []Scope{ScopeReview}, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			project := b.store.projects["prj_a"]
			project.Review = tc.review
			b.store.projects["prj_a"], b.store.roles["prj_a"] = project, tc.role
			who := b.who
			who.Token, who.Scopes = tc.token, append([]Scope{ScopeRead, ScopeWrite}, tc.scopes...)
			var asked Purging
			service := NewService(purges{b.store, &asked}, markScanner{}, b.notify, start, Limits{})
			if _, err := service.Purge(t.Context(), who, "prj_a", Purge{EntryID: "ent_a", Reason: "why"}); err != nil {
				t.Fatal(err)
			}
			if asked.Own != tc.own || asked.Old != tc.old || !asked.Since.Equal(asked.At.Add(-deletesLast)) {
				t.Errorf("own %v, old %v, since %s; want %v, %v", asked.Own, asked.Old, asked.Since, tc.own, tc.old)
			}
		})
	}
}
