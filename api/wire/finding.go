package wire

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/teammem/teammem/memory"
)

// SecretFinding is a secret that was found in a text, without its value.
type SecretFinding struct {
	ID          string        `json:"id"`
	State       string        `json:"state"`
	Rule        string        `json:"rule"`
	Severity    string        `json:"severity"`
	RuleSet     string        `json:"rule_set"`
	Path        string        `json:"path,omitzero"`
	Line        int           `json:"line"`
	Column      int           `json:"column"`
	Fingerprint string        `json:"fingerprint"`
	Excerpt     string        `json:"excerpt,omitzero"`
	Author      Author        `json:"author"`
	Device      string        `json:"device,omitzero"`
	FirstAt     time.Time     `json:"first_at"`
	At          time.Time     `json:"at"`
	EntryID     string        `json:"entry_id,omitzero"` // of the newest stored text that has it
	Rev         int64         `json:"rev,omitzero"`
	Held        string        `json:"held,omitzero"`     // a proposal or conflict that has it
	Withheld    string        `json:"withheld,omitzero"` // where words stood that had it
	Request     *AllowRequest `json:"request,omitzero"`
	Receivers   []Receiver    `json:"receivers,omitzero"` // of one finding that is stored
	Restored    time.Time     `json:"restored,omitzero"`  // likewise: the instance was, since
	Rotation    *Rotation     `json:"rotation,omitzero"`  // of one finding
}

// Receiver is a computer that may have got a stored text, or several of a member.
type Receiver struct {
	Device    string    `json:"device,omitzero"` // its name, unless it stands for several
	Owner     Author    `json:"owner"`
	At        time.Time `json:"at,omitzero"`        // when it last asked for news, likewise
	Computers int       `json:"computers,omitzero"` // that it stands for
}

// Rotation is what to do about a secret that others have read.
type Rotation struct {
	Provider string   `json:"provider"`
	Where    string   `json:"where"`
	Steps    []string `json:"steps"`
}

// AllowRequest is an author's wish for an exception, and how it was decided.
type AllowRequest struct {
	Reason       string    `json:"reason"`
	Note         string    `json:"note,omitzero"`
	Paths        string    `json:"paths"`
	At           time.Time `json:"at"`
	ExpiresAt    time.Time `json:"expires_at"`
	DecidedBy    *Author   `json:"decided_by,omitzero"`
	DecidedAt    time.Time `json:"decided_at,omitzero"`
	DecisionNote string    `json:"decision_note,omitzero"`
	AllowRule    string    `json:"allow_rule,omitzero"`
	AllowedUntil time.Time `json:"allowed_until,omitzero"`
}

// NewSecretFinding describes a finding.
func NewSecretFinding(f memory.Finding) SecretFinding {
	w := SecretFinding{
		ID: string(f.ID), State: string(f.State), Rule: f.Rule, Severity: string(f.Severity), RuleSet: f.RuleSet, Path: f.Path.String(),
		Line: f.Line, Column: f.Column, Fingerprint: f.Fingerprint.String(), Excerpt: f.Excerpt, Author: newAuthor(f.Author),
		Device: string(f.Device), FirstAt: utc(f.FirstAt), At: utc(f.At), EntryID: string(f.Stored.EntryID), Rev: f.Stored.Rev,
		Held: f.Held, Withheld: f.Withheld,
	}
	r := f.Request
	if r == nil {
		return w
	}
	w.Request = &AllowRequest{Reason: string(r.Reason), Note: r.Note, Paths: r.Glob, At: utc(r.At), ExpiresAt: utc(r.ExpiresAt)}
	if d := r.Decision; d != nil {
		by := newAuthor(d.By)
		w.Request.DecidedBy, w.Request.DecidedAt, w.Request.DecisionNote = &by, utc(d.At), d.Note
	}
	if r.Rule != nil {
		w.Request.AllowRule, w.Request.AllowedUntil = string(r.Rule.ID), utc(r.Rule.ExpiresAt)
	}
	return w
}

// NewFindingView describes one finding, with what its author and maintainers
// have to know about it.
func NewFindingView(v memory.FindingView) SecretFinding {
	w, r := NewSecretFinding(v.Finding), memory.RotationOf(v.Rule)
	w.Restored = utc(v.Restored)
	w.Rotation = &Rotation{r.Provider, r.Where, r.Steps}
	for _, r := range v.Receivers {
		w.Receivers = append(w.Receivers, Receiver{r.Device.Name, newAuthor(r.Owner), utc(r.At), r.Computers})
	}
	return w
}

// View returns the finding with who may have got it, and what to do about it. A
// server that does not tell that is older.
func (w SecretFinding) View() (v memory.FindingView, r memory.Rotation, err error) {
	if v.Finding, err = w.Domain(); err != nil {
		return v, r, err
	}
	v.Restored = w.Restored
	for _, got := range w.Receivers {
		v.Receivers = append(v.Receivers, memory.Receiver{
			Device: memory.Device{Name: harmless(got.Device)}, Owner: got.Owner.Domain(), At: got.At, Computers: max(got.Computers, 0),
		})
	}
	if w.Rotation == nil {
		return v, memory.RotationOf(v.Rule), nil
	}
	r = memory.Rotation{Provider: harmless(w.Rotation.Provider), Where: harmless(w.Rotation.Where)}
	for _, step := range w.Rotation.Steps {
		r.Steps = append(r.Steps, harmless(step))
	}
	return v, r, nil
}

