package memory

import (
	"log/slog"
	"strings"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// FindingID reads "fnd_…".
type FindingID string

// NewFindingID mints the identity of a new finding.
func NewFindingID() FindingID { return FindingID(newID("fnd_")) }

// Fingerprint is that of the scanner's findings.
type Fingerprint = sanitize.Fingerprint

// Severity is that of the scanner's findings.
type Severity = sanitize.Severity

// ParseFingerprint reads the digits of a fingerprint.
func ParseFingerprint(s string) (Fingerprint, error) {
	f, err := sanitize.ParseFingerprint(s)
	if err != nil {
		return f, Invalid("fingerprint", err.Error())
	}
	return f, nil
}

// FindingKey is what a project's fingerprints are made with. Whoever has it can
// try out what a secret is, so it goes to those who write there, and is never
// shown.
type FindingKey struct{ secret string }

// NewFindingKey takes the bytes of a key.
func NewFindingKey(b []byte) FindingKey { return FindingKey{string(b)} }

// Bytes returns the key.
func (k FindingKey) Bytes() []byte { return []byte(k.secret) }

// IsZero reports whether there is none.
func (k FindingKey) IsZero() bool { return k.secret == "" }

// String hides the key.
func (FindingKey) String() string { return "finding key" }

// GoString hides the key.
func (FindingKey) GoString() string { return "finding key" }

// LogValue hides the key.
func (FindingKey) LogValue() slog.Value { return slog.StringValue("finding key") }

// FindingState says what became of a finding.
type FindingState string

// The states. Expired is what a request or a permission becomes by itself.
const (
	FindingOpen      FindingState = "open"      // the secret is in a file, or was in a stored text
	FindingRequested FindingState = "requested" // its author asks for an exception
	FindingAllowed   FindingState = "allowed"   // a maintainer made one
	FindingDenied    FindingState = "denied"    // or did not
	FindingExpired   FindingState = "expired"   // nobody decided in time, or the exception has ended
	FindingCompleted FindingState = "completed" // the text was shared by the exception
	FindingResolved  FindingState = "resolved"  // the secret is out of the file, or somebody took care of it
)

// ParseFindingState reads the name of a state.
func ParseFindingState(s string) (FindingState, error) {
	switch f := FindingState(s); f {
	case FindingOpen, FindingRequested, FindingAllowed, FindingDenied, FindingExpired, FindingCompleted, FindingResolved:
		return f, nil
	}
	return "", Invalid("state", "a finding is open, requested, allowed, denied, expired, completed or resolved")
}

// Finding is a secret that was found in what somebody wanted to share, or in
// what is stored: which rule found it and where, and on purpose not what it is.
// There is one for each author, path, secret and rule.
type Finding struct {
	sanitize.Finding

	ID      FindingID
	Project ProjectID
	State   FindingState
	Path    Path // zero if it is not known to hold no secret itself
	RuleSet string
	Excerpt string // the line with every secret masked, as the author's computer made it; "" for none
	Author  Author
	Device  DeviceID
	FirstAt time.Time
	At      time.Time   // when it was last found
	Stored  RevisionRef // the newest text of an entry that has it; zero: there is none
	Held    string      // a proposal or conflict that has it, by its id; "": there is none
	// Withheld is where words stood that had it, such as "note of ent_…@7", beside
	// a text or in a name; "": none did. They are gone.
	Withheld string
	Request  *AllowRequest
}

// Hard reports whether nobody can allow the finding.
func (f Finding) Hard() bool { return f.Severity != sanitize.SeveritySoft }

// Kept reports whether the server had a text or words with it: if not, it was
// refused.
func (f Finding) Kept() bool { return f.Stored.Rev > 0 || f.Held != "" || f.Withheld != "" }

// now is the finding as it stands at a time.
func (f Finding) now(at time.Time) Finding {
	r := f.Request
	if r == nil {
		return f
	}
	ended := f.State == FindingRequested && !at.Before(r.ExpiresAt) ||
		f.State == FindingAllowed && r.Rule != nil && !r.Rule.inForce(at)
	if ended {
		f.State = FindingExpired
	}
	return f
}

// FindingQuery asks for a page of findings, newest first. Zero fields do not
// filter.
type FindingQuery struct {
	State  FindingState
	Author MemberID
	Leaked bool      // only secrets in stored texts that nobody has settled
	Asked  bool      // only those that their authors asked to be allowed, and that nobody has settled
	Now    time.Time // when what has expired is judged
	After  FindingCursor
	Limit  int
}

// FindingCursor is the place of a finding in lists.
type FindingCursor struct {
	At time.Time
	ID FindingID
}

// FindingReport is a finding as the author's computer tells of it.
type FindingReport struct {
	sanitize.Finding

	Path    string
	RuleSet string
	Excerpt string
	Device  DeviceID
}

// Bounds of what is kept of a finding.
const (
	maxExcerpt  = 160 // characters
	maxRuleName = 64
)

// ruleName checks the name of a rule that a program made up: it is words of
// letters and digits that are too short to hide a secret in.
func ruleName(field, s string, most int) error {
	const longest = 16 // letters of a word
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '.' || r == '+' || r == '/' }) {
		if len(word) > longest || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			return Invalid(field, "this is short words of small letters and digits, with a - between them")
		}
	}
	if s == "" || len(s) > most || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-.+/") != "" {
		return Invalid(field, "this is short words of small letters and digits, with a - between them")
	}
	return nil
}
