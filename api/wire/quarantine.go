package wire

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// QuarantineAdd is the body of POST …/quarantine: whose changes are taken back,
// or which entries.
type QuarantineAdd struct {
	EntryID      string    `json:"entry_id,omitzero"`
	EntryIDs     []string  `json:"entry_ids,omitzero"`
	Member       string    `json:"member,omitzero"`
	Device       string    `json:"device,omitzero"`
	Token        string    `json:"token,omitzero"`
	AgentSession string    `json:"agent_session,omitzero"`
	Since        time.Time `json:"since,omitzero"`
	Reason       string    `json:"reason,omitzero"`
	DryRun       bool      `json:"dry_run,omitzero"`
}

// NewQuarantineAdd describes what is to be taken back.
func NewQuarantineAdd(w memory.Withdrawal) QuarantineAdd {
	q := QuarantineAdd{
		Member: string(w.Member), Device: string(w.Device), Token: string(w.Token), AgentSession: w.Session, Since: utc(w.Since),
		Reason: w.Reason, DryRun: w.DryRun,
	}
	for _, id := range w.Entries {
		q.EntryIDs = append(q.EntryIDs, string(id))
	}
	return q
}

// Domain returns what is asked for; nothing in it has been checked but its form.
func (w QuarantineAdd) Domain() (q memory.Withdrawal, err error) {
	for i, s := range append([]string{w.EntryID}, w.EntryIDs...) {
		entry, err := ParseEntryID("entry_ids", s)
		if err != nil {
			return q, err
		}
		switch {
		case entry != "":
			q.Entries = append(q.Entries, entry)
		case i > 0:
			return q, missing("entry_ids")
		}
	}
	if q.Member, err = ParseMemberID("member", w.Member); err != nil {
		return q, err
	}
	if q.Device, err = ParseDeviceID("device", w.Device); err != nil {
		return q, err
	}
	if q.Token, err = id[memory.TokenID]("token", "tok_", w.Token); err != nil {
		return q, err
	}
	if err := Label("agent_session", w.AgentSession, 200); err != nil {
		return q, err
	}
	if !w.Since.IsZero() && (w.Since.Year() < 1970 || w.Since.Year() > 9999) {
		return q, memory.Invalid("since", "this is a time since 1970")
	}
	if err := checkNote("reason", w.Reason); err != nil {
		return q, err
	}
	q.Session, q.Since, q.Reason, q.DryRun = w.AgentSession, w.Since.UTC(), w.Reason, w.DryRun
	if w.Since.IsZero() {
		q.Since = time.Time{}
	}
	return q, nil
}

// QuarantineRelease is the body of POST …/quarantine/{id}/release.
type QuarantineRelease struct {
	Reason string `json:"reason,omitzero"`
}

// Check holds the reason to a short text.
func (w QuarantineRelease) Check() error { return checkNote("reason", w.Reason) }

// Quarantine is what was taken back. Entries are not in lists; without an id it
// is what would be taken back, or nothing was.
type Quarantine struct {
	ID           string        `json:"id,omitzero"`
	Member       string        `json:"member,omitzero"`
	Device       string        `json:"device,omitzero"`
	Token        string        `json:"token,omitzero"`
	AgentSession string        `json:"agent_session,omitzero"`
	Since        time.Time     `json:"since,omitzero"`
	Reason       string        `json:"reason"`
	By           Author        `json:"by"`
	At           time.Time     `json:"at"`
	Withdrawn    int           `json:"withdrawn"`
	Released     int           `json:"released"`
	Kept         int           `json:"kept"`
	Proposals    int           `json:"proposals"`
	Entries      []Quarantined `json:"entries,omitzero"`
}

// Quarantined is one entry that was taken back.
type Quarantined struct {
	EntryID     string `json:"entry_id"`
	Path        string `json:"path"`
	Rev         int64  `json:"rev,omitzero"`
	WasRev      int64  `json:"was_rev"`
	BackRev     int64  `json:"back_rev,omitzero"`
	ReleasedRev int64  `json:"released_rev,omitzero"`
	Stuck       string `json:"stuck,omitzero"`
}

