package memory

import (
	"bytes"
	"context"
	"slices"
	"time"
)

// Purge is a text to be removed for good.
type Purge struct {
	EntryID EntryID
	Rev     int64 // the revision with the text; 0: all texts of the entry, which goes
	Reason  string
}

// Purged is what a purge removed.
type Purged struct {
	Rev       int64     // the change that tells of it; 0: there was nothing left
	Sums      []Hash    // of the texts
	Revisions int       // that had them
	Elsewhere []EntryID // that have one of the texts too, and keep it
	Head      Head      // of the project afterwards
}

// Erasure is how the text of a proposal or conflict was purged.
type Erasure struct {
	By     Author // zero: it was not, or that was not kept
	At     time.Time
	Reason string
}

// PurgedText is a text that was purged in a change.
type PurgedText struct {
	Seq int64
	Sum Hash
}

// purgedPerPage bounds what a page of the feed says of purges.
const purgedPerPage = 2000

// CutPurged returns the hashes of texts in the order of their changes, which go up
// to one, and where to end so that they are not more than most, 0 for any number.
// The first change is told as a whole.
func CutPurged(texts []PurgedText, to int64, most int) (sums []Hash, end int64) {
	if most > 0 && len(texts) > most {
		if over := texts[most].Seq; over > texts[0].Seq {
			to = over - 1
		} else if i := slices.IndexFunc(texts, func(t PurgedText) bool { return t.Seq > over }); i > 0 {
			to = texts[i].Seq - 1
		}
	}
	for _, t := range texts {
		if t.Seq <= to {
			sums = append(sums, t.Sum)
		}
	}
	slices.SortFunc(sums, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(sums), to
}

// Purged returns the hashes of all texts that were purged, for who gets the list
// of all entries instead of the feed.
func (s *Service) Purged(ctx context.Context, who Principal, id ProjectID) ([]Hash, error) {
	project, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil || project.Head.Rewrites == 0 {
		return nil, err
	}
	sums, _, err := s.store.Purged(ctx, id, 0, project.Head.Seq, 0)
	return sums, err
}

// Purging is a purge as the store carries it out.
type Purging struct {
	Purge

	Project ProjectID
	By      Principal
	Own     bool // takes only what By has written
	Old     bool // takes no text that an entry has now
	At      time.Time
	Since   time.Time // since when deletes count, see [Batch.Guard]
}

// Purge removes texts for good, wherever the server keeps them; what stays is
// who wrote them and when, and their hashes, by which they are refused from then
// on. Members purge what they have written themselves. Maintainers purge
// anything, but only where they are present in person: it cannot be undone.
//
// A text that an entry has now goes with its entry, and that is a delete which
// nobody can restore. So no API token does it, nor does anybody by themselves
// where a delete would wait for a reviewer; and it counts as one in the guard.
func (s *Service) Purge(ctx context.Context, who Principal, id ProjectID, p Purge) (Purged, error) {
	project, err := s.enter(ctx, who, id, ScopeWrite)
	if err != nil {
		return Purged{}, err
	}
	if err := s.checkWhy(ctx, p.Reason); err != nil {
		return Purged{}, err
	}
	if p.Rev < 0 {
		return Purged{}, Invalid("rev", "a revision is a number above 0")
	}
	x := Purging{Purge: p, Project: id, By: who, Own: project.Role < RoleMaintainer || !who.Can(ScopeReview) || who.Token != "", At: s.clock()}
	x.Old = x.Own && (who.Token != "" || project.Review != PresetOpen)
	x.Since = x.At.Add(-deletesLast)
	purged, err := s.store.Purge(ctx, x, who.Row(x.At, "entry.purge", string(p.EntryID)))
	if err == nil && purged.Rev > 0 {
		s.notify.Notify(id, Cursor{project.Head.Epoch, purged.Head.Seq})
	}
	return purged, err
}

// Remnant is one revision of an entry that is to be purged, with who had its text
// first.
type Remnant struct {
	Past

	Author MemberID
}

// Condemn decides which revisions a purge takes, of an entry's, oldest first.
// Someone who purges only their own has to have brought each text, and nobody may
// have to judge it yet: jailed says that the entry is in a quarantine.
func (p Purging) Condemn(head EntryHead, all []Remnant, jailed bool) (revs []int64, sums []Hash, err error) {
	wanted := map[Hash]bool{}
	for _, r := range all {
		if r.Action != ActionDelete && (p.Rev == 0 || p.Rev == r.Rev) {
			wanted[r.Sum] = true
		}
	}
	if len(wanted) == 0 {
		return nil, nil, NotFound("revision with a text")
	}
	seen := map[Hash]bool{}
	for _, r := range all {
		if r.Action == ActionDelete || !wanted[r.Sum] {
			continue
		}
		if !seen[r.Sum] {
			seen[r.Sum], sums = true, append(sums, r.Sum)
			if p.Own && r.Author != p.By.Member {
				return nil, nil, onlyMaintainers("somebody else has written this, too")
			}
		}
		if r.Purged {
			continue
		}
		if p.Own && (jailed || r.Withdrawn > 0) {
			return nil, nil, onlyMaintainers("a maintainer took this back, and it is kept until it was looked at")
		}
		revs = append(revs, r.Rev)
	}
	if head.DeletedRev == 0 && wanted[head.Sum] {
		err = p.mayTakeHead()
	}
	return revs, sums, err
}

// mayTakeHead refuses to purge what an entry says now.
func (p Purging) mayTakeHead() error {
	switch {
	case p.Rev > 0:
		return &Error{
			Code: CodeConflict, Field: "rev", Message: "this is what the entry says now", Hint: "change or withdraw it first, or purge the whole entry",
		}
	case !p.Old:
		return nil
	case p.By.Token != "":
		return &Error{
			Code: CodeForbidden, Message: "an API token purges no entry that is there", Hint: "log in with teammem login, or delete the entry first",
		}
	}
	return onlyMaintainers("in this project a reviewer sees each delete, and a purge is one that nobody can restore")
}

func onlyMaintainers(message string) *Error {
	return &Error{Code: CodeForbidden, Message: message, Hint: "a maintainer can purge it, in the console"}
}

// Guard counts the purge of an entry that is there as a delete, see
// [Batch.Guard]. A maintainer who is present is asked by the console.
func (p Purging) Guard(live int, lately Deletes) error {
	if !p.Own || lately.Own < mostDeletes(live, lately) {
		return nil
	}
	return &Error{
		Code: CodeDeleteGuard, Field: "entry_id", Message: "too many entries were deleted or purged from this device within an hour",
		Hint: "wait, or ask a maintainer to purge it, in the console",
	}
}
