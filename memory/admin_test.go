package memory

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func operator() Principal {
	return Principal{Name: "operator", Admin: true, Scopes: []Scope{ScopeAdmin}, Client: "test"}
}

// Only an administrator whose token says so administers.
func TestAdmin_NeedsAdministrator(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]Principal{
		"a member":                      {Scopes: []Scope{ScopeRead, ScopeWrite}},
		"a member with the scope":       {Scopes: []Scope{ScopeAdmin}},
		"an admin without the scope":    {Admin: true, Scopes: []Scope{ScopeRead, ScopeWrite, ScopeReview}},
		"an admin without any scope":    {Admin: true},
		"nobody":                        {},
		"a member with another's words": {Name: "operator", Client: "teammem admin", Scopes: []Scope{ScopeAdmin}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			_, member := b.AddMember(t.Context(), who, "", false)
			_, project := b.AddProject(t.Context(), who, "//", nil, PresetOpen)
			_, token := b.AddAPIToken(t.Context(), who, APIToken{})
			for what, err := range map[string]error{"member": member, "project": project, "token": token} {
				if CodeOf(err) != CodeForbidden {
					t.Errorf("%s: got %v", what, err)
				}
			}
			if b.store.members != nil || b.store.added != nil || b.store.tokens != nil || b.store.audit != nil {
				t.Error("the store was asked")
			}
		})
	}
}

func TestAddMember(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m, err := b.AddMember(t.Context(), operator(), "Mara Müller 玛拉", true)
	must(t, err)
	if !strings.HasPrefix(string(m.ID), "mem_") || m.Name != "Mara Müller 玛拉" || !m.Admin || m.CreatedAt != start() || b.store.members[0] != m {
		t.Errorf("got %+v", m)
	}
	_, err = b.AddMember(t.Context(), operator(), strings.Repeat("数", 100), false)
	must(t, err)
	want := []AuditRow{
		{At: start(), Client: "test", Action: "member.add", Object: string(m.ID), Rules: []string{"admin"}},
		{At: start(), Client: "test", Action: "member.add", Object: string(b.store.members[1].ID)},
	}
	if diff := cmp.Diff(want, b.store.audit); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
	for _, bad := range []string{
		"", strings.Repeat("x", 101), "a\nb", "a\x00", "\xff", "a\u200bb", "\u202e", " ", "\u3164", "\u2800\u2800", "Ann\ufe01\ufe02",
		"Ann\U000e0101\U000e0110", "An\u115fn",
	} {
		if _, err := b.AddMember(t.Context(), operator(), bad, false); CodeOf(err) != CodeInvalid {
			t.Errorf("%+q: got %v", bad, err)
		}
	}
	b.store.err = errFake
	if _, err := b.AddMember(t.Context(), operator(), "Jo", false); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

func TestAddProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	remotes := []string{"git@github.com:acme/app.git", "https://host.example/app", "https://github.com/acme/app"}
	p, err := b.AddProject(t.Context(), operator(), "acme/app", remotes, PresetStrict)
	must(t, err)
	if p.Slug != "acme/app" || p.Review != PresetStrict || p.DefaultRole != RoleContributor || p.Head.Seq != 0 || p.Head.Epoch == "" ||
		!slices.Equal(p.Remotes, []string{"github.com/acme/app", "host.example/app"}) || p.CreatedAt != start() {
		t.Errorf("got %+v", p)
	}
	if row := b.store.audit[0]; row.Action != "project.add" || row.Object != string(p.ID) {
		t.Errorf("audit %+v", row)
	}
	if _, err := b.AddProject(t.Context(), operator(), "Acme", nil, PresetOpen); CodeOf(err) != CodeInvalid {
		t.Errorf("slug: got %v", err)
	}
	_, err = b.AddProject(t.Context(), operator(), "acme/x", []string{"/srv/git"}, PresetOpen)
	if e := problemOf(t, err, CodeInvalid); e.Field != "remote" {
		t.Errorf("remote: got %v", e)
	}
}

