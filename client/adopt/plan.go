package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Mirror is the linked tree; *client.Syncer is one.
type Mirror interface {
	// Edit lends the tree, while nobody else works in it.
	Edit(ctx context.Context, change func(t *tree.Tree) error) error
	// Sync brings tree and server together.
	Sync(ctx context.Context, o client.SyncOptions) (*client.Report, error)
}

// Importer takes sources into one linked tree. Make it with [Into].
type Importer struct {
	mirror Mirror
	o      Options
}

// Options are what an [Importer] needs from the outside. All but Exceptions and
// Progress are required.
type Options struct {
	MemoryDir string                         // of the linked tree, whose team/ receives
	Receipts  string                         // folder for what was imported
	Scanner   func() (memory.Scanner, error) // built when the first text is to be judged
	Clock     memory.Clock                   //
	// Exceptions returns what the project allows; it is asked when something was
	// found. Nil: nothing.
	Exceptions func(context.Context) (memory.Exceptions, error)
	Progress   func(what string, done, total int) // may be nil
}

// Into prepares to import into a linked tree.
func Into(m Mirror, o Options) *Importer {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	return &Importer{m, o}
}

// PlanOptions change what a plan takes.
type PlanOptions struct {
	To          string // folder below team/ for all of it
	As          string // the path of a single file, instead of its name
	Rename      bool   // take files whose names are refused under the suggested ones
	IncludeUser bool   // take entries about a person
	Preview     bool   // change nothing, not even by a sync first
}

// Plan reads a source and says what would become of each file in it. The tree
// is brought up to date first, so that a teammate's entry of the same name is
// known; a preview asks which entries would arrive.
func (im *Importer) Plan(ctx context.Context, s Source, o PlanOptions) (*Plan, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	all, err := discover(ctx, s, im.o.MemoryDir)
	if err != nil {
		return nil, err
	}
	p := &planning{Plan: Plan{Source: s, To: o.To}, options: o}
	p.list(all)
	arriving, err := im.refresh(ctx, p)
	if err != nil {
		return nil, err
	}
	err = im.mirror.Edit(ctx, func(t *tree.Tree) error {
		p.there, err = look(ctx, t, p.Items)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at what is there: %w", err)
	}
	p.there.arriving = arriving
	p.compare()
	if err := im.screen(ctx, p, New); err != nil {
		return nil, err
	}
	p.joinIndexes()
	if err := im.screen(ctx, p, Merged); err != nil {
		return nil, err
	}
	p.lint(im.o.Clock())
	return &p.Plan, nil
}

// checked returns the options with folder and path as keys have them.
func (o PlanOptions) checked() (PlanOptions, error) {
	if o.To != "" {
		p, err := memory.ParsePath(strings.TrimSuffix(o.To, "/") + "/x" + extension)
		if err != nil {
			return o, invalid("to", err)
		}
		o.To = p.Dir()
	}
	if o.As != "" {
		p, err := memory.ParsePath(o.As)
		if err != nil {
			return o, invalid("as", err)
		}
		o.As = p.String()
	}
	return o, nil
}

// invalid says of an option what is wrong with a path.
func invalid(field string, err error) error {
	e, _ := errors.AsType[*memory.Error](err)
	return &memory.Error{Code: memory.CodeInvalid, Field: field, Message: e.Message, Hint: e.Hint, Err: err}
}

// refresh syncs, or in a preview learns which entries a sync would bring. A
// preview without the server goes by what is here.
func (im *Importer) refresh(ctx context.Context, p *planning) (arriving map[memory.Path]bool, err error) {
	report, err := im.mirror.Sync(ctx, client.SyncOptions{DryRun: p.options.Preview})
	if p.options.Preview && errors.Is(err, client.ErrOffline) {
		p.Offline = err
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.Before = report
	arriving = map[memory.Path]bool{}
	for _, d := range report.Done {
		if p.options.Preview && d.Kind == msync.Download {
			arriving[d.Path] = true
		}
	}
	return arriving, nil
}

// screen takes what would be shared through the checks that the server makes,
// too.
func (im *Importer) screen(ctx context.Context, p *planning, verdict Verdict) error {
	todo := p.Count()[verdict]
	if todo == 0 {
		return nil
	}
	scanner, err := im.o.Scanner()
	if err != nil {
		return fmt.Errorf("prepare to look for secrets: %w", err)
	}
	done, allowed := 0, im.exceptions()
	for i := range p.Items {
		item := &p.Items[i]
		if item.Verdict != verdict {
			continue
		}
		_, err := memory.Screen(ctx, memory.Allowing(scanner, item.Path, allowed), item.Path, item.content)
		if problem, ok := errors.AsType[*memory.Error](err); ok {
			item.refuse(problem)
			if item.Part > 0 {
				item.Path = memory.Path{} // it is made of the text, and must not repeat what was found there
			}
		} else if err != nil {
			return err
		}
		done++
		im.o.Progress("checking", done, todo)
	}
	return nil
}

// exceptions asks what the project allows once, and if it is needed.
func (im *Importer) exceptions() func(context.Context) (memory.Exceptions, error) {
	var x memory.Exceptions
	asked := im.o.Exceptions == nil
	return func(ctx context.Context) (_ memory.Exceptions, err error) {
		if asked {
			return x, nil
		}
		x, err = im.o.Exceptions(ctx)
		asked = err == nil
		return x, err
	}
}

// planning is a plan on its way.
type planning struct {
	Plan

	options PlanOptions
	there   snapshot
}

// lint collects advice on what is taken.
func (p *planning) lint(now time.Time) {
	paths := p.there.paths()
	for i := range p.Items {
		item := &p.Items[i]
		if item.Verdict == New && !item.Path.IsIndex() {
			item.Lints = memory.Lints(item.Path, string(item.content), now)
		}
		if item.Verdict == New {
			paths = append(paths, item.Path)
		}
	}
	for i := range p.Items {
		item := &p.Items[i]
		if (item.Verdict == New || item.Verdict == Merged) && item.Path.String() == memory.IndexName {
			known := len(lines(string(item.before))) // what was there before is nobody's import
			item.Lints = slices.DeleteFunc(memory.LintIndex(string(item.content), paths), func(l memory.Lint) bool {
				return item.Verdict == Merged && 0 < l.Line && l.Line < known
			})
		}
	}
}

// about is what an entry says of itself, under the name it would have.
func about(p memory.Path, content []byte) memory.Frontmatter {
	return memory.ReadFrontmatter(p, strings.ToValidUTF8(string(content), "\ufffd"))
}
