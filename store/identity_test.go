package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestInstance_IsMintedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, err := b.Instance(t.Context())
	must(t, err)
	if !strings.HasPrefix(id, "ins_") {
		t.Errorf("instance = %q", id)
	}
	must(t, b.Ready(t.Context()))
}

func TestProject_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.Project(t.Context(), b.project.ID)
	must(t, err)
	if diff := cmp.Diff(b.project, got); diff != "" {
		t.Errorf("project (-want +got):\n%s", diff)
	}
	_, err = b.Project(t.Context(), memory.NewProjectID())
	wantCode(t, err, memory.CodeNotFound)
	again := b.project
	again.ID = memory.NewProjectID()
	wantCode(t, b.AddProject(t.Context(), again, memory.AuditRow{At: start(), Action: "project.add"}), memory.CodeConflict)
	b.check(t)
}

func TestProjects_BySlugOrRemote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.addProject(t, "acme/zeta", "github.com/acme/zeta", "gitlab.com/acme/zeta")
	b.addProject(t, "acme/beta")
	for _, tc := range []struct{ name, slug, remote, want string }{
		{"all", "", "", "acme/app acme/beta acme/zeta"},
		{"slug", "acme/beta", "", "acme/beta"},
		{"remote", "", "gitlab.com/acme/zeta", "acme/zeta"},
		{"slug or remote", "acme/beta", "github.com/acme/app", "acme/app acme/beta"},
		{"none", "acme", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			projects, err := b.Projects(t.Context(), tc.slug, tc.remote)
			must(t, err)
			var got []string
			for _, p := range projects {
				got = append(got, p.Slug)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("slugs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, given, err := b.Role(t.Context(), b.project.ID, b.member.ID)
	must(t, err)
	if given {
		t.Error("a role that nobody gave")
	}
	for _, want := range []memory.Role{memory.RoleNone, memory.RoleViewer, memory.RoleContributor, memory.RoleReviewer, memory.RoleMaintainer} {
		b.exec(t, `
			insert into project_roles (project_id, member_id, role)
			values ($1, $2, $3)
			on conflict (project_id, member_id) do update
			set role = excluded.role`, b.project.ID, b.member.ID, want.String())
		got, given, err := b.Role(t.Context(), b.project.ID, b.member.ID)
		must(t, err)
		if !given || got != want {
			t.Errorf("role = %v, %v; want %v", got, given, want)
		}
	}
}

func TestMember_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := memory.Member{ID: memory.NewMemberID(), Name: "Zoë", Admin: true, Disabled: true, SessionEpoch: 3, CreatedAt: start()}
	must(t, b.AddMember(t.Context(), want, memory.AuditRow{At: start(), Action: "member.add"}))
	for _, read := range []func() (memory.Member, error){
		func() (memory.Member, error) { return b.Member(t.Context(), want.ID) },
		func() (memory.Member, error) { return b.MemberByName(t.Context(), "Zoë") },
	} {
		got, err := read()
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("member (-want +got):\n%s", diff)
		}
	}
	want.ID = memory.NewMemberID()
	wantCode(t, b.AddMember(t.Context(), want, memory.AuditRow{At: start(), Action: "member.add"}), memory.CodeConflict)
	_, err := b.MemberByName(t.Context(), "zoë")
	wantCode(t, err, memory.CodeNotFound)
	_, err = b.Member(t.Context(), memory.NewMemberID())
	wantCode(t, err, memory.CodeNotFound)
	b.check(t)
}

func TestAPIToken_RoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	everywhere := memory.APIToken{
		ID: memory.NewTokenID(), Hash: memory.Sum([]byte("1")), Last4: "wxyz", Member: b.member.ID,
		Scopes: []memory.Scope{memory.ScopeRead, memory.ScopeWrite}, CreatedAt: start(), ExpiresAt: start().Add(time.Hour),
	}
	ended := everywhere
	ended.ID, ended.Hash, ended.Project, ended.RevokedAt = memory.NewTokenID(), memory.Sum([]byte("2")), b.project.ID, start().Add(time.Minute)
	for _, want := range []memory.APIToken{everywhere, ended} {
		must(t, b.AddAPIToken(t.Context(), want, memory.AuditRow{At: start(), Action: "token.add"}))
		got, member, err := b.APIToken(t.Context(), want.Hash)
		must(t, err)
		if diff := cmp.Diff(want, got) + cmp.Diff(b.member, member); diff != "" {
			t.Errorf("token and member (-want +got):\n%s", diff)
		}
	}
	_, _, err := b.APIToken(t.Context(), memory.Sum([]byte("3")))
	wantCode(t, err, memory.CodeNotFound)
	b.check(t)
}

func TestDevice_OfItsMemberOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.Device(t.Context(), b.member.ID, b.device.ID)
	must(t, err)
	if diff := cmp.Diff(b.device, got); diff != "" {
		t.Errorf("device (-want +got):\n%s", diff)
	}
	_, err = b.Device(t.Context(), b.addMember(t, "Ole").ID, b.device.ID)
	wantCode(t, err, memory.CodeNotFound)

	bound := memory.Device{ID: memory.NewDeviceID(), Member: b.member.ID, Name: "ci", CreatedAt: start(), Project: b.project.ID}
	must(t, b.AddDevice(t.Context(), bound, memory.AuditRow{At: start(), Action: "device.add"}))
	if got, err = b.Device(t.Context(), b.member.ID, bound.ID); err != nil || got.Project != b.project.ID {
		t.Errorf("the device of a project's token reaches %q: %v", got.Project, err)
	}
}

func TestDeviceNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.DeviceNames(t.Context(), []memory.DeviceID{b.device.ID, memory.NewDeviceID(), "", "'"})
	must(t, err)
	if diff := cmp.Diff(map[memory.DeviceID]string{b.device.ID: "laptop"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}
