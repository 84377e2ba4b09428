package memory

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// ReportFinding keeps what the author's own computer refused to send. It may say
// what it wants: nothing of it is believed when a text is screened.
func (s *Service) ReportFinding(ctx context.Context, who Principal, id ProjectID, r FindingReport) (Finding, error) {
	if _, err := s.enter(ctx, who, id, ScopeWrite); err != nil {
		return Finding{}, err
	}
	if err := s.ownDevice(ctx, who, r.Device); err != nil {
		return Finding{}, err
	}
	if r.Fingerprint.IsZero() {
		return Finding{}, Invalid("fingerprint", "this is required")
	}
	if err := errors.Join(ruleName("rule", r.Rule, maxRuleName), ruleName("rule_set", r.RuleSet, maxRuleName)); err != nil {
		return Finding{}, asError(err)
	}
	if r.Line < 1 || r.Column < 1 {
		return Finding{}, Invalid("line", "lines and columns count from 1")
	}
	f := Finding{
		Finding: r.Finding, ID: NewFindingID(), Project: id, State: FindingOpen, RuleSet: r.RuleSet, Author: Author{who.Member, who.Name},
		Device: r.Device, At: s.clock(),
	}
	var err error
	if f.Path, err = s.harmlessPath(ctx, r.Path); err != nil {
		return Finding{}, err
	}
	if f.Excerpt, err = s.harmlessExcerpt(ctx, r.Excerpt); err != nil {
		return Finding{}, err
	}
	f.FirstAt = f.At
	row := who.Row(f.At, "finding.report", string(f.ID))
	row.Decision, row.Rules = string(RulingRefused), []string{string(CodeSecretFound), f.Rule}
	kept, err := s.store.KeepFindings(ctx, id, []Finding{f}, s.limits.OpenFindings, row)
	if err != nil {
		return Finding{}, err
	}
	return kept[0].now(f.At), nil
}

// harmlessPath returns the path, or none if it is not fit to be kept.
func (s *Service) harmlessPath(ctx context.Context, path string) (Path, error) {
	p, err := ParsePath(path)
	if err != nil {
		return Path{}, nil //nolint:nilerr // a finding without a path is told, too
	}
	clean, err := harmless(ctx, scanPath(ctx, s.scanner, p))
	if err != nil || !clean {
		return Path{}, err
	}
	return p, nil
}

// harmlessExcerpt returns the excerpt, or none if there is still something in
// it.
func (s *Service) harmlessExcerpt(ctx context.Context, excerpt string) (string, error) {
	if utf8.RuneCountInString(excerpt) > maxExcerpt || strings.ContainsAny(excerpt, "\r\n") {
		return "", nil
	}
	clean, err := harmless(ctx, s.screenWords(ctx, "", excerpt))
	if err != nil || !clean {
		return "", err
	}
	return excerpt, nil
}

// harmless reports whether words may be kept that the gate said this of; the error
// is about the request.
func harmless(ctx context.Context, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil && asError(err) == nil {
		return false, err
	}
	return err == nil, nil
}

// refusedFindings are the secrets for which an op of a push was refused.
func (s *Service) refusedFindings(b Batch, item Item, problem *Error) (all []Finding) {
	if problem.Code != CodeSecretFound {
		return nil
	}
	for _, f := range problem.Findings {
		if f.Fingerprint.IsZero() {
			continue
		}
		all = append(all, Finding{
			Finding: f, ID: NewFindingID(), Project: b.Project, State: FindingOpen, Path: item.Found, RuleSet: RuleSet(s.scanner.RuleSet()),
			Author: Author{b.By.Member, b.By.Name}, Device: b.Device, FirstAt: b.At, At: b.At,
		})
	}
	return all
}

// Findings lists findings, newest first: maintainers see all of them, others
// their own.
func (s *Service) Findings(ctx context.Context, who Principal, id ProjectID, q FindingQuery) ([]Finding, error) {
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return nil, err
	}
	if view.Role < RoleMaintainer {
		if q.Author == "" {
			q.Author = who.Member
		}
		if q.Author != who.Member || who.Member == "" {
			return nil, nil
		}
	}
	q.Limit, q.Now = s.limits.page(q.Limit), s.clock()
	found, err := s.store.Findings(ctx, id, q)
	for i := range found {
		found[i] = found[i].now(q.Now)
	}
	return found, err
}

// Finding returns one finding. Somebody else's is not found unless the principal
// is a maintainer.
func (s *Service) Finding(ctx context.Context, who Principal, id ProjectID, finding FindingID) (Finding, error) {
	_, f, err := s.visibleFinding(ctx, who, id, finding, ScopeRead)
	return f.now(s.clock()), err
}