// NewQuarantine describes a quarantine.
func NewQuarantine(q memory.Quarantine) Quarantine {
	s := q.Suspects
	w := Quarantine{
		ID: string(q.ID), Member: string(s.Member), Device: string(s.Device), Token: string(s.Token), AgentSession: s.Session,
		Reason: q.Reason, By: newAuthor(q.By), At: utc(q.At), Withdrawn: q.Withdrawn, Released: q.Released, Kept: q.Kept,
		Proposals: q.Proposals,
	}
	if !s.Since.IsZero() {
		w.Since = utc(s.Since)
	}
	for _, e := range q.Entries {
		w.Entries = append(w.Entries, Quarantined{
			EntryID: string(e.EntryID), Path: e.Path.String(), Rev: e.Rev, WasRev: e.Was, BackRev: e.Back, ReleasedRev: e.Released,
			Stuck: string(e.Stuck),
		})
	}
	return w
}

// Domain returns the quarantine.
func (w Quarantine) Domain() (memory.Quarantine, error) {
	id, err := id[memory.QuarantineID]("id", "qua_", w.ID)
	if err != nil {
		return memory.Quarantine{}, err
	}
	q := memory.Quarantine{
		ID: id, Suspects: memory.Suspects{
			Member: memory.MemberID(fit(w.Member)), Device: memory.DeviceID(fit(w.Device)), Token: memory.TokenID(fit(w.Token)), Session: fit(w.AgentSession),
			Since: w.Since,
		},
		Reason: fitLines(w.Reason), By: w.By.Domain(), At: w.At, Withdrawn: w.Withdrawn, Released: w.Released, Kept: w.Kept, Proposals: w.Proposals,
	}
	for _, e := range w.Entries {
		path, err := memory.ParseServedPath(e.Path)
		if err != nil {
			return memory.Quarantine{}, err
		}
		q.Entries = append(q.Entries, memory.Quarantined{
			EntryID: memory.EntryID(fit(e.EntryID)), Path: path, Rev: e.Rev, Was: e.WasRev, Back: e.BackRev, Released: e.ReleasedRev,
			Stuck: memory.Stuck(fit(e.Stuck)),
		})
	}
	return q, nil
}

// ParseQuarantineID checks a quarantine's id from an URL. What cannot be one is
// not found.
func ParseQuarantineID(s string) (memory.QuarantineID, error) {
	q, err := id[memory.QuarantineID]("id", "qua_", s)
	if err != nil || q == "" {
		return "", memory.NotFound("quarantine")
	}
	return q, nil
}

// Purge is the body of POST …/purge.
type Purge struct {
	EntryID string `json:"entry_id"`
	Rev     int64  `json:"rev,omitzero"` // 0: all of the entry
	Reason  string `json:"reason"`
}

// NewPurge describes what is to be removed.
func NewPurge(p memory.Purge) Purge {
	return Purge{EntryID: string(p.EntryID), Rev: p.Rev, Reason: p.Reason}
}

// Domain returns what is asked for.
func (w Purge) Domain() (memory.Purge, error) {
	entry, err := ParseEntryID("entry_id", w.EntryID)
	switch {
	case err != nil:
		return memory.Purge{}, err
	case entry == "":
		return memory.Purge{}, missing("entry_id")
	case w.Reason == "":
		return memory.Purge{}, missing("reason")
	}
	return memory.Purge{EntryID: entry, Rev: w.Rev, Reason: w.Reason}, checkNote("reason", w.Reason)
}

// Purged is what was removed.
type Purged struct {
	Rev       int64    `json:"rev,omitzero"` // 0: there was nothing left
	SHA256s   []string `json:"sha256s"`
	Revisions int      `json:"revisions"`
	Elsewhere []string `json:"elsewhere"`
}

// NewPurged describes what was removed.
func NewPurged(p memory.Purged) Purged {
	w := Purged{Rev: p.Rev, SHA256s: []string{}, Revisions: p.Revisions, Elsewhere: []string{}}
	for _, sum := range p.Sums {
		w.SHA256s = append(w.SHA256s, sum.String())
	}
	for _, id := range p.Elsewhere {
		w.Elsewhere = append(w.Elsewhere, string(id))
	}
	return w
}

// Domain returns what was removed.
func (w Purged) Domain() (memory.Purged, error) {
	p := memory.Purged{Rev: w.Rev, Revisions: w.Revisions}
	for _, s := range w.SHA256s {
		sum, err := hash("sha256s", s)
		if err != nil {
			return p, err
		}
		p.Sums = append(p.Sums, sum)
	}
	for _, id := range w.Elsewhere {
		p.Elsewhere = append(p.Elsewhere, memory.EntryID(id))
	}
	return p, nil
}
