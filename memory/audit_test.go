package memory

import (
	"testing"
	"time"
)

func auditRow() AuditRow {
	return AuditRow{
		At: time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC), Actor: "mem_a", Token: "tok_a", Device: "dev_a", Remote: "192.0.2.1", Client: "teammem/1",
		Action: "entry.put", Object: "ent_a", Before: Sum([]byte("before")), After: Sum([]byte("after")), Decision: "published", Rules: []string{"r1", "r2"},
	}
}

// The vector was computed by another program from the description of Chain, so
// that an old log stays verifiable.
func TestAuditRow_ChainVector(t *testing.T) {
	t.Parallel()
	const want = "39e42dd4712116a5d7719f0fb7c383c42622ac844218c9238972424928379b4c"
	if got := auditRow().Chain(Sum([]byte("previous"))); got.String() != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Every field counts, and none can be mistaken for its neighbour.
func TestAuditRow_ChainTellsRowsApart(t *testing.T) {
	t.Parallel()
	seen := map[Hash]string{}
	for name, change := range map[string]func(*AuditRow){
		"nothing":            func(*AuditRow) {},
		"at":                 func(r *AuditRow) { r.At = r.At.Add(time.Microsecond) },
		"actor":              func(r *AuditRow) { r.Actor = "mem_b" },
		"token":              func(r *AuditRow) { r.Token = "" },
		"device":             func(r *AuditRow) { r.Device = "" },
		"remote":             func(r *AuditRow) { r.Remote = "" },
		"client":             func(r *AuditRow) { r.Client = "" },
		"action":             func(r *AuditRow) { r.Action = "entry.move" },
		"object":             func(r *AuditRow) { r.Object = "" },
		"before":             func(r *AuditRow) { r.Before = Hash{} },
		"after":              func(r *AuditRow) { r.After = Hash{} },
		"decision":           func(r *AuditRow) { r.Decision = "same" },
		"no rules":           func(r *AuditRow) { r.Rules = nil },
		"an empty rule":      func(r *AuditRow) { r.Rules = append(r.Rules, "") },
		"rules joined":       func(r *AuditRow) { r.Rules = []string{"r1r2"} },
		"rules swapped":      func(r *AuditRow) { r.Rules = []string{"r2", "r1"} },
		"actor to token":     func(r *AuditRow) { r.Actor, r.Token = "mem_atok_a", "" },
		"decision to a rule": func(r *AuditRow) { r.Decision, r.Rules = "", []string{"published", "r1", "r2"} },
	} {
		r := auditRow()
		change(&r)
		h := r.Chain(Hash{})
		if other, ok := seen[h]; ok {
			t.Errorf("%q and %q have one hash", name, other)
		}
		seen[h] = name
	}
	if auditRow().Chain(Hash{}) == auditRow().Chain(Hash{1}) {
		t.Error("the row before does not count")
	}
}

// What the database keeps of a time is what counts.
func TestAuditRow_ChainOfTimes(t *testing.T) {
	t.Parallel()
	r, same := auditRow(), auditRow()
	same.At = r.At.Add(999 * time.Nanosecond).In(time.FixedZone("somewhere", 3600))
	if r.Chain(Hash{}) != same.Chain(Hash{}) {
		t.Error("a time that comes back from the database has another hash")
	}
}