func (s *Service) visibleFinding(
	ctx context.Context, who Principal, id ProjectID, finding FindingID, scope Scope,
) (ProjectView, Finding, error) {
	view, err := s.enter(ctx, who, id, scope)
	if err != nil {
		return ProjectView{}, Finding{}, err
	}
	f, err := s.store.Finding(ctx, id, finding)
	if err != nil {
		return ProjectView{}, Finding{}, err
	}
	if view.Role < RoleMaintainer && f.Author.Member != who.Member {
		return ProjectView{}, Finding{}, NotFound("finding")
	}
	return view, f, nil
}

// ResolveFinding says that somebody took care of a finding: the value was
// changed where it is valid, or is out of the text. Its author can, and
// maintainers.
func (s *Service) ResolveFinding(ctx context.Context, who Principal, id ProjectID, finding FindingID) (Finding, error) {
	_, f, err := s.visibleFinding(ctx, who, id, finding, ScopeWrite)
	if err != nil {
		return Finding{}, err
	}
	return s.change(ctx, f, FindingResolved, nil, who.Row(s.clock(), "finding.resolve", string(f.ID)))
}

// FindingChange is what becomes of a finding.
type FindingChange struct {
	Project ProjectID
	Finding FindingID
	From    FindingState // that it was stored with
	Asked   time.Time    // when its request was made that it was stored with; zero: there was none
	To      FindingState
	Request *AllowRequest // from now on
}

// change moves a finding on, unless somebody else was faster.
func (s *Service) change(ctx context.Context, f Finding, to FindingState, r *AllowRequest, row AuditRow) (Finding, error) {
	if f.now(row.At).State == to && r == nil {
		return f, nil
	}
	row.Decision, row.Rules = string(to), []string{f.Rule}
	c := FindingChange{Project: f.Project, Finding: f.ID, From: f.State, To: to, Request: r}
	if r == nil {
		c.Request = f.Request
	}
	if f.Request != nil {
		c.Asked = f.Request.At
	}
	done, err := s.store.ChangeFinding(ctx, c, row)
	if err != nil {
		return Finding{}, err
	}
	if !done {
		return Finding{}, &Error{Code: CodeConflict, Message: "somebody else was faster", Hint: "look at the finding again"}
	}
	f.State, f.Request = to, c.Request
	return f.now(row.At), nil
}

// FindingKey returns what fingerprints of the project are made with, to those
// who write there.
func (s *Service) FindingKey(ctx context.Context, who Principal, id ProjectID) (FindingKey, error) {
	if _, err := s.enter(ctx, who, id, ScopeWrite); err != nil {
		return FindingKey{}, err
	}
	x, err := s.store.Exceptions(ctx, id)
	return x.Key, err
}

// FindingStore keeps findings and exceptions.
type FindingStore interface {
	// Exceptions returns the project's key and all rules that were not revoked, and
	// whether there ever were any.
	Exceptions(ctx context.Context, project ProjectID) (Exceptions, error)
	// KeepFindings keeps findings, and returns what is kept of each: one that its
	// author has already stays the same, and is open again if it was over. More
	// than most unsettled ones of an author are a CodeQuota error. The rows go to
	// the instance's chain.
	KeepFindings(ctx context.Context, project ProjectID, all []Finding, most int, rows ...AuditRow) ([]Finding, error)
	// Findings returns a page of findings, newest first.
	Findings(ctx context.Context, project ProjectID, q FindingQuery) ([]Finding, error)
	Finding(ctx context.Context, project ProjectID, id FindingID) (Finding, error)
	// Receivers returns the computers that may have got the stored text of a
	// finding, by their owners.
	Receivers(ctx context.Context, project ProjectID, id FindingID) ([]Receiver, error)
	// RestoredSince returns when the instance was restored last, zero if that was
	// before the stored text of a finding, or never.
	RestoredSince(ctx context.Context, project ProjectID, id FindingID) (time.Time, error)
	// HasOtherMaintainer reports whether somebody else than the member could decide
	// there.
	HasOtherMaintainer(ctx context.Context, project ProjectID, member MemberID) (bool, error)
	// ChangeFinding moves a finding on, with the rule of its request if that is
	// new. It reports whether the finding was in the state that it comes from, and
	// its author had not asked anew; if not, nothing happens.
	ChangeFinding(ctx context.Context, c FindingChange, row AuditRow) (bool, error)
	// RevokeAllow ends a rule. One that has been revoked is not found.
	RevokeAllow(ctx context.Context, project ProjectID, id AllowID, by MemberID, at time.Time, row AuditRow) error
}
