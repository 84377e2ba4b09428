package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// AuditRow is one line of a hash-chained log. It never holds content, secrets
// or tokens.
type AuditRow struct {
	At       time.Time
	Actor    MemberID
	Token    TokenID
	Device   DeviceID
	Remote   string
	Client   string
	Action   string // such as "entry.put"
	Object   string // the id of what was acted on
	Before   Hash
	After    Hash
	Decision string   // such as "published" or "refused"
	Rules    []string // ids of the rules that decided
}

// Chain returns the row's hash: SHA-256 over the previous row's hash and the
// row's fields in order, each with its length before it.
func (r AuditRow) Chain(prev Hash) Hash {
	h := sha256.New()
	h.Write(prev[:])
	field := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	field([]byte(r.At.UTC().Format("2006-01-02T15:04:05.000000Z"))) // what a timestamptz keeps
	for _, s := range []string{string(r.Actor), string(r.Token), string(r.Device), r.Remote, r.Client, r.Action, r.Object} {
		field([]byte(s))
	}
	field(r.Before[:])
	field(r.After[:])
	field([]byte(r.Decision))
	for _, rule := range r.Rules {
		field([]byte(rule))
	}
	return Hash(h.Sum(nil))
}

// Row starts an audit row about something that the principal does.
func (p Principal) Row(at time.Time, action, object string) AuditRow {
	return AuditRow{
		At: at, Actor: p.Member, Token: p.Token, Device: p.Device, Remote: p.Remote, Client: p.Client,
		Action: action, Object: object,
	}
}
