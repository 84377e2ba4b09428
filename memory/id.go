package memory

import (
	"crypto/rand"
	"strings"
)

// Ids are opaque: a prefix that names the kind, and 100 random bits.
type (
	ProjectID string // "prj_…"
	EntryID   string // "ent_…"
	MemberID  string // "mem_…"
	DeviceID  string // "dev_…"
	TokenID   string // "tok_…"
)

// NewProjectID and its siblings mint random ids.
func NewProjectID() ProjectID { return ProjectID(newID("prj_")) }

// NewEntryID mints the identity of a new entry.
func NewEntryID() EntryID { return EntryID(newID("ent_")) }

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