// Domain returns the finding. Its words are made fit to be printed, whoever sent
// them.
func (w SecretFinding) Domain() (f memory.Finding, err error) {
	f = memory.Finding{
		State: memory.FindingState(harmless(w.State)), RuleSet: harmless(w.RuleSet), Excerpt: harmless(w.Excerpt), Author: w.Author.Domain(),
		Device: memory.DeviceID(harmless(w.Device)), FirstAt: w.FirstAt, At: w.At, Stored: memory.RevisionRef{Rev: w.Rev},
		Held: harmless(w.Held), Withheld: harmless(w.Withheld),
	}
	f.Rule, f.Severity, f.Line, f.Column = harmless(w.Rule), memory.Severity(harmless(w.Severity)), w.Line, w.Column
	if f.ID, err = ParseFindingID(w.ID); err != nil {
		return f, malformed("a finding without an id")
	}
	if f.Fingerprint, err = memory.ParseFingerprint(w.Fingerprint); err != nil {
		return f, malformed("a finding without a fingerprint")
	}
	if w.EntryID != "" {
		if f.Stored.EntryID, err = served[memory.EntryID]("ent_", w.EntryID); err != nil {
			return f, err
		}
	}
	if w.Path != "" {
		if f.Path, err = memory.ParseServedPath(w.Path); err != nil {
			return f, err
		}
	}
	r := w.Request
	if r == nil {
		return f, nil
	}
	f.Request = &memory.AllowRequest{
		Reason: memory.AllowReason(harmless(r.Reason)), Note: harmless(r.Note), Glob: harmless(r.Paths), At: r.At, ExpiresAt: r.ExpiresAt,
	}
	if r.DecidedBy != nil {
		f.Request.Decision = &memory.AllowDecision{By: r.DecidedBy.Domain(), At: r.DecidedAt, Note: harmless(r.DecisionNote)}
	}
	if r.AllowRule != "" {
		f.Request.Rule = &memory.AllowRule{ID: memory.AllowID(harmless(r.AllowRule)), Finding: f.ID, ExpiresAt: r.AllowedUntil}
	}
	return f, nil
}

// FindingReport is the body of POST …/findings: what the author's own computer
// refused to send.
type FindingReport struct {
	Path        string `json:"path,omitzero"`
	Rule        string `json:"rule"`
	Severity    string `json:"severity"`
	RuleSet     string `json:"rule_set"`
	Line        int    `json:"line"`
	Column      int    `json:"column"`
	Fingerprint string `json:"fingerprint"`
	Excerpt     string `json:"excerpt,omitzero"`
	Device      string `json:"device,omitzero"`
}

// NewFindingReport describes what was refused.
func NewFindingReport(r memory.FindingReport) FindingReport {
	return FindingReport{
		Path: r.Path, Rule: r.Rule, Severity: string(r.Severity), RuleSet: r.RuleSet, Line: r.Line, Column: r.Column,
		Fingerprint: r.Fingerprint.String(), Excerpt: r.Excerpt, Device: string(r.Device),
	}
}

// Domain returns the report.
func (w FindingReport) Domain() (r memory.FindingReport, err error) {
	const longest = 1 << 20
	if w.Severity != "hard" && w.Severity != "soft" {
		return r, memory.Invalid("severity", "this is hard or soft")
	}
	if w.Line > longest || w.Column > longest {
		return r, memory.Invalid("line", fmt.Sprintf("lines and columns are at most %d", longest))
	}
	r = memory.FindingReport{Path: w.Path, RuleSet: w.RuleSet, Excerpt: w.Excerpt}
	r.Rule, r.Severity, r.Line, r.Column = w.Rule, memory.Severity(w.Severity), w.Line, w.Column
	if r.Fingerprint, err = memory.ParseFingerprint(w.Fingerprint); err != nil {
		return r, err
	}
	r.Device, err = ParseDeviceID("device", w.Device)
	return r, err
}

// AllowAction is the body of POST …/findings/{id}/allow: what an author does.
type AllowAction struct {
	Action string `json:"action"`
	Reason string `json:"reason,omitzero"` // of a request
	Note   string `json:"note,omitzero"`   // likewise
	Paths  string `json:"paths,omitzero"`  // likewise; the finding's own without it
	Days   int    `json:"days,omitzero"`   // what older programs send with a decision
}

