package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Rescan is a round of looking at everything that is stored, by rules that it was
// not screened by.
type Rescan struct {
	RuleSet string // of the server that was started last
	Round   int64
	Whole   bool // also what these very rules let pass
	At      time.Time
}

// RescanProgress is how far a round has come in a project.
type RescanProgress struct {
	Project  ProjectID
	Slug     string
	Head     int64 // the project's newest change
	Round    int64
	RuleSet  string
	Goal     int64      // the newest change when it began
	Seq      int64      // up to which the feed was looked at,
	Proposal ProposalID // and likewise, by their ids
	Conflict ConflictID

	// What was done again after a crash is not counted twice, nor what it had taken
	// back before.
	Texts         int
	Findings      int
	Rejected      int      // texts that hold what nobody sees, or are no text
	Withdrawn     int      // entries that went
	Hidden        int      // older revisions that only reviewers can read now
	Unscanned     int      // texts whose scan did not come to its end
	UnscannedSome []string // the first of them

	BeganAt time.Time
	EndedAt time.Time // zero: it goes on
	Late    bool      // since then, a server with other rules kept proposals or conflicts
	Since   time.Time // of those, only these are looked at
}

// due reports whether there is something to look at.
func (p RescanProgress) due() bool { return p.EndedAt.IsZero() || p.Seq < p.Head || p.Late }

// LateMost is how long before it is stored a text can be dated, by a server that is
// slow to write it or whose clock is behind.
const LateMost = 2 * time.Minute

// resumed is the progress that goes on with what was kept late.
func (p RescanProgress) resumed() RescanProgress {
	p.Proposal, p.Conflict, p.Late, p.Since, p.EndedAt = "", "", false, p.EndedAt.Add(-LateMost), time.Time{}
	return p
}

// mostUnscanned is how many texts are named whose scan did not end.
const mostUnscanned = 100

// skip notes that nobody knows what is in a text.
func (p *RescanProgress) skip(name string) {
	if p.Unscanned++; len(p.UnscannedSome) < mostUnscanned {
		p.UnscannedSome = append(p.UnscannedSome, name)
	}
}

// StoredText is a text that is looked at again: of a revision, a proposal or a
// conflict.
type StoredText struct {
	Revision RevisionRef // one of the three
	Proposal ProposalID
	Conflict ConflictID

	Path    Path
	Content []byte
	Sum     Hash
	Author  Author // who wrote it first
	Device  DeviceID
	Pending bool // a proposal that nobody has decided on
}

// String names the text.
func (t StoredText) String() string {
	switch {
	case t.Proposal != "":
		return string(t.Proposal)
	case t.Conflict != "":
		return string(t.Conflict)
	}
	return fmt.Sprintf("%s@%d", t.Revision.EntryID, t.Revision.Rev)
}

// held names a text that is no entry's; "" for one that is.
func (t StoredText) held() string { return cmp.Or(string(t.Proposal), string(t.Conflict)) }

// ServerMember is who takes texts back that the server itself has found
// something in. Nobody can log in as it.
const ServerMember MemberID = "mem_teammemserver2222222"

// server is who acts in a re-scan.
func server() Principal { return Principal{Client: "teammem rescan"} }

// Pace holds a re-scan up after each text, which took so long. Its error ends
// the re-scan.
type Pace func(ctx context.Context, took time.Duration) error

// WantRescan says that a server with these rules was started. If they are others
// than those before, everything is looked at again.
func (s *Service) WantRescan(ctx context.Context) error {
	_, err := s.store.WantRescan(ctx, RuleSet(s.scanner.RuleSet()), s.clock())
	return err
}

// Rescan looks at what is stored and due, unless another server does, or a server
// with other rules was started later. It goes on where it was interrupted.
func (s *Service) Rescan(ctx context.Context, pace Pace) error {
	r, all, err := s.rescans(ctx)
	if err != nil || r.RuleSet != RuleSet(s.scanner.RuleSet()) || !slices.ContainsFunc(all, RescanProgress.due) {
		return err
	}
	scanner, ok := s.scanner.(KeyedScanner)
	if !ok {
		return &Error{Code: CodeInternal, Message: "this scanner cannot tell one secret from another"}
	}
	_, err = s.store.RescanAlone(ctx, func(ctx context.Context) error {
		// Another server may have gone on meanwhile.
		r, all, err := s.rescans(ctx)
		if err != nil || r.RuleSet != RuleSet(scanner.RuleSet()) {
			return err
		}
		var failed []error
		for _, p := range all {
			if p.due() {
				work := rescan{Service: s, scanner: scanner, round: r, pace: pace}
				failed = append(failed, work.project(ctx, p)) // the others are looked at all the same
			}
		}
		return errors.Join(failed...)
	})
	return err
}

func (s *Service) rescans(ctx context.Context) (Rescan, []RescanProgress, error) {
	r, err := s.store.Rescan(ctx)
	if err != nil {
		return r, nil, err
	}
	all, err := s.store.RescanProgress(ctx, r)
	return r, all, err
}

// rescan is a server at work on a round.
type rescan struct {
	*Service

	scanner KeyedScanner
	round   Rescan
	pace    Pace
}

// How much is read at once. After a crash it is looked at again.
const (
	rescanPage  = 200
	rescanBytes = 1 << 20
)

