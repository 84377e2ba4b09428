package view

import (
	"strconv"
	"strings"
	"time"
)

// Finding is one secret that was found, with what can be done about it.
type Finding struct {
	FindingRow
	Line, Column int
	Excerpt      string // the line with every secret masked; "" for none
	RuleSet      string
	Device       string
	FirstAt      time.Time
	EntryID      string // that has the path now, or of the stored text; "": there is none
	Rev          int64  // of the stored text
	MayRead      bool   // the stored text
	Receivers    []Receiver
	Restored     time.Time // zero: who got it is known
	Provider     string    // who makes a new one
	Rotation     []string  // what to do if others have read it, step by step
	Request      *AllowRequest
	Block        FindingBlock // why the viewer cannot ask or decide
	MayAsk       bool
	MayCancel    bool
	MayDecide    bool
	MayResolve   bool
	MayRevoke    bool // the exception that is in force
	Ask          AskForm
	Answer       AnswerForm
}

// Receiver is a computer that may have got a stored text, or several of a member.
type Receiver struct {
	Device    string // "" unless it is one
	Owner     string
	At        time.Time // when it last asked for news
	Computers int
}

// computers counts those of all receivers.
func computers(all []Receiver) (n int) {
	for _, r := range all {
		n += r.Computers
	}
	return n
}

// AllowRequest is what the author asks for, and how it was decided.
type AllowRequest struct {
	Reason    string
	Note      string
	Paths     string // sent back as "paths"
	At        time.Time
	ExpiresAt time.Time
	Decision  *AllowDecision
}

// asked is the time of the request, sent back as "asked".
func (r AllowRequest) asked() string { return strconv.FormatInt(r.At.UnixMicro(), 10) }

// AllowDecision is a maintainer's answer.
type AllowDecision struct {
	By        string
	At        time.Time
	Note      string
	Rule      string // id of the exception; "": it was denied
	ExpiresAt time.Time
	RevokedAt time.Time // zero: it was not
}

// FindingBlock says why there is no way to an exception for the viewer now.
type FindingBlock string

// The reasons. A control that a role lacks is absent; one that is merely not
// possible now stays and says why.
const (
	FindingFree    FindingBlock = ""
	FindingHard    FindingBlock = "hard"     // nobody can allow it
	FindingNoText  FindingBlock = "no-text"  // it is not in the text of a file
	FindingNobody  FindingBlock = "nobody"   // the viewer is its author, and the only maintainer
	FindingOwn     FindingBlock = "own"      // nobody decides about their own
	FindingNoOther FindingBlock = "no-other" // nobody else could decide
)

// AskForm is what was typed, shown again with what was wrong.
type AskForm struct {
	Reason string
	Note   string
	Paths  string
	Error  string
}

// AnswerForm is what was typed, shown again with what was wrong.
type AnswerForm struct {
	Deny  bool
	Days  string
	Note  string
	Error string
}

// used reports whether the form comes back with something in it.
func (a AskForm) used() bool { return a.Error != "" }

func (a AnswerForm) used(deny bool) bool { return a.Error != "" && a.Deny == deny }

// note is what was typed into one of the two forms.
func (a AnswerForm) note(deny bool) string {
	if a.Deny != deny {
		return ""
	}
	return a.Note
}

// days is for how long an exception is offered.
func (a AnswerForm) days() string {
	if a.Days == "" {
		return "30"
	}
	return a.Days
}

// mostReceivers is how many computers are named.
const mostReceivers = 50

// why explains a control that cannot be used, or is not there.
func (p Finding) why() string {
	switch p.Block {
	case FindingHard:
		return "What this rule finds is always a secret, and nobody can allow it. Take it out of the file."
	case FindingNoText:
		return "It is in the name of a file, or in a note. There is no exception for those: say it in other words."
	case FindingNobody:
		return "You are the only maintainer here, and nobody decides about their own. Say the line in other words, or give somebody else the role maintainer."
	case FindingNoOther:
		return "There is no maintainer who could allow it. Say the line in other words, or ask an administrator to give somebody the role."
	case FindingOwn:
		return "This is your own request. Another maintainer has to decide."
	case FindingFree:
	}
	return ""
}

// acts reports whether there is anything in the bar with the controls.
func (p Finding) acts() bool {
	return p.why() != "" || p.MayAsk || p.MayCancel || p.MayDecide || p.MayResolve || p.MayRevoke
}

// asks is the heading of a request.
func (p Finding) asks() string {
	if p.State == FindingRequested {
		return " asks for an exception"
	}
	return " asked for an exception"
}

// read reports whether others may have read it.
func (p Finding) read() bool { return p.Stored || p.Held != "" || p.Withheld != "" }

// toRotate reports whether the steps are more than a precaution.
func (p Finding) toRotate() bool { return p.read() || p.Hard }

// rotate is the heading of the steps.
func (p Finding) rotate() string {
	if p.read() {
		return "Rotate it: others may have read it"
	}
	return "Rotate it, if it was shared anywhere else"
}

// allowReasons are the reasons for an exception, in the order of the form.
func allowReasons() []reason {
	return []reason{
		{"false-positive", "False positive: it is no secret"},
		{"test-value", "Test value: it opens nothing"},
		{"public-identifier", "Public identifier: everybody may know it"},
	}
}

// reasonWord is the first part of a reason.
func reasonWord(value string) string {
	word, _, _ := strings.Cut(allowReason(value), ":")
	return word
}

// allowReason is a reason in words.
func allowReason(value string) string {
	for _, r := range allowReasons() {
		if r.value == value {
			return r.label
		}
	}
	return value
}

// event is one line of what happened to a finding.
type event struct {
	at   time.Time
	icon string
	what string
	by   string
	note string
}

// events are what happened, in its order.
func (p Finding) events() []event {
	all := []event{{at: p.FirstAt, icon: "search", what: "Found by " + p.Rule}}
	if !p.At.Equal(p.FirstAt) {
		all = append(all, event{at: p.At, icon: "search", what: "Found again"})
	}
	r := p.Request
	if r == nil {
		return all
	}
	all = append(all, event{at: r.At, icon: "inbox", what: "Asked for an exception", by: p.Author})
	d := r.Decision
	switch {
	case d == nil && p.State == FindingExpired:
		return append(all, event{at: r.ExpiresAt, icon: "x", what: "Nobody decided in time"})
	case d == nil:
		return all
	case d.Rule == "":
		return append(all, event{at: d.At, icon: "circle-x", what: "Denied", by: d.By, note: d.Note})
	}
	all = append(all, event{at: d.At, icon: "circle-check", what: "Allowed until " + d.ExpiresAt.UTC().Format("2 Jan 2006"), by: d.By, note: d.Note})
	if !d.RevokedAt.IsZero() {
		all = append(all, event{at: d.RevokedAt, icon: "undo-2", what: "The exception was revoked"})
	}
	return all
}
