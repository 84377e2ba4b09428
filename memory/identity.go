package memory

import (
	"slices"
	"time"
)

// Scope is what a token may be used for.
type Scope string

// The scopes. Review and admin are never granted to API tokens.
const (
	ScopeRead   Scope = "sync:read"
	ScopeWrite  Scope = "sync:write"
	ScopeReview Scope = "review"
	ScopeAdmin  Scope = "admin"
)

// Role is what a member may do in a project; higher roles include lower ones.
type Role int

// The project roles.
const (
	RoleNone Role = iota
	RoleViewer
	RoleContributor
	RoleReviewer
	RoleMaintainer
)

// roleNames are the names on the wire and in the database, by Role.
func roleNames() [5]string {
	return [...]string{"none", "viewer", "contributor", "reviewer", "maintainer"}
}

// String returns the role's name.
func (r Role) String() string { return roleNames()[r] }

// ParseRole reads the name of a role.
func ParseRole(s string) (Role, error) {
	for i, name := range roleNames() {
		if name == s {
			return Role(i), nil
		}
	}
	return RoleNone, Invalid("role", "a role is none, viewer, contributor, reviewer or maintainer")
}

// Member is a person.
type Member struct {
	ID           MemberID
	Name         string
	Admin        bool // maintainer everywhere, and may administer the instance
	Disabled     bool
	SessionEpoch int64 // raised to end all sessions of the member
	CreatedAt    time.Time
}

// APIToken is what is kept of an API token: never the token itself.
type APIToken struct {
	ID        TokenID
	Hash      Hash   // of the whole token
	Last4     string // for people to recognise it by
	Member    MemberID
	Project   ProjectID // "" reaches every project of the member
	Scopes    []Scope
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt time.Time // zero: in force
}

// Device is one computer on which a member is logged in, or was. What it may do
// it has from the API token that logged it in; a device that only names where
// API tokens are used from has no scopes.
type Device struct {
	ID         DeviceID
	Member     MemberID
	Name       string
	OS         string
	CreatedAt  time.Time
	Project    ProjectID // the only project that it reaches; "" for all
	Scopes     []Scope
	Token      TokenID   // that logged it in last
	LastSeen   time.Time // to about a minute; zero: never
	RevokedAt  time.Time // zero: it is in force
	RevokedFor EndReason

	Login        int64     // counts its logins; tokens of an earlier one have ended
	LoginEnds    time.Time // when it must log in again at the latest
	SessionEpoch int64     // of the member then: ending all sessions ends the login too
}

// Principal is who makes a request, as authentication established it.
type Principal struct {
	Member  MemberID
	Name    string
	Admin   bool
	Device  DeviceID  // of an access token; "" for API tokens
	Token   TokenID   // of an API token; "" for access tokens
	Project ProjectID // the only project that the token reaches; "" for all
	Scopes  []Scope
	Remote  string // address of the client, for the audit
	Client  string // what the client calls itself, for the audit
}

// Can reports whether the principal's token has the scope.
func (p Principal) Can(s Scope) bool { return slices.Contains(p.Scopes, s) }
