package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// flaws are why a stored text cannot stay what it is.
type flaws struct {
	secrets  []Finding           // that nobody allowed
	rejected *sanitize.TextError // nil: it is text that people see
}

func (f flaws) none() bool { return len(f.secrets) == 0 && f.rejected == nil }

// secretRules returns the rules that found secrets.
func (f flaws) secretRules() (rules []string) {
	for _, s := range f.secrets {
		rules = append(rules, s.Rule)
	}
	return sorted(rules)
}

// rules returns all rules that the text does not pass.
func (f flaws) rules() []string {
	rules := f.secretRules()
	if f.rejected != nil {
		for _, fault := range f.rejected.Faults {
			rules = append(rules, fault.Reason)
		}
	}
	return sorted(rules)
}

func sorted(rules []string) []string {
	slices.Sort(rules)
	return slices.Compact(rules)
}

// codes returns for what a push of the text would be refused.
func (f flaws) codes() (codes []string) {
	if len(f.secrets) > 0 {
		codes = append(codes, string(CodeSecretFound))
	}
	if f.rejected != nil {
		codes = append(codes, string(CodeTextRejected))
	}
	return codes
}

// reason says to people why the text went: of a secret the rule alone, and of
// what nobody sees the code point and its place.
func (f flaws) reason() string {
	const most = 3
	var all []string
	if rules := f.secretRules(); len(rules) > 0 {
		all = append(all, "secret found by newer rules: "+strings.Join(rules[:min(len(rules), most)], ", "))
	}
	if f.rejected != nil {
		all = append(all, "text refused by newer rules: "+f.rejected.Error())
	}
	return strings.Join(all, "; ")
}

// text looks at one text, and takes it back if it cannot stay.
func (w rescan) text(ctx context.Context, p *RescanProgress, t StoredText, x Exceptions) error {
	began := w.clock()
	var f flaws
	var err error
	f.secrets, err = w.find(ctx, t, x)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	p.Texts++
	if err != nil {
		p.skip(t.String())
	}
	f.rejected = rejected(t.Content)
	if !f.none() {
		if err := w.hit(ctx, p, t, f); err != nil {
			return err
		}
	}
	if w.pace == nil {
		return nil
	}
	return w.pace(ctx, w.clock().Sub(began))
}

// find returns what the text and its name hold and nobody allowed.
func (w rescan) find(ctx context.Context, t StoredText, x Exceptions) (all []Finding, err error) {
	now, text := w.clock(), string(t.Content)
	known := func(context.Context) (Exceptions, error) { return x.InForce(now), nil }
	head := readHead(text)
	for _, part := range []struct {
		pieces []piece
		path   Path // that is known to hold nothing
	}{{namePieces(t.Path.String()), Path{}}, {pieces(text, head, head.frontmatter(t.Path)), t.Path}} {
		found, err := findIn(ctx, Allowing(w.scanner, part.path, known), part.pieces)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			part.path = Path{}
		}
		for _, f := range found {
			if f.Fingerprint.IsZero() {
				f.Fingerprint = placeOf(x.Key, t, f)
			}
			all = append(all, Finding{
				Finding: f, ID: NewFindingID(), State: FindingOpen, Path: part.path, RuleSet: w.round.RuleSet, Author: t.Author,
				Device: t.Device, FirstAt: now, At: now, Stored: t.Revision, Held: t.held(),
			})
		}
	}
	return all, nil
}

// placeOf stands for the fingerprint of a secret that cannot be told from
// others. No scan returns it, so that nothing is allowed by it.
func placeOf(key FindingKey, t StoredText, f sanitize.Finding) Fingerprint {
	place := fmt.Sprintf("%s\x00%s\x00%s\x00%d:%d", key.Bytes(), t.Sum, f.Rule, f.Line, f.Column)
	return Fingerprint(Sum([]byte(place)))
}

// hit tells of what is wrong with the text, and takes it out of sight. It can be
// done again.
func (w rescan) hit(ctx context.Context, p *RescanProgress, t StoredText, f flaws) error {
	now, rules := w.clock(), f.rules()
	for i := range f.secrets {
		f.secrets[i].Project = p.Project
	}
	row := server().Row(now, "finding.rescan", t.object())
	row.Decision, row.Rules = "found", append(f.codes(), rules...)
	if err := w.store.KeepStored(ctx, p.Project, f.secrets, row); err != nil {
		return err
	}
	p.Findings += len(f.secrets)
	if f.rejected != nil {
		p.Rejected++
	}
	switch {
	case t.Proposal != "" && t.Pending:
		return w.withdraw(ctx, p, t, f)
	case t.Revision.Rev > 0:
		return w.takeBack(ctx, p, t, f)
	}
	return nil // only its author and those who decide can read it
}

// withdraw closes a proposal that nobody has decided on.
func (w rescan) withdraw(ctx context.Context, p *RescanProgress, t StoredText, f flaws) error {
	now := w.clock()
	end := Ending{Project: p.Project, Proposal: t.Proposal, State: ProposalWithdrawn, By: ServerMember, At: now, Note: f.reason()}
	end.Row = server().Row(now, "proposal.withdraw", string(t.Proposal))
	end.Row.After, end.Row.Decision, end.Row.Rules = t.Sum, string(ProposalWithdrawn), f.rules()
	_, err := w.store.End(ctx, end)
	return err
}

// takeBack takes a revision out of every tree, or out of its entry's past.
func (w rescan) takeBack(ctx context.Context, p *RescanProgress, t StoredText, f flaws) error {
	now := w.clock()
	q := Quarantine{
		ID: NewQuarantineID(), Project: p.Project, Suspects: Suspects{Entries: []EntryID{t.Revision.EntryID}},
		Reason: f.reason(), By: Author{Member: ServerMember}, At: now,
	}
	row := server().Row(now, "quarantine.add", string(q.ID))
	row.Rules = f.rules()
	q, hidden, err := w.store.TakeBack(ctx, q, t, row)
	if err != nil {
		return err
	}
	p.Withdrawn, p.Hidden = p.Withdrawn+q.Withdrawn, p.Hidden+hidden
	if q.Withdrawn > 0 {
		w.notify.Notify(p.Project, Cursor{q.Head.Epoch, q.Head.Seq})
	}
	return nil
}

// rejected returns why the bytes are not a text that people see, nil if they are.
func rejected(content []byte) *sanitize.TextError {
	e, _ := errors.AsType[*sanitize.TextError](sanitize.CheckText(content))
	return e
}