// project looks at what is left of one project.
func (w rescan) project(ctx context.Context, p RescanProgress) error {
	if p.BeganAt.IsZero() {
		p.BeganAt = w.clock()
	}
	if p.Late {
		again := p.resumed()
		if kept, err := w.store.KeepRescan(ctx, p, again); err != nil || !kept {
			return err
		}
		p = again
	}
	for {
		texts, next, err := w.store.RescanTexts(ctx, w.round, p, rescanPage, rescanBytes)
		if err != nil {
			return err
		}
		x, err := w.store.Exceptions(ctx, p.Project)
		if err != nil {
			return err
		}
		for _, t := range texts {
			if err := w.text(ctx, &next, t, x); err != nil {
				return err
			}
		}
		done := next.Seq == p.Seq && next.Proposal == p.Proposal && next.Conflict == p.Conflict
		if done && next.EndedAt.IsZero() {
			if err := w.words(ctx, &next); err != nil {
				return err
			}
			next.EndedAt = w.clock()
		}
		kept, err := w.store.KeepRescan(ctx, p, next)
		if err != nil || !kept || done {
			return err
		}
		p = next
	}
}

// object is what the audit calls the text.
func (t StoredText) object() string {
	if t.Revision.Rev > 0 {
		return string(t.Revision.EntryID)
	}
	return t.String()
}

// RescanReport is how re-scans stand, for whoever administers the instance.
type RescanReport struct {
	Rescan
	Projects []RescanProgress
	Findings []Leak // that nobody has settled
}

// Leak is a secret in a stored text, with the computers that may have got it.
type Leak struct {
	Finding
	Slug      string // of the project
	Receivers []Receiver
	Restored  time.Time // as in [FindingView]
}

// Receiver is a computer that was sent the feed beyond a text, and that was there
// before the text went. For somebody who is told of members alone it stands for
// all such computers of one.
type Receiver struct {
	Device    Device // zero if it stands for several
	Owner     Author
	At        time.Time // when it last asked for news; zero likewise
	Computers int       // that it stands for; 0: it is one
}

// byOwner are the receivers as somebody is told of them who maintains nothing:
// their own computers, and of other members how many each has.
func byOwner(all []Receiver, own MemberID) (told []Receiver) {
	for _, r := range all {
		if r.Owner.Member == own {
			told = append(told, r)
			continue
		}
		i := slices.IndexFunc(told, func(t Receiver) bool { return t.Owner.Member == r.Owner.Member })
		if i < 0 {
			i, told = len(told), append(told, Receiver{Owner: r.Owner})
		}
		told[i].Computers++
	}
	return told
}

// RescanReport tells how re-scans stand, and what they found.
func (s *Service) RescanReport(ctx context.Context, by Principal) (r RescanReport, err error) {
	if err := administers(by); err != nil {
		return r, err
	}
	if r.Rescan, r.Projects, err = s.rescans(ctx); err != nil {
		return r, err
	}
	r.Findings, err = s.store.Leaks(ctx)
	return r, err
}

// ForceRescan asks for a round that looks at everything, also at what today's
// rules let pass.
func (s *Service) ForceRescan(ctx context.Context, by Principal) error {
	if err := administers(by); err != nil {
		return err
	}
	now := s.clock()
	return s.store.ForceRescan(ctx, now, by.Row(now, "rescan.force", ""))
}

// RescanStore keeps how far re-scans are.
type RescanStore interface {
	// WantRescan says by which rules everything is to be looked at. If they are
	// others than before, a round begins.
	WantRescan(ctx context.Context, rules string, at time.Time) (Rescan, error)
	// ForceRescan begins a round by the same rules.
	ForceRescan(ctx context.Context, at time.Time, row AuditRow) error
	// Rescan returns the round. Before a server was started it is not found.
	Rescan(ctx context.Context) (Rescan, error)
	// RescanAlone does something while nobody else does the same in this database.
	// It reports whether it did.
	RescanAlone(ctx context.Context, do func(context.Context) error) (bool, error)
	// RescanProgress returns how far the round is in each project.
	RescanProgress(ctx context.Context, r Rescan) ([]RescanProgress, error)
	// RescanTexts returns the texts that are next to be looked at, with the progress
	// once they were: the same if nothing is left. They stop after the one that
	// brings the sum of sizes above maxBytes.
	RescanTexts(ctx context.Context, r Rescan, p RescanProgress, most, maxBytes int) ([]StoredText, RescanProgress, error)
	// KeepRescan moves the progress on. It reports whether it was where it comes
	// from, in a round that still is; if not, nothing happens.
	KeepRescan(ctx context.Context, from, to RescanProgress) (bool, error)
	// KeepStored keeps findings in stored texts like KeepFindings, whatever their
	// number. One that is over is open again only if a newer text has it. It makes
	// [ServerMember] if there is none.
	KeepStored(ctx context.Context, project ProjectID, all []Finding, row AuditRow) error
	// StoredWords returns the next different words of a project behind some, in
	// their order, without those that stand for withheld ones.
	StoredWords(ctx context.Context, project ProjectID, after string, most int) ([]string, error)
	// WordsOf returns whose some words are, with a place for each member.
	WordsOf(ctx context.Context, project ProjectID, words string) ([]Words, error)
	// Withhold puts other words in the place of some, everywhere in a project, and
	// keeps the findings in them.
	Withhold(ctx context.Context, project ProjectID, w Withholding, all []Finding, row AuditRow) error
	// TakeBack quarantines the entry of a revision if that text is what it says, and
	// else hides it in the entry's past; it returns how many revisions it hid.
	TakeBack(ctx context.Context, q Quarantine, t StoredText, row AuditRow) (Quarantine, int, error)
	// Leaks returns the findings in stored texts that nobody has settled.
	Leaks(ctx context.Context) ([]Leak, error)
}
