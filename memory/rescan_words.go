package memory

import (
	"context"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// Words are stored beside texts: what members and their programs say of changes,
// and what their computers and agents are called. They can be at many places.
type Words struct {
	Place  string // one where a member wrote them, such as "note of ent_…@7"
	Author Author // who that is
	Device DeviceID
}

// What stands in the place of words that the rules of today refuse, where a part
// cannot: a pattern of paths would be another one.
const (
	WithheldSecret = "(taken back: a secret was found)"
	WithheldHidden = "(taken back: hidden text was found)"
)

// Withholding takes words back.
type Withholding struct {
	Words string // as they are stored
	With  string // instead
	Whole string // likewise, where words are a pattern
}

// wordsPage is how many words are read at once.
const wordsPage = 1000

// words looks at all words of a project, each once however often they are stored.
// It is done at the end of a round, from the beginning if it was interrupted: most
// words are short, and many are the same.
func (w rescan) words(ctx context.Context, p *RescanProgress) error {
	for after := ""; ; {
		began := w.clock()
		page, err := w.store.StoredWords(ctx, p.Project, after, wordsPage)
		if err != nil || len(page) == 0 {
			return err
		}
		x, err := w.store.Exceptions(ctx, p.Project)
		if err != nil {
			return err
		}
		for _, text := range page {
			if err := w.word(ctx, p, text, x); err != nil {
				return err
			}
		}
		after = page[len(page)-1]
		if w.pace == nil {
			continue
		}
		if err := w.pace(ctx, w.clock().Sub(began)); err != nil {
			return err
		}
	}
}

// word looks at some words, and takes them back wherever they are if they cannot
// stay. Exceptions are for paths, so none is for words.
func (w rescan) word(ctx context.Context, p *RescanProgress, text string, x Exceptions) error {
	known := func(context.Context) (Exceptions, error) { return x, nil }
	found, err := Allowing(w.scanner, Path{}, known).Scan(ctx, text)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.skip("words beside texts")
	}
	f := flaws{rejected: rejected([]byte(text))}
	for _, one := range found {
		if one.Fingerprint.IsZero() {
			one.Fingerprint = placeOf(x.Key, StoredText{Sum: Sum([]byte(text))}, one)
		}
		f.secrets = append(f.secrets, Finding{Finding: one})
	}
	if f.none() {
		return nil
	}
	return w.withhold(ctx, p, text, f)
}

// withhold tells whose words they were, and replaces them. It can be done again.
func (w rescan) withhold(ctx context.Context, p *RescanProgress, text string, f flaws) error {
	owners, err := w.store.WordsOf(ctx, p.Project, text)
	if err != nil || len(owners) == 0 {
		return err
	}
	now := w.clock()
	row := server().Row(now, "words.withhold", owners[0].Place)
	row.Decision, row.Rules = "withdrawn", append(f.codes(), f.rules()...)
	told := w.wordFindings(p.Project, owners, f, now)
	whole := WithheldHidden
	if len(told) > 0 {
		whole = WithheldSecret
	}
	part, err := w.fit(ctx, text, whole)
	if err != nil {
		return err
	}
	if err := w.store.Withhold(ctx, p.Project, Withholding{Words: text, With: part, Whole: whole}, told, row); err != nil {
		return err
	}
	p.Findings += len(told)
	if f.rejected != nil {
		p.Rejected++
	}
	return nil
}

// fit returns words without their secrets, and with what nobody sees in them
// spelled out, so that no more is lost than has to be. What cannot be made fit is
// replaced whole.
func (w rescan) fit(ctx context.Context, text, whole string) (string, error) {
	part, err := w.scanner.Mask(ctx, text)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || part == "" {
		return whole, nil //nolint:nilerr // what nobody can scan cannot stay
	}
	part = sanitize.SpellOut(part)
	left, err := w.scanner.Scan(ctx, part)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil || len(left) > 0 {
		return whole, nil //nolint:nilerr // likewise
	}
	return part, nil
}

// wordFindings are the secrets in some words, for each whose they are.
func (w rescan) wordFindings(project ProjectID, owners []Words, f flaws, now time.Time) (all []Finding) {
	for _, o := range owners {
		for _, s := range f.secrets {
			all = append(all, Finding{
				Finding: s.Finding, ID: NewFindingID(), Project: project, State: FindingOpen, RuleSet: w.round.RuleSet, Author: o.Author,
				Device: o.Device, FirstAt: now, At: now, Withheld: o.Place,
			})
		}
	}
	return all
}
