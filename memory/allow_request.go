package memory

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// AllowReason says why a finding is no secret.
type AllowReason string

// The reasons. That it will be rotated later is none.
const (
	AllowFalsePositive    AllowReason = "false-positive"
	AllowTestValue        AllowReason = "test-value"
	AllowPublicIdentifier AllowReason = "public-identifier"
)

// ParseAllowReason reads the name of a reason.
func ParseAllowReason(s string) (AllowReason, error) {
	switch r := AllowReason(s); r {
	case AllowFalsePositive, AllowTestValue, AllowPublicIdentifier:
		return r, nil
	}
	return "", Invalid("reason", "the reason is false-positive, test-value or public-identifier")
}

// AllowRequest is an author's wish for an exception, and how it was decided.
type AllowRequest struct {
	Reason    AllowReason
	Note      string
	Glob      string // of the paths that the exception is for
	At        time.Time
	ExpiresAt time.Time
	Decision  *AllowDecision
	Rule      *AllowRule // of an approval
}

// AllowDecision is a maintainer's answer to a request.
type AllowDecision struct {
	By   Author
	At   time.Time
	Note string
}

// AllowWish is what the author of a finding asks for.
type AllowWish struct {
	Reason AllowReason
	Note   string
	Glob   string // "": the path of the finding
}

// RequestAllow asks a maintainer for an exception. Only the author of a soft
// finding can.
func (s *Service) RequestAllow(ctx context.Context, who Principal, id ProjectID, finding FindingID, w AllowWish) (Finding, error) {
	_, f, err := s.visibleFinding(ctx, who, id, finding, ScopeWrite)
	if err != nil {
		return Finding{}, err
	}
	if err := askable(f, who); err != nil {
		return Finding{}, err
	}
	if err := s.checkWish(ctx, f, &w); err != nil {
		return Finding{}, err
	}
	now := s.clock()
	switch was := f.now(now); was.State {
	case FindingOpen, FindingDenied, FindingExpired:
	case FindingRequested:
		if r := was.Request; r.Reason == w.Reason && r.Note == w.Note && r.Glob == w.Glob {
			return was, nil // the answer was lost
		}
	case FindingAllowed, FindingCompleted, FindingResolved:
		return Finding{}, &Error{Code: CodeConflict, Message: "the finding is " + string(was.State), Hint: "there is nothing to ask for"}
	}
	r := &AllowRequest{Reason: w.Reason, Note: w.Note, Glob: w.Glob, At: now, ExpiresAt: now.Add(AllowRequestLife)}
	return s.change(ctx, f, FindingRequested, r, who.Row(now, "finding.request", string(f.ID)))
}

// checkWish checks what somebody wrote who asks for an exception, and fills in the
// paths where none are named.
func (s *Service) checkWish(ctx context.Context, f Finding, w *AllowWish) error {
	if _, err := ParseAllowReason(string(w.Reason)); err != nil {
		return err
	}
	if err := s.checkNote(w.Note); err != nil {
		return err
	}
	if err := s.screenWords(ctx, "note", w.Note); err != nil {
		return err
	}
	if w.Glob == "" {
		w.Glob = exactGlob(f.Path)
	}
	if err := checkGlob(w.Glob); err != nil {
		return err
	}
	if err := s.screenGlob(ctx, w.Glob); err != nil {
		return err
	}
	if !globMatches(w.Glob, f.Path) {
		return Invalid("paths", "the path of the finding is not among these")
	}
	return nil
}

// screenGlob also looks at each name of the paths by itself.
func (s *Service) screenGlob(ctx context.Context, glob string) error {
	if err := s.screenWords(ctx, "paths", glob); err != nil {
		return err
	}
	return scan(ctx, s.scanner, "paths", namePieces(glob)...)
}

// askable says why nobody, or not this one, can ask for an exception.
func askable(f Finding, who Principal) error {
	switch {
	case f.Author.Member != who.Member:
		return &Error{Code: CodeForbidden, Message: "only its author asks for a finding to be allowed", Hint: "sync the file yourself to get a finding of your own"}
	case f.Hard():
		return &Error{
			Code: CodeForbidden, Message: "what the rule " + f.Rule + " finds is always a secret, and nobody can allow it",
			Hint: "take it out of the file, and rotate it if it was shared anywhere",
		}
	case f.Path.IsZero():
		return &Error{Code: CodeForbidden, Message: "the finding is not in the text of a file", Hint: "take the value out of the name or note"}
	}
	return nil
}