// Check holds the members to the action. Older programs decide by this call,
// too, which nobody can any more.
func (w AllowAction) Check() error {
	switch w.Action {
	case "request":
	case "cancel":
		if w.Reason != "" || w.Paths != "" {
			return memory.Invalid("action", "this takes neither a reason nor paths")
		}
	case "approve", "deny":
		return &memory.Error{
			Code: memory.CodeForbidden, Message: "an exception is decided about in the console, by a maintainer in person",
			Hint: "sign in to the console and open the finding there",
		}
	default:
		return memory.Invalid("action", "this is request or cancel")
	}
	if w.Days != 0 {
		return memory.Invalid("days", "this is for a decision")
	}
	if err := checkNote("note", w.Note); err != nil {
		return err
	}
	return Label("paths", w.Paths, 512)
}

// AllowDecision is the body of POST …/findings/{id}/decision: what a maintainer
// says to a request.
type AllowDecision struct {
	Action  string    `json:"action"`
	AskedAt time.Time `json:"asked_at,omitzero"` // of the request that was looked at; any without it
	Paths   string    `json:"paths,omitzero"`    // of an approval: those that were looked at; the finding's own without it
	Days    int       `json:"days,omitzero"`     // of an approval; as long as there is without it
	Note    string    `json:"note,omitzero"`
}

// Domain returns the decision.
func (w AllowDecision) Domain() (memory.AllowAnswer, error) {
	approves := w.Action == "approve"
	switch {
	case !approves && w.Action != "deny":
		return memory.AllowAnswer{}, memory.Invalid("action", "a decision is approve or deny")
	case !approves && w.Paths != "":
		return memory.AllowAnswer{}, memory.Invalid("paths", "this is for approve")
	case w.Days < 0 || w.Days > 90 || w.Days > 0 && !approves:
		return memory.AllowAnswer{}, memory.Invalid("days", "an exception lasts 1 to 90 days")
	}
	if err := checkNote("note", w.Note); err != nil {
		return memory.AllowAnswer{}, err
	}
	return memory.AllowAnswer{
		Approve: approves, Asked: w.AskedAt, Glob: w.Paths, Life: time.Duration(w.Days) * 24 * time.Hour, Note: w.Note,
	}, Label("paths", w.Paths, 512)
}

// Wish is what a request asks for.
func (w AllowAction) Wish() memory.AllowWish {
	return memory.AllowWish{Reason: memory.AllowReason(w.Reason), Note: w.Note, Glob: w.Paths}
}

// AllowRule is an exception in force.
type AllowRule struct {
	ID          string    `json:"id"`
	Finding     string    `json:"finding"`
	Fingerprint string    `json:"fingerprint"`
	Rule        string    `json:"rule"`
	Paths       string    `json:"paths"`
	Reason      string    `json:"reason"`
	Author      Author    `json:"author"`
	ApprovedBy  Author    `json:"approved_by"`
	At          time.Time `json:"at"`
	ExpiresAt   time.Time `json:"expires_at"`
}

// NewAllowRule describes an exception.
func NewAllowRule(r memory.AllowRule) AllowRule {
	return AllowRule{
		ID: string(r.ID), Finding: string(r.Finding), Fingerprint: r.Fingerprint.String(), Rule: r.Rule, Paths: r.Glob, Reason: string(r.Reason),
		Author: newAuthor(r.Author), ApprovedBy: newAuthor(r.By), At: utc(r.At), ExpiresAt: utc(r.ExpiresAt),
	}
}

// Domain returns the exception.
func (w AllowRule) Domain() (r memory.AllowRule, err error) {
	r = memory.AllowRule{
		Finding: memory.FindingID(harmless(w.Finding)), Rule: harmless(w.Rule), Glob: harmless(w.Paths), Reason: memory.AllowReason(harmless(w.Reason)),
		Author: w.Author.Domain(), By: w.ApprovedBy.Domain(), At: w.At, ExpiresAt: w.ExpiresAt,
	}
	if r.ID, err = ParseAllowID(w.ID); err != nil {
		return r, malformed("a rule without an id")
	}
	if r.Fingerprint, err = memory.ParseFingerprint(w.Fingerprint); err != nil {
		return r, malformed("a rule without a fingerprint")
	}
	return r, nil
}

// ParseFindingID checks a finding's id. What cannot be one is not found.
func ParseFindingID(s string) (memory.FindingID, error) {
	f, err := id[memory.FindingID]("finding", "fnd_", s)
	if err != nil || f == "" {
		return "", memory.NotFound("finding")
	}
	return f, nil
}

// ParseAllowID checks a rule's id. What cannot be one is not found.
func ParseAllowID(s string) (memory.AllowID, error) {
	r, err := id[memory.AllowID]("rule", "alw_", s)
	if err != nil || r == "" {
		return "", memory.NotFound("rule")
	}
	return r, nil
}

// WithFindingKey adds what fingerprints are made with.
func (w Project) WithFindingKey(k memory.FindingKey) Project {
	w.FindingKey = base64.RawURLEncoding.EncodeToString(k.Bytes())
	return w
}

// Key returns what fingerprints are made with; none if the answer has none.
func (w Project) Key() memory.FindingKey {
	const size = 32
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(w.FindingKey))
	if err != nil || len(b) != size {
		return memory.FindingKey{}
	}
	return memory.NewFindingKey(b)
}
