package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// AddMember adds a person to the instance.
func (s *Service) AddMember(ctx context.Context, by Principal, name string, admin bool) (Member, error) {
	if err := administers(by); err != nil {
		return Member{}, err
	}
	if !printable(name, 100) || sanitize.Inline(name) != strings.Join(strings.Fields(name), " ") {
		return Member{}, Invalid("name", "a member's name has 1 to 100 characters that can be seen")
	}
	now := s.clock()
	m := Member{ID: NewMemberID(), Name: name, Admin: admin, CreatedAt: now}
	row := by.Row(now, "member.add", string(m.ID))
	if admin {
		row.Rules = []string{"admin"}
	}
	return m, s.store.AddMember(ctx, m, row)
}

// printable reports whether a name has 1 to most characters, none of which does
// anything but show, and something that can be seen. Selectors and fillers in
// between are not looked for.
func printable(name string, most int) bool {
	hidden := strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
	return sanitize.Inline(name) != "" && !hidden && utf8.ValidString(name) && utf8.RuneCountInString(name) <= most
}

// AddProject starts a project with an empty feed.
func (s *Service) AddProject(ctx context.Context, by Principal, slug string, remotes []string, review Preset) (Project, error) {
	if err := administers(by); err != nil {
		return Project{}, err
	}
	slug, err := ParseSlug(slug)
	if err != nil {
		return Project{}, err
	}
	var normal []string
	for _, r := range remotes {
		n := NormalizeRemote(r)
		if n == "" {
			return Project{}, Invalid("remote", fmt.Sprintf("%q is not a git remote on a host", r))
		}
		normal = append(normal, n)
	}
	normal = unique(normal)
	now := s.clock()
	p := Project{
		ID: NewProjectID(), Slug: slug, Remotes: normal, Review: review, DefaultRole: RoleContributor,
		Head: Head{Epoch: NewEpoch()}, CreatedAt: now,
	}
	return p, s.store.AddProject(ctx, p, by.Row(now, "project.add", string(p.ID)))
}

// SetReview gives a project another review preset. What waits for a reviewer
// goes on waiting.
func (s *Service) SetReview(ctx context.Context, by Principal, id ProjectID, review Preset) error {
	if _, err := s.enter(ctx, by, id, ScopeAdmin); err != nil {
		return err
	}
	row := by.Row(s.clock(), "project.review", string(id))
	row.Decision = string(review)
	return s.store.SetReview(ctx, id, review, row)
}

// SetRole gives a member a role in a project; RoleNone hides the project from
// the member even where others see it by default.
func (s *Service) SetRole(ctx context.Context, by Principal, id ProjectID, member MemberID, role Role) error {
	if _, err := s.enter(ctx, by, id, ScopeAdmin); err != nil {
		return err
	}
	if _, err := s.store.Member(ctx, member); err != nil {
		return err
	}
	row := by.Row(s.clock(), "role.set", string(member))
	row.Decision = role.String()
	return s.store.SetRole(ctx, id, member, role, row)
}

// MaxTokenLife is the longest life of an API token.
const MaxTokenLife = 365 * 24 * time.Hour

// AddAPIToken keeps a token that was just minted: its hash and last four
// characters, never the token.
func (s *Service) AddAPIToken(ctx context.Context, by Principal, t APIToken) (APIToken, error) {
	if err := administers(by); err != nil {
		return APIToken{}, err
	}
	now := s.clock()
	if len(t.Scopes) == 0 {
		return APIToken{}, Invalid("scope", "a token needs at least one scope")
	}
	for _, scope := range t.Scopes {
		if !slices.Contains([]Scope{ScopeRead, ScopeWrite}, scope) {
			return APIToken{}, Invalid("scope", fmt.Sprintf("an API token can have %s and %s, not %q", ScopeRead, ScopeWrite, scope))
		}
	}
	if !t.ExpiresAt.After(now) || t.ExpiresAt.After(now.Add(MaxTokenLife)) {
		return APIToken{}, Invalid("ttl", "a token lives for more than nothing and at most 365 days")
	}
	t.ID, t.CreatedAt = NewTokenID(), now
	return t, s.store.AddAPIToken(ctx, t, by.Row(now, "token.add", string(t.ID)))
}

// APITokens returns all API tokens, or a member's, newest first.
func (s *Service) APITokens(ctx context.Context, by Principal, member MemberID) ([]APIToken, error) {
	if err := administers(by); err != nil {
		return nil, err
	}
	return s.store.APITokens(ctx, member)
}

// RevokeAPIToken ends a token, and the devices that it logged in.
func (s *Service) RevokeAPIToken(ctx context.Context, by Principal, id TokenID) error {
	if err := administers(by); err != nil {
		return err
	}
	now := s.clock()
	return s.store.RevokeAPIToken(ctx, id, now, by.Row(now, "token.revoke", string(id)))
}

// AllDevices returns a page of everybody's devices, or a member's, newest
// first, after the given one.
func (s *Service) AllDevices(ctx context.Context, by Principal, q DeviceQuery) ([]Device, error) {
	if err := administers(by); err != nil {
		return nil, err
	}
	q.Limit = s.limits.page(q.Limit)
	return s.store.Devices(ctx, q)
}

// RevokeDevice logs any member's device out.
func (s *Service) RevokeDevice(ctx context.Context, by Principal, id DeviceID) error {
	if err := administers(by); err != nil {
		return err
	}
	return s.endDevice(ctx, by, id)
}

func administers(by Principal) error {
	if !by.Admin || !by.Can(ScopeAdmin) {
		return &Error{Code: CodeForbidden, Message: "this needs an administrator"}
	}
	return nil
}
