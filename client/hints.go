package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// Hint is advice about one file below team/. It never keeps a file from being
// shared.
type Hint struct {
	Path memory.Path
	memory.Lint
}

// hints reads the whole tree for what would make it more useful: status does,
// a sync never. It leaves out what is refused, so that no text which must not
// be shared is repeated. The budget is that of the index at the top, nil
// without one.
func (s *Syncer) hints(ctx context.Context, refused []Refused) (hints []Hint, index *memory.Budget, err error) {
	t, err := tree.Open(s.link.MemoryDir, tree.Options{Clock: s.clock, Home: s.home, Keep: func(context.Context, tree.Old) error {
		return errors.New("reading replaces no file")
	}})
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	listing, err := t.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	skip := make(map[string]bool, len(refused))
	for _, r := range refused {
		skip[r.File] = true
	}
	paths, there := make([]memory.Path, len(listing.Files)), make(map[string]bool, len(listing.Files))
	for i, f := range listing.Files {
		paths[i], there[f.Path.String()] = f.Path, true
	}
	for _, f := range listing.Files {
		if skip[f.Disk] {
			continue
		}
		text, ok, err := readHinted(ctx, t, f)
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		lints := memory.Lints(f.Path, text, time.Unix(0, f.Stamp.MTime))
		if f.Path.String() == memory.IndexName {
			size := memory.IndexBudget(text)
			index, lints = &size, memory.LintIndex(text, paths)
		}
		lints = append(lints, memory.LintNumbered(f.Path.String(), func(p string) bool { return there[p] })...)
		for _, l := range lints {
			hints = append(hints, Hint{f.Path, l})
		}
	}
	return hints, index, nil
}

// readHinted reads one file. One that cannot be read has no hints; why it
// cannot be read is told elsewhere.
func readHinted(ctx context.Context, t *tree.Tree, f tree.File) (text string, ok bool, err error) {
	content, _, err := t.Read(ctx, f.Disk, f.Stamp)
	if ctx.Err() != nil {
		return "", false, fmt.Errorf("read %+q: %w", f.Disk, ctx.Err())
	}
	return string(content), err == nil, nil
}
