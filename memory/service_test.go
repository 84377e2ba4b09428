package memory

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// methods are all calls of the service on a project, with the scope that they
// need.
func methods() map[string]struct {
	scope Scope
	call  func(ctx context.Context, b *bundle, who Principal, id ProjectID) error
} {
	type method = struct {
		scope Scope
		call  func(ctx context.Context, b *bundle, who Principal, id ProjectID) error
	}
	return map[string]method{
		"Project": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Project(ctx, who, id)
			return err
		}},
		"Changes": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Changes(ctx, who, id, ChangesQuery{})
			return err
		}},
		"Manifest": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, _, err := b.Manifest(ctx, who, id)
			return err
		}},
		"Contents": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Contents(ctx, who, id, []RevisionRef{{"ent_a", 1}})
			return err
		}},
		"Entries": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Entries(ctx, who, id, EntryQuery{})
			return err
		}},
		"Entry": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, _, err := b.Entry(ctx, who, id, "a.md")
			return err
		}},
		"EntryByID": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, _, err := b.EntryByID(ctx, who, id, "ent_a")
			return err
		}},
		"History": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.History(ctx, who, id, "ent_a", 0, 0)
			return err
		}},
		"Revision": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Revision(ctx, who, id, "ent_a", 1)
			return err
		}},
		"Check": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Check(ctx, who, id, "b.md", []byte("fine"))
			return err
		}},
		"Push": {ScopeWrite, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Push(ctx, who, id, pushOf(Op{Action: ActionPut, Path: "b.md", Content: []byte("fine")}))
			return err
		}},
		"RestoreOver": {ScopeWrite, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.RestoreOver(ctx, who, id, "ent_a", 1, 1)
			return err
		}},
		"Restore": {ScopeWrite, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Restore(ctx, who, id, "ent_a", 1)
			return err
		}},
		"Proposals": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Proposals(ctx, who, id, ProposalQuery{})
			return err
		}},
		"Proposal": {ScopeRead, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Proposal(ctx, who, id, "prp_mine")
			return err
		}},
		"Withdraw": {ScopeWrite, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Withdraw(ctx, who, id, "prp_mine")
			return err
		}},
		"Approve": {ScopeReview, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Approve(ctx, who, id, "prp_theirs", seenOf(proposed("theirs")))
			return err
		}},
		"Reject": {ScopeReview, func(ctx context.Context, b *bundle, who Principal, id ProjectID) error {
			_, err := b.Reject(ctx, who, id, "prp_theirs", seenOf(proposed("theirs")), ReasonWrong, "")
			return err
		}},
	}
}

func pushOf(ops ...Op) Push { return Push{Epoch: "e1", Ops: ops} }

// withEntry gives the project an entry with one revision.
func (b *bundle) withEntry(path, text string) *bundle {
	sum := Sum([]byte(text))
	b.store.entries["ent_a"] = Entry{ID: "ent_a", Path: StoredPath(path), Rev: 1, Sum: sum, Size: len(text)}
	b.store.texts[RevisionRef{"ent_a", 1}] = Revision{
		EntryID: "ent_a", Rev: 1, Action: ActionPut, Path: StoredPath(path), Content: []byte(text), Sum: sum, Size: len(text),
	}
	return b
}

// withProposals gives the project a pending proposal of the member, and one of
// somebody else.
func (b *bundle) withProposals() *bundle {
	for _, whose := range []string{"mine", "theirs"} {
		p := proposed(whose)
		b.store.proposals[p.ID] = p
	}
	return b
}

// proposed is a pending proposal of a new entry.
func proposed(whose string) Proposal {
	p := Proposal{
		ID: ProposalID("prp_" + whose), Project: "prj_a", State: ProposalPending, Action: ActionPut, Path: StoredPath(whose + ".md"),
		EntryID: EntryID("ent_" + whose), Creates: true, Content: []byte(whose), Sum: Sum([]byte(whose)), Size: len(whose),
		Author: Author{"mem_theirs", "Theo"}, Device: "dev_theirs", Agent: Agent{Name: "claude-code"}, Note: "because", At: start(),
	}
	if whose == "mine" {
		p.Author = Author{"mem_mara", "Mara"}
	}
	return p
}

func seenOf(p Proposal) Seen { return Seen{p.Sum, p.BaseRev} }

