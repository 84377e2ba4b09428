package memory

import (
	"crypto/rand"
	"strings"
)

// Ids are opaque: a prefix that names the kind, and 100 random bits.
type (
	// ProjectID reads "prj_…".
	ProjectID string
	// EntryID reads "ent_…".
	EntryID string
	// MemberID reads "mem_…".
	MemberID string
	// DeviceID reads "dev_…".
	DeviceID string
	// TokenID reads "tok_…". It names an API token and is not the token.
	TokenID string
)

// NewProjectID mints the identity of a new project.
func NewProjectID() ProjectID { return ProjectID(newID("prj_")) }

// NewEntryID mints the identity of a new entry.
func NewEntryID() EntryID { return EntryID(newID("ent_")) }

// valid reports whether the id, which a client may have chosen, has the form of
// those that are minted here.
func (id EntryID) valid() bool {
	const prefix, most = "ent_", 64
	rest, ok := strings.CutPrefix(string(id), prefix)
	return ok && len(rest) <= most && isWord(rest)
}

// isWord reports whether s has only characters of which ids are made.
func isWord(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// NewMemberID mints the identity of a new member.
func NewMemberID() MemberID { return MemberID(newID("mem_")) }

// NewDeviceID mints the identity of a new device.
func NewDeviceID() DeviceID { return DeviceID(newID("dev_")) }

// NewTokenID mints the identity of a new API token; it is not the token.
func NewTokenID() TokenID { return TokenID(newID("tok_")) }

// NewInstanceID mints the identity of a new instance.
func NewInstanceID() string { return newID("ins_") }

// NewEpoch mints the name of one unbroken history of a project. It is short
// because every request of a client carries it.
func NewEpoch() string { return "e" + strings.ToLower(rand.Text()[:7]) }

func newID(prefix string) string {
	const chars = 20 // of base 32: 100 bits
	return prefix + strings.ToLower(rand.Text()[:chars])
}
