package secrets

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// Deadline is how long [Scanner.Scan] works on one text before it gives up.
const Deadline = 5 * time.Second

// maxFindings bounds an answer: a text with fifty secrets needs no longer list
// to be refused, and a hostile one cannot make the list itself a burden.
const maxFindings = 50

// ErrTimeout reports a scan that did not finish; the text counts as refused.
var ErrTimeout = errors.New("secret scan ran out of time")

// Scanner finds secrets in text. It is safe for concurrent use, and holds
// several megabytes of compiled rules: a process needs one.
type Scanner struct {
	near  *matcher // rules that need a bounded stretch around a keyword
	far   *matcher // rules whose matches may be long
	known *verdicts
	slots slots
	name  string
}

// slots are the turns that scans wait for. Long texts have their own, so that
// however many of them are made to be slow, a note does not wait for one.
type slots struct{ short, long chan struct{} }

// shortMost is the length of the longest text that takes its turn among the
// short ones: 99 of 100 notes.
const shortMost = 32 << 10

func newSlots() slots {
	each := max(1, runtime.NumCPU()/4)
	return slots{short: make(chan struct{}, each), long: make(chan struct{}, each)}
}

func (s slots) forText(text string) chan struct{} {
	if len(text) > shortMost {
		return s.long
	}
	return s.short
}

// New reads the rules and tries them on a canary. It costs some milliseconds of
// CPU, so callers put it behind [sync.OnceValues]; a rule compiles when a text
// first wakes it, and all of them once take some tens. An error means that
// nothing may be pushed or accepted: the scanner is blind.
func New() (*Scanner, error) {
	rules, err := compile()
	if err != nil {
		return nil, fmt.Errorf("build secret scanner: %w", err)
	}
	s := &Scanner{
		near:  newMatcher(rules.near),
		far:   newMatcher(rules.far),
		known: newVerdicts(),
		slots: newSlots(),
		name:  rules.name,
	}
	if err := s.selfTest(); err != nil {
		return nil, fmt.Errorf("build secret scanner: %w", err)
	}
	return s, nil
}

// Scan returns the secrets of text in the order of their positions, at most
// fifty. Lines and columns count from 1, columns in code points.
//
// It gives up when ctx ends or after [Deadline], whichever is first, and then
// returns no findings and an error that wraps [ErrTimeout], or
// [context.Canceled] if ctx was cancelled. Waiting for other scans to finish
// does not count against Deadline, but ends with ctx.
func (s *Scanner) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	return s.ScanKeyed(ctx, text, nil)
}

// ScanKeyed is Scan whose findings carry fingerprints made with key: the same
// secret, found by the same rule, has the same one wherever and however it is
// written down. A list of fifty has none, as there may be more to find.
func (s *Scanner) ScanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error) {
	found, err := s.matches(ctx, text)
	if err != nil {
		return nil, err
	}
	return findings(text, found, key), nil
}

// matches is look in its turn and within the deadline.
func (s *Scanner) matches(ctx context.Context, text string) ([]match, error) {
	turn := s.slots.forText(text)
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, unfinished(ctx.Err())
	}
	ctx, cancel := context.WithTimeout(ctx, Deadline)
	defer cancel()

	found, err := s.look(ctx, text)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, unfinished(err)
	}
	return found, nil
}

// RuleSet names the rules in force; it changes whenever they do, so that a
// verdict can be stored together with the rules it was reached under.
func (s *Scanner) RuleSet() string { return s.name }

func unfinished(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("scan text: %w: %w", ErrTimeout, err)
	}
	return fmt.Errorf("scan text: %w", err)
}

// look reads text as it stands, then what is new of it as it reads without its
// disguises.
func (s *Scanner) look(ctx context.Context, text string) ([]match, error) {
	plain := view{text: text}
	found, rest, err := s.readChunks(ctx, plain)
	if err != nil {
		return nil, err
	}
	parts := merge(rest.far)
	far, err := s.far.find(ctx, plain, parts...)
	if err != nil {
		return nil, err
	}
	decoded, err := s.readEncoded(ctx, plain, parts)
	if err != nil {
		return nil, err
	}
	hidden, err := s.readDisguised(ctx, text, rest)
	if err != nil {
		return nil, err
	}
	return slices.Concat(found, far, decoded, hidden), nil
}

// readDisguised reads the chunks that are not known without their disguises.
func (s *Scanner) readDisguised(ctx context.Context, text string, rest unread) ([]match, error) {
	var found []match
	for _, r := range regions(text, rest.disguised) {
		for _, v := range disguises(text, r) {
			m, err := s.readView(ctx, v)
			if err != nil {
				return nil, err
			}
			found = append(found, m...)
		}
	}
	if len(found) == 0 {
		for _, key := range rest.keys {
			s.known.add(key, open)
		}
	}
	return found, nil
}

// readView reads what is new in a view.
func (s *Scanner) readView(ctx context.Context, v view) ([]match, error) {
	var found []match
	var live []span
	for _, core := range chunks(v.text) {
		if !v.live(around(core, chunkContext, chunkContext, v.text)) {
			continue // nothing that begins here reaches what is new
		}
		live = append(live, core)
		m, err := s.near.find(ctx, v, core)
		if err != nil {
			return nil, err
		}
		if found = append(found, m...); enough(found) {
			return v.toOriginal(found), nil
		}
	}
	far, err := s.far.find(ctx, v, span{0, len(v.text)})
	if err != nil {
		return nil, err
	}
	found = append(found, far...)
	if v.backwards {
		return v.toOriginal(found), nil
	}
	decoded, err := s.readEncoded(ctx, v, merge(live))
	if err != nil {
		return nil, err
	}
	return v.toOriginal(append(found, decoded...)), nil
}
