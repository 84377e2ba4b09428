package memory

import (
	"fmt"
	"time"
)

// QuarantineID reads "qua_…".
type QuarantineID string

// NewQuarantineID mints the identity of a new quarantine.
func NewQuarantineID() QuarantineID { return QuarantineID(newID("qua_")) }

// Suspects are the revisions that a quarantine takes back: those of one member,
// computer, token or agent's session, or all of some entries. Changes that a
// quarantine or a purge made are nobody's, and only go with their entry.
type Suspects struct {
	Entries []EntryID
	Member  MemberID
	Device  DeviceID
	Token   TokenID
	Session string
	Since   time.Time // and no older ones; zero: ever
}

// check refuses suspects that are named in none or in several ways.
func (s Suspects) check() error {
	named := 0
	for _, is := range []bool{len(s.Entries) > 0, s.Member != "", s.Device != "", s.Token != "", s.Session != ""} {
		if is {
			named++
		}
	}
	if named != 1 {
		return Invalid("entry_ids", "say whose changes: of one member, device, token or agent_session, or of which entries")
	}
	return nil
}

// Quarantine is a decision to take changes back. Each entry returned to its last
// revision that is not suspect, or went. It can be released, entry by entry, as
// long as nobody has changed them since.
type Quarantine struct {
	ID        QuarantineID // "" if nothing was ever taken back
	Project   ProjectID
	Suspects  Suspects // but for its entries
	Reason    string
	By        Author
	At        time.Time
	Entries   []Quarantined // by path; not in lists
	Withdrawn int           // how many they are
	Released  int           // of those
	Kept      int           // entries that others have changed since: somebody has to look at them
	Proposals int           // pending ones that were closed
	Head      Head          // of the project afterwards; not in lists
}

// Quarantined is one entry that was taken back.
type Quarantined struct {
	EntryID  EntryID
	Path     Path     // where it was
	Rev      int64    // the change that took it back; 0 if it only would be
	Was      int64    // the newest revision before
	Author   MemberID // of that
	Writer   MemberID // who last wrote its text, if that was not moved or released alone
	Back     int64    // whose text returned; 0: none, the entry went
	Released int64    // the change that released it; 0: none has
	Stuck    Stuck    // of a release: why it has not; of a quarantine: StuckRefused if the text before it may not return
}

// Stuck is why an entry does not get a text back.
type Stuck string

// The reasons.
const (
	StuckChanged Stuck = "changed" // somebody has changed the entry since
	StuckTaken   Stuck = "taken"   // another entry has its name
	StuckPurged  Stuck = "purged"  // its text is gone for good
	StuckRefused Stuck = "refused" // the gate refuses its text or name today
	StuckOwn     Stuck = "own"     // whoever releases has written it, and somebody else took it back
)

// Own reports whether an entry's text or newest change is the member's own, and
// another person decided that it goes. Then a third decides that it comes back.
func (q Quarantine) Own(e Quarantined, member MemberID) bool {
	return member != "" && (e.Author == member || e.Writer == member) && q.By.Member != member && q.By.Member != ServerMember
}

// AgainWithin is how long somebody may ask for a quarantine again because its
// answer was lost.
const AgainWithin = 10 * time.Minute

// Screened are revisions that were taken through today's gate, with whether it
// lets them pass.
type Screened map[RevisionRef]bool

// Unscreened is the error of what would bring texts back that nobody screened.
type Unscreened struct{ Refs []RevisionRef }

func (u *Unscreened) Error() string { return fmt.Sprintf("%d revisions are not screened", len(u.Refs)) }

// without tells of texts that do not return.
func (q Quarantine) without(done Screened) Quarantine {
	for i := range q.Entries {
		e := &q.Entries[i]
		if fit, screened := done[RevisionRef{e.EntryID, e.Back}]; screened && !fit {
			e.Back, e.Stuck = 0, StuckRefused
		}
	}
	return q
}

// Releasing is a release as the store carries it out.
type Releasing struct {
	Project    ProjectID
	Quarantine QuarantineID
	Reason     string
	At         time.Time
	Screened   Screened
}

// QuarantineQuery asks for a page of quarantines, newest first.
type QuarantineQuery struct {
	After QuarantineCursor // the last one of the page before
	Limit int
}

// QuarantineCursor is the place of a quarantine in lists.
type QuarantineCursor struct {
	At time.Time
	ID QuarantineID
}
