package adopt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Outcome is what became of one file in the end.
type Outcome string

// The outcomes. Where an outcome is not Published, Theirs, Waiting or Unsent, the
// file is not shared; of those only NotWritten is not in team/ either.
const (
	Published  Outcome = "published"   // every member gets it
	Theirs     Outcome = "theirs"      // a teammate has shared the same text meanwhile, so it is no part of the import
	Waiting    Outcome = "waiting"     // for a reviewer
	Unsent     Outcome = "unsent"      // in team/; the next sync sends it
	Declined   Outcome = "refused"     // by the server
	Contested  Outcome = "conflict"    // a teammate was first: theirs is in the tree, this one with the conflicts
	NotWritten Outcome = "not-written" // something came into its place, or the disk refused
)

// Result is what became of one item.
type Result struct {
	File    string
	Part    int
	Path    memory.Path
	Outcome Outcome
	Reason  string
	Problem *memory.Error // of a declined one
}

// Imported is what one import did.
type Imported struct {
	ID      string // of the receipt; "" if nothing was done
	Results []Result
	Report  *client.Report // of the sync; nil if there was none
}

// Import carries out a plan: files come into team/, and a sync sends them. What
// changed since the plan was made is left alone. The results are complete also
// when the sync ended with an error, and are nil if nothing was written.
func (im *Importer) Import(ctx context.Context, p *Plan) (*Imported, error) {
	done := &Imported{}
	if p.Takes() == 0 {
		return done, nil
	}
	r := newReceipt(p, im.o.MemoryDir, im.o.Clock())
	cut, err := im.cutOff(r)
	if err != nil {
		return done, err
	}
	err = im.mirror.Edit(ctx, func(t *tree.Tree) error {
		for _, c := range cut {
			r.absorb(c, p)
		}
		if err := im.save(r); err != nil {
			return err
		}
		done.ID = r.ID
		done.Results, err = p.write(ctx, t)
		return err
	})
	if err != nil {
		return done, fmt.Errorf("write into team/: %w", err)
	}
	r.settle(done.Results)
	r.State = Written
	if err := im.keep(r, cut); err != nil {
		return done, err
	}
	if r.empty() {
		done.ID = ""
		return done, nil
	}
	var failed error
	done.Report, failed = im.mirror.Sync(ctx, client.SyncOptions{})
	done.rule(failed)
	r.settle(done.Results)
	if failed == nil {
		r.State = Sent
	}
	if r.empty() {
		done.ID = ""
		return done, errors.Join(failed, im.forget(r))
	}
	return done, errors.Join(failed, im.save(r))
}

// cutOff returns the receipts of imports from the same source that did not get
// to the end of writing.
func (im *Importer) cutOff(r *Receipt) ([]Receipt, error) {
	all, err := im.Receipts()
	if err != nil {
		return nil, err
	}
	var cut []Receipt
	for _, other := range all {
		if other.State == Begun && other.Layout == r.Layout && other.Source == r.Source && other.To == r.To {
			cut = append(cut, other)
		}
	}
	return cut, nil
}

// keep saves a receipt that took over others, and then forgets those.
func (im *Importer) keep(r *Receipt, absorbed []Receipt) error {
	err := im.save(r)
	if r.empty() {
		err = im.forget(r)
	}
	for i := range absorbed {
		if err == nil {
			err = im.forget(&absorbed[i])
		}
	}
	return err
}

// write brings the files of a plan into the tree.
func (p *Plan) write(ctx context.Context, t *tree.Tree) ([]Result, error) {
	l, err := t.List(ctx)
	if err != nil {
		return nil, err
	}
	b := t.Begin()
	var written []Result
	for i := range p.Items {
		item := &p.Items[i]
		switch item.Verdict {
		case New:
			b.Put(item.Path, l.Spell(item.Path), item.content, time.Time{}, memory.Hash{})
		case Merged:
			b.Put(item.Path, l.Spell(item.Path), item.content, time.Time{}, memory.Sum(item.before))
		case Same, Differs, Split, Skipped, Refused:
			continue
		}
		written = append(written, Result{File: item.File, Part: item.Part, Path: item.Path, Outcome: Unsent})
	}
	results, err := b.Commit(ctx)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		if r.Err != nil {
			written[i].Outcome, written[i].Reason = NotWritten, whyNot(r.Err)
		}
	}
	return written, ctx.Err()
}

// whyNot says why a file could not be written or removed.
func whyNot(err error) string {
	if errors.Is(err, tree.ErrChanged) {
		return "something else came into its place meanwhile"
	}
	if b, ok := errors.AsType[*tree.Blocked](err); ok {
		return "its place is not free: " + string(b.Kind)
	}
	return err.Error()
}

// rule reads from the report of a sync what became of each file.
func (d *Imported) rule(failed error) {
	last := map[memory.Path]client.Done{}
	ours, theirs := map[memory.Path]bool{}, map[memory.Path]bool{}
	renamed := map[memory.Path]memory.Path{}
	for _, op := range d.Report.Done {
		last[op.Path] = op
		ours[op.Path] = ours[op.Path] || op.Verdict == memory.RulingPublished
		theirs[op.Path] = theirs[op.Path] || op.Verdict == memory.RulingSame || op.Kind == msync.Adopt
		if op.Kind == msync.Rename {
			renamed[op.From] = op.Path
		}
	}
	refused := map[string]*memory.Error{}
	for _, f := range d.Report.Refused {
		if !f.Remote {
			refused[norm.NFC.String(f.File)] = f.Problem
		}
	}
	waiting := map[memory.Path]bool{}
	for _, w := range d.Report.Waiting {
		waiting[w.Path] = w.State == memory.ProposalPending
	}
	for i := range d.Results {
		r := &d.Results[i]
		if r.Outcome == NotWritten {
			continue
		}
		if to, ok := renamed[r.Path]; ok {
			r.Reason = fmt.Sprintf("a teammate's entry has the name %+q", r.Path)
			r.Path = to
		}
		if waiting[r.Path] {
			r.Outcome = Waiting
			continue
		}
		if theirs[r.Path] && !ours[r.Path] {
			r.Outcome, r.Reason = Theirs, "a teammate has shared the same text meanwhile"
			continue
		}
		r.rule(last[r.Path], refused[r.Path.String()], failed == nil && d.Report.Proven)
	}
}

func (r *Result) rule(last client.Done, refused *memory.Error, proven bool) {
	switch {
	case refused != nil:
		r.Outcome, r.Problem = Declined, refused
	case last.Kind == msync.Conflict:
		r.Outcome = Contested
	case last.Verdict == memory.RulingWaiting:
		r.Outcome = Waiting
	case last.Verdict == memory.RulingPublished, proven:
		r.Outcome = Published
	}
}

// settle notes in the receipt what became of its files. What was not written is
// not in it.
func (r *Receipt) settle(results []Result) {
	type place struct {
		file string
		part int
	}
	by := map[place]Result{}
	for _, x := range results {
		by[place{x.File, x.Part}] = x
	}
	files, indexes := r.Files[:0], r.Indexes[:0]
	for _, f := range r.Files {
		if x, ok := by[place{f.File, f.Part}]; ok {
			f.Path, f.Outcome = x.Path.String(), x.Outcome
		}
		if f.Outcome != NotWritten {
			files = append(files, f)
		}
	}
	for _, f := range r.Indexes {
		if x, ok := by[place{f.File, 0}]; ok {
			f.Outcome = x.Outcome
		}
		if f.Outcome != NotWritten {
			indexes = append(indexes, f)
		}
	}
	r.Files, r.Indexes = files, indexes
}