// Every method, for every role and token: what a principal may not know of is
// not found, and what it may know but not do is forbidden.
func TestService_RolesAndScopes(t *testing.T) {
	t.Parallel()
	read, write, all := []Scope{ScopeRead}, []Scope{ScopeRead, ScopeWrite}, []Scope{ScopeRead, ScopeWrite, ScopeReview}
	for _, tt := range []struct {
		name        string
		role        Role
		given       bool // else the project's default role counts
		standard    Role
		admin       bool
		token       ProjectID
		scopes      []Scope
		read, write Code
		review      bool // may decide
	}{
		{name: "no role, closed project", standard: RoleNone, scopes: write, read: CodeNotFound, write: CodeNotFound},
		{name: "no role, open project", standard: RoleContributor, scopes: write},
		{name: "no role, project to look at", standard: RoleViewer, scopes: write, write: CodeForbidden},
		{name: "role taken away in an open project", role: RoleNone, given: true, standard: RoleContributor, scopes: write, read: CodeNotFound, write: CodeNotFound},
		{name: "viewer", role: RoleViewer, given: true, scopes: write, write: CodeForbidden},
		{name: "viewer in an open project", role: RoleViewer, given: true, standard: RoleMaintainer, scopes: write, write: CodeForbidden},
		{name: "contributor", role: RoleContributor, given: true, scopes: write},
		{name: "reviewer", role: RoleReviewer, given: true, scopes: write},
		{name: "maintainer", role: RoleMaintainer, given: true, scopes: write},
		{name: "admin without a role", admin: true, scopes: write},
		{name: "contributor who may only read", role: RoleContributor, given: true, scopes: read, write: CodeForbidden},
		{name: "contributor who may only write", role: RoleContributor, given: true, scopes: []Scope{ScopeWrite}, read: CodeForbidden},
		{name: "contributor without scopes", role: RoleContributor, given: true, read: CodeForbidden, write: CodeForbidden},
		{name: "admin with admin scope alone", admin: true, scopes: []Scope{ScopeAdmin}, read: CodeForbidden, write: CodeForbidden},
		{name: "token of this project", role: RoleContributor, given: true, token: "prj_a", scopes: write},
		{name: "token of another project", role: RoleMaintainer, given: true, token: "prj_b", scopes: write, read: CodeNotFound, write: CodeNotFound},
		{name: "admin's token of another project", admin: true, token: "prj_b", scopes: write, read: CodeNotFound, write: CodeNotFound},
		{name: "reviewer who is signed in", role: RoleReviewer, given: true, scopes: all, review: true},
		{name: "maintainer who is signed in", role: RoleMaintainer, given: true, scopes: all, review: true},
		{name: "admin who is signed in", admin: true, scopes: all, review: true},
		{name: "contributor who is signed in", role: RoleContributor, given: true, scopes: all},
		{name: "viewer who is signed in", role: RoleViewer, given: true, scopes: all, write: CodeForbidden},
		{name: "no right to know, no scope either", standard: RoleNone, read: CodeNotFound, write: CodeNotFound},
	} {
		for name, method := range methods() {
			t.Run(tt.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				b := setup(t).withEntry("a.md", "text").withProposals()
				p := b.store.projects["prj_a"]
				p.DefaultRole = tt.standard
				b.store.projects["prj_a"] = p
				b.store.roles = map[ProjectID]Role{}
				if tt.given {
					b.store.roles["prj_a"] = tt.role
				}
				who := Principal{Member: "mem_mara", Admin: tt.admin, Project: tt.token, Scopes: tt.scopes}
				want := tt.read
				switch {
				case method.scope == ScopeWrite:
					want = tt.write
				case method.scope == ScopeReview && tt.review:
					want = ""
				case method.scope == ScopeReview && tt.read != CodeNotFound:
					want = CodeForbidden
				}
				err := method.call(t.Context(), b, who, "prj_a")
				if want == "" {
					must(t, err)
					return
				}
				if e := problemOf(t, err, want); want == CodeForbidden && e.Hint == "" {
					t.Error("forbidden, and no hint what to do")
				}
				if b.store.batch.Items != nil || b.store.ended != nil {
					t.Error("the store was asked to push or decide")
				}
			})
		}
	}
}