// CancelAllow takes the author's request back.
func (s *Service) CancelAllow(ctx context.Context, who Principal, id ProjectID, finding FindingID) (Finding, error) {
	_, f, err := s.visibleFinding(ctx, who, id, finding, ScopeWrite)
	if err != nil {
		return Finding{}, err
	}
	if f.Author.Member != who.Member {
		return Finding{}, &Error{Code: CodeForbidden, Message: "only its author takes a request back", Hint: "deny it instead"}
	}
	if f.State != FindingRequested {
		return Finding{}, notRequested(f)
	}
	return s.change(ctx, f, FindingOpen, nil, who.Row(s.clock(), "finding.cancel", string(f.ID)))
}

func notRequested(f Finding) *Error {
	return &Error{Code: CodeConflict, Message: "nobody asks for this finding to be allowed: it is " + string(f.State), Hint: "look at the finding again"}
}

// AllowAnswer is what a maintainer says to a request.
type AllowAnswer struct {
	Approve bool
	Asked   time.Time     // when the request was made that was looked at; zero: not told
	Glob    string        // of the paths that were looked at; "": the path of the finding
	Life    time.Duration // of the exception; 0: [AllowRuleLife], the most
	Note    string
}

// DecideAllow approves a request or denies it. A maintainer can who is not the
// author, in person: neither an API token nor a login that was made with one. An
// approval names the paths, since the author can ask for others until it comes.
func (s *Service) DecideAllow(ctx context.Context, who Principal, id ProjectID, finding FindingID, a AllowAnswer) (Finding, error) {
	f, err := s.decidable(ctx, who, id, finding)
	if err != nil {
		return Finding{}, err
	}
	if err := s.checkNote(a.Note); err != nil {
		return Finding{}, err
	}
	if err := s.screenWords(ctx, "note", a.Note); err != nil {
		return Finding{}, err
	}
	life := cmp.Or(a.Life, AllowRuleLife)
	if life < 0 || life > AllowRuleLife {
		return Finding{}, Invalid("days", fmt.Sprintf("an exception lasts 1 to %d days", int(AllowRuleLife.Hours())/24))
	}
	now, by := s.clock(), Author{who.Member, who.Name}
	if f.now(now).State != FindingRequested {
		return Finding{}, notRequested(f.now(now))
	}
	r := *f.Request
	if err := a.outdated(f); err != nil {
		return Finding{}, err
	}
	r.Decision = &AllowDecision{By: by, At: now, Note: a.Note}
	if !a.Approve {
		return s.change(ctx, f, FindingDenied, &r, who.Row(now, "finding.deny", string(f.ID)))
	}
	r.Rule = &AllowRule{
		ID: NewAllowID(), Finding: f.ID, Fingerprint: f.Fingerprint, Rule: f.Finding.Rule, Glob: r.Glob, Reason: r.Reason,
		Author: f.Author, By: by, At: now, ExpiresAt: now.Add(life),
	}
	f, err = s.change(ctx, f, FindingAllowed, &r, who.Row(now, "finding.allow", string(f.ID)))
	if err == nil {
		s.notify.Notify(id, Cursor{}) // its author's computer can share the text now
	}
	return f, err
}

// outdated says what the author has asked for since the request was looked at.
func (a AllowAnswer) outdated(f Finding) error {
	if a.Approve && cmp.Or(a.Glob, exactGlob(f.Path)) != f.Request.Glob {
		return &Error{
			Code: CodeConflict, Message: "its author asks for other paths: " + f.Request.Glob, Hint: "look at the finding again, and approve these if they are right",
		}
	}
	if !a.Asked.IsZero() && !a.Asked.Equal(f.Request.At) {
		return &Error{Code: CodeConflict, Message: "its author has asked anew since it was looked at", Hint: "look at the finding again"}
	}
	return nil
}

// decidable checks that the principal may decide about the finding.
func (s *Service) decidable(ctx context.Context, who Principal, id ProjectID, finding FindingID) (Finding, error) {
	if _, err := s.moderate(ctx, who, id, ScopeReview); err != nil {
		return Finding{}, err
	}
	if who.Token != "" {
		return Finding{}, &Error{Code: CodeForbidden, Message: "an API token decides on nothing", Hint: "decide in the console"}
	}
	f, err := s.store.Finding(ctx, id, finding)
	if err != nil {
		return Finding{}, err
	}
	if f.Author.Member == who.Member {
		return Finding{}, &Error{
			Code: CodeForbidden, Message: "nobody decides about a finding of their own",
			Hint: "ask another maintainer, or say it in other words",
		}
	}
	if f.Hard() {
		return Finding{}, askable(f, Principal{Member: f.Author.Member})
	}
	return f, nil
}