func TestAddAPIToken(t *testing.T) {
	t.Parallel()
	valid := func() APIToken {
		return APIToken{Hash: Sum([]byte("token")), Last4: "oken", Member: "mem_mara", Scopes: []Scope{ScopeRead, ScopeWrite}, ExpiresAt: start().Add(time.Hour)}
	}
	for _, tt := range []struct {
		name   string
		change func(*APIToken)
		field  string
	}{
		{"as it should be", func(*APIToken) {}, ""},
		{"for one project", func(k *APIToken) { k.Project = "prj_a" }, ""},
		{"to read", func(k *APIToken) { k.Scopes = []Scope{ScopeRead} }, ""},
		{"as long as may be", func(k *APIToken) { k.ExpiresAt = start().Add(MaxTokenLife) }, ""},
		{"longer", func(k *APIToken) { k.ExpiresAt = start().Add(MaxTokenLife + 1) }, "ttl"},
		{"ends now", func(k *APIToken) { k.ExpiresAt = start() }, "ttl"},
		{"ended", func(k *APIToken) { k.ExpiresAt = start().Add(-1) }, "ttl"},
		{"no end", func(k *APIToken) { k.ExpiresAt = time.Time{} }, "ttl"},
		{"no scope", func(k *APIToken) { k.Scopes = nil }, "scope"},
		{"to review", func(k *APIToken) { k.Scopes = []Scope{ScopeRead, ScopeReview} }, "scope"},
		{"to administer", func(k *APIToken) { k.Scopes = []Scope{ScopeAdmin} }, "scope"},
		{"unknown scope", func(k *APIToken) { k.Scopes = []Scope{""} }, "scope"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			k := valid()
			tt.change(&k)
			made, err := b.AddAPIToken(t.Context(), operator(), k)
			if tt.field != "" {
				if e := problemOf(t, err, CodeInvalid); e.Field != tt.field || b.store.tokens != nil {
					t.Errorf("got %v", e)
				}
				return
			}
			must(t, err)
			k.ID, k.CreatedAt = made.ID, start()
			if diff := cmp.Diff([]APIToken{k}, b.store.tokens); diff != "" || !strings.HasPrefix(string(made.ID), "tok_") {
				t.Errorf("id %s; stored (-want +got):\n%s", made.ID, diff)
			}
			if row := b.store.audit[0]; row.Action != "token.add" || row.Object != string(made.ID) {
				t.Errorf("audit %+v", row)
			}
		})
	}
}

func TestSetReview(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.SetReview(t.Context(), operator(), "prj_a", PresetStrict))
	want := []AuditRow{{At: start(), Client: "test", Action: "project.review", Object: "prj_a", Decision: "strict"}}
	if diff := cmp.Diff(want, b.store.audit); diff != "" || !slices.Equal(b.store.presets, []Preset{PresetStrict}) {
		t.Errorf("presets %v, audit (-want +got):\n%s", b.store.presets, diff)
	}
	wantCode(t, b.SetReview(t.Context(), operator(), "prj_x", PresetStrict), CodeNotFound)
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.SetRole(t.Context(), operator(), "prj_a", "mem_jo", RoleReviewer))
	want := []AuditRow{{At: start(), Client: "test", Action: "role.set", Object: "mem_jo", Decision: "reviewer"}}
	if diff := cmp.Diff(want, b.store.audit); diff != "" || b.store.given["mem_jo"] != RoleReviewer {
		t.Errorf("given %v, audit (-want +got):\n%s", b.store.given, diff)
	}
	wantCode(t, b.SetRole(t.Context(), operator(), "prj_x", "mem_jo", RoleReviewer), CodeNotFound)
}

// A project's policy and roles are for its maintainers, and for a credential
// that says so.
func TestPolicy_NeedsMaintainer(t *testing.T) {
	t.Parallel()
	all := []Scope{ScopeRead, ScopeWrite, ScopeReview, ScopeAdmin}
	for _, tt := range []struct {
		name string
		who  Principal
		role Role
		code Code
	}{
		{"maintainer", Principal{Member: "mem_mara", Scopes: all}, RoleMaintainer, ""},
		{"administrator", Principal{Admin: true, Scopes: all}, RoleNone, ""},
		{"reviewer", Principal{Member: "mem_mara", Scopes: all}, RoleReviewer, CodeForbidden},
		{"maintainer without the scope", Principal{Member: "mem_mara", Scopes: all[:3]}, RoleMaintainer, CodeForbidden},
		{"administrator without the scope", Principal{Admin: true, Scopes: all[:3]}, RoleMaintainer, CodeForbidden},
		{"nobody there", Principal{Member: "mem_mara", Scopes: all}, RoleNone, CodeNotFound},
		{"token of another project", Principal{Member: "mem_mara", Project: "prj_b", Scopes: all}, RoleMaintainer, CodeNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.roles["prj_a"] = tt.role
			review := b.SetReview(t.Context(), tt.who, "prj_a", PresetOpen)
			role := b.SetRole(t.Context(), tt.who, "prj_a", "mem_jo", RoleMaintainer)
			for _, err := range []error{review, role} {
				if tt.code == "" {
					must(t, err)
					continue
				}
				wantCode(t, err, tt.code)
			}
			if (b.store.audit != nil) != (tt.code == "") {
				t.Errorf("audit %+v", b.store.audit)
			}
		})
	}
}