// What may not be known of reads exactly like what is not there.
func TestService_UnknownProject(t *testing.T) {
	t.Parallel()
	for name, method := range methods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.roles = map[ProjectID]Role{}
			unknown := method.call(t.Context(), b, b.who, "prj_x")
			hidden := method.call(t.Context(), b, b.who, "prj_a")
			wantCode(t, unknown, CodeNotFound)
			if hidden == nil || unknown.Error() != hidden.Error() {
				t.Errorf("unknown: %v; hidden: %v", unknown, hidden)
			}
		})
	}
}

func TestService_StoreFails(t *testing.T) {
	t.Parallel()
	for name, method := range methods() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t).withEntry("a.md", "text")
			b.store.err = errFake
			if err := method.call(t.Context(), b, b.who, "prj_a"); !errors.Is(err, errFake) {
				t.Errorf("got %v", err)
			}
			b.store.err, b.store.roles = nil, nil
			if err := method.call(t.Context(), b, b.who, "prj_a"); !errors.Is(err, errFake) {
				t.Errorf("no roles: got %v", err)
			}
		})
	}
}

func TestService_Projects(t *testing.T) {
	t.Parallel()
	read := []Scope{ScopeRead}
	for _, tt := range []struct {
		name         string
		who          Principal
		slug, remote string
		want         string
		code         Code
	}{
		{name: "all", who: Principal{Scopes: read}, want: "[acme/app:contributor acme/ops:viewer]"},
		{name: "by slug", who: Principal{Scopes: read}, slug: "acme/ops", want: "[acme/ops:viewer]"},
		{name: "by remote as git writes it", who: Principal{Scopes: read}, remote: "git@GitHub.com:acme/app.git", want: "[acme/app:contributor]"},
		{name: "by remote that is normal", who: Principal{Scopes: read}, remote: "github.com/acme/app", want: "[acme/app:contributor]"},
		{name: "none", who: Principal{Scopes: read}, slug: "acme/x", want: "[]"},
		{name: "admin", who: Principal{Admin: true, Scopes: read}, want: "[acme/app:maintainer acme/ops:maintainer]"},
		{name: "token of one", who: Principal{Project: "prj_b", Scopes: read}, want: "[acme/ops:viewer]"},
		{name: "local path as remote", who: Principal{Scopes: read}, remote: "/srv/git/app", code: CodeInvalid},
		{name: "no scope", who: Principal{Scopes: []Scope{ScopeWrite}}, code: CodeForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := setup(t).Projects(t.Context(), tt.who, tt.slug, tt.remote)
			if tt.code != "" {
				wantCode(t, err, tt.code)
				return
			}
			must(t, err)
			got := []string{}
			for _, p := range found {
				got = append(got, p.Slug+":"+p.Role.String())
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func TestService_ProjectsHidesClosedOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.roles = map[ProjectID]Role{}
	found, err := b.Projects(t.Context(), b.who, "", "")
	must(t, err)
	if len(found) != 1 || found[0].ID != "prj_b" {
		t.Errorf("got %+v", found)
	}
	b.store.roles = nil
	if _, err := b.Projects(t.Context(), b.who, "", ""); !errors.Is(err, errFake) {
		t.Errorf("no roles: got %v", err)
	}
	b.store.err = errFake
	if _, err := b.Projects(t.Context(), b.who, "", ""); !errors.Is(err, errFake) {
		t.Errorf("no projects: got %v", err)
	}
}

func TestService_Me(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if m, err := b.Me(t.Context(), b.who); err != nil || m.ID != "mem_mara" {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestMinimumRole(t *testing.T) {
	t.Parallel()
	for scope, want := range map[Scope]Role{
		ScopeRead: RoleViewer, ScopeWrite: RoleContributor, ScopeReview: RoleReviewer, ScopeAdmin: RoleMaintainer, "unheard of": RoleMaintainer,
	} {
		if got := minimumRole(scope); got != want {
			t.Errorf("%s needs %s, want %s", scope, got, want)
		}
	}
}

func TestDeviceNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.DeviceNames(t.Context(), b.who, "", "dev_a", "dev_b", "dev_a")
	if err != nil || len(got) != 2 || got["dev_a"] != "laptop" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := b.DeviceNames(t.Context(), b.who, ""); got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = b.DeviceNames(t.Context(), Principal{}, "dev_a")
	wantCode(t, err, CodeForbidden)
}
