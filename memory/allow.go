package memory

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/teammem/teammem/sanitize"
)

// AllowID reads "alw_…".
type AllowID string

// NewAllowID mints the identity of a new rule.
func NewAllowID() AllowID { return AllowID(newID("alw_")) }

// AllowRule lets one value that a rule takes for a secret pass, on some paths
// and for some time.
type AllowRule struct {
	ID          AllowID
	Finding     FindingID // that it was made for
	Fingerprint sanitize.Fingerprint
	Rule        string
	Glob        string
	Reason      AllowReason
	Author      Author // who asked
	By          Author // who approved
	At          time.Time
	ExpiresAt   time.Time
	RevokedAt   time.Time // zero: it was not
}

// How long people have to decide, and what they decide lasts.
const (
	AllowRequestLife = 7 * 24 * time.Hour
	AllowRuleLife    = 90 * 24 * time.Hour
)

// inForce reports whether the rule holds at a time.
func (r AllowRule) inForce(at time.Time) bool {
	return r.RevokedAt.IsZero() && !at.Before(r.At) && at.Before(r.ExpiresAt)
}

// allows reports whether the rule is about the finding in a text of the path.
func (r AllowRule) allows(f sanitize.Finding, p Path) bool {
	return f.Severity == sanitize.SeveritySoft && !f.Fingerprint.IsZero() && f.Fingerprint == r.Fingerprint && f.Rule == r.Rule &&
		globMatches(r.Glob, p)
}

// checkGlob checks the paths that an exception is asked for.
func checkGlob(glob string) error {
	const most = 512
	if len(glob) > most || !utf8.ValidString(glob) || strings.ContainsFunc(glob, func(r rune) bool { return r < ' ' }) {
		return Invalid("paths", "this is a path, in which * stands for what has no / in it, and a segment ** for any folders")
	}
	for _, segment := range strings.Split(glob, "/") {
		if _, err := path.Match(segment, ""); err != nil || segment == "" {
			return Invalid("paths", "this is a path, in which * stands for what has no / in it, and a segment ** for any folders")
		}
	}
	return nil
}

// exactGlob is the glob of one path.
func exactGlob(p Path) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(p.String())
}

// globMatches reports whether the glob is of the path. A segment ** is any
// number of folders.
func globMatches(glob string, p Path) bool {
	return !p.IsZero() && segmentsMatch(strings.Split(glob, "/"), strings.Split(p.String(), "/"))
}

// segmentsMatch takes time in proportion to both: who asks for an exception made
// the glob up.
func segmentsMatch(globs, segments []string) bool {
	ends := make([]bool, len(segments)+1) // which beginnings of segments the globs so far match
	ends[0] = true
	for _, glob := range globs {
		next := make([]bool, len(ends))
		for i := range ends {
			switch {
			case glob == "**":
				next[i] = ends[i] || i > 0 && next[i-1]
			case i > 0 && ends[i-1]:
				next[i], _ = path.Match(glob, segments[i-1]) // no match if it is none
			}
		}
		ends = next
	}
	return ends[len(segments)]
}

// Exceptions are what a project allows, and the key by which a finding is known
// to be it.
type Exceptions struct {
	Key   FindingKey
	Rules []AllowRule
	Made  bool // there were any, if all have ended
}

// InForce leaves out the rules that do not hold at a time.
func (x Exceptions) InForce(at time.Time) Exceptions {
	x.Rules = slices.DeleteFunc(slices.Clone(x.Rules), func(r AllowRule) bool { return !r.inForce(at) })
	return x
}

// Allowing returns a scanner for texts of one path that passes over what the
// project allows there. The findings that it does return have their fingerprints.
// The exceptions in force are asked for when there is a finding, and not before;
// it takes no look at a clock, as a client's may be wrong.
func Allowing(s Scanner, p Path, exceptions func(context.Context) (Exceptions, error)) Scanner {
	return &allowing{Scanner: s, path: p, exceptions: exceptions}
}

type allowing struct {
	Scanner

	path       Path
	exceptions func(context.Context) (Exceptions, error)
	used       bool // something was passed over
}

// Scan looks twice where there is something: most texts need neither key nor
// rules.
func (a *allowing) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	found, err := a.Scanner.Scan(ctx, text)
	if err != nil || len(found) == 0 {
		return found, err
	}
	keyed, ok := a.Scanner.(KeyedScanner)
	if !ok {
		return found, nil
	}
	x, err := a.exceptions(ctx)
	if err != nil {
		return nil, err
	}
	if x.Key.IsZero() {
		return found, nil
	}
	if found, err = keyed.ScanKeyed(ctx, text, x.Key.Bytes()); err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(found, func(f sanitize.Finding) bool {
		return slices.ContainsFunc(x.Rules, func(r AllowRule) bool { return r.allows(f, a.path) })
	})
	a.used = a.used || len(left) < len(found)
	return left, nil
}

// unexcepted is the scanner without exceptions, which are for texts alone.
func unexcepted(s Scanner) Scanner {
	if a, ok := s.(*allowing); ok {
		return &allowing{Scanner: a.Scanner, exceptions: a.exceptions}
	}
	return s
}

// usedException reports whether the scanner passed over something.
func usedException(s Scanner) bool {
	a, ok := s.(*allowing)
	return ok && a.used
}

// AllowRules lists the exceptions in force, by their paths.
func (s *Service) AllowRules(ctx context.Context, who Principal, id ProjectID) ([]AllowRule, error) {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return nil, err
	}
	x, err := s.store.Exceptions(ctx, id)
	return x.InForce(s.clock()).Rules, err
}

// RevokeAllow ends an exception. What was shared by it stays.
func (s *Service) RevokeAllow(ctx context.Context, who Principal, id ProjectID, rule AllowID) error {
	if _, err := s.moderate(ctx, who, id, ScopeWrite); err != nil {
		return err
	}
	now := s.clock()
	return s.store.RevokeAllow(ctx, id, rule, who.Member, now, who.Row(now, "finding.revoke", string(rule)))
}

// scannerFor is the scanner for texts of a path in a project; without one, it
// knows of no exceptions. The zero path has none.
func (s *Service) scannerFor(id ProjectID, p Path) Scanner {
	if id == "" {
		return s.scanner
	}
	return Allowing(s.scanner, p, func(ctx context.Context) (Exceptions, error) {
		x, err := s.store.Exceptions(ctx, id)
		return x.InForce(s.clock()), err
	})
}
