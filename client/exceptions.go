package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// keptExceptions is what a project allowed when it was asked last, for those who
// judge a text without the server. The key in it is a secret: whoever has it can
// try out what a finding was about. So it lies outside the tree, for the member
// alone, and nothing shows it.
type keptExceptions struct {
	Instance string           `json:"instance"`
	Project  memory.ProjectID `json:"project"`
	Root     string           `json:"root"` // of the tree
	At       time.Time        `json:"at"`   // by this computer's clock or the server's, whichever was ahead
	Key      string           `json:"key"`
	Rules    []wire.AllowRule `json:"rules"`
}

// exceptionsAge is how old what is kept may get before a run asks anew: what was
// revoked must not pass for ever.
const exceptionsAge = 24 * time.Hour

func (d Dirs) exceptionsFile(l Link) string { return filepath.Join(d.stateDir(l), "exceptions.json") }

// Exceptions returns a function for [memory.Allowing] that asks no server: what
// the project of a link allowed when this computer asked last, and still does by
// the clock. A file that is missing, damaged, about something else or open to
// other accounts allows nothing. Whatever passes by it the server judges again.
func (d Dirs) Exceptions(l Link, clock memory.Clock) func(context.Context) (memory.Exceptions, error) {
	return func(context.Context) (memory.Exceptions, error) {
		x, at, err := d.keptExceptions(l)
		if err != nil {
			return memory.Exceptions{}, nil //nolint:nilerr // nothing is allowed then
		}
		if now := clock(); now.After(at) {
			at = now
		}
		return x.InForce(at), nil
	}
}

// keptExceptions reads what was kept for the tree of a link, and when.
func (d Dirs) keptExceptions(l Link) (x memory.Exceptions, at time.Time, err error) {
	file := d.exceptionsFile(l)
	var k keptExceptions
	if err := readPrivate(file, &k); err != nil {
		return x, at, err
	}
	if k.Instance != l.Instance || k.Project != l.Project || k.Root != l.RootID {
		return x, at, fmt.Errorf("read %s: it is about another tree", file)
	}
	if x.Key = (wire.Project{FindingKey: k.Key}).Key(); x.Key.IsZero() {
		return memory.Exceptions{}, at, fmt.Errorf("read %s: it has no key", file)
	}
	for _, rule := range k.Rules {
		r, err := rule.Domain()
		if err != nil {
			return memory.Exceptions{}, at, fmt.Errorf("read %s: %w", file, err)
		}
		x.Rules = append(x.Rules, r)
	}
	return x, k.At, nil
}

// Exceptions asks the server what the project allows, or goes by what is known
// where it does not answer.
func (s *Syncer) Exceptions(ctx context.Context) (memory.Exceptions, error) {
	x, err := s.server.Exceptions(ctx, s.link.Project)
	if ctx.Err() != nil {
		return memory.Exceptions{}, ctx.Err()
	}
	if err == nil || notTaken(err) {
		return x, nil
	}
	return s.dirs.Exceptions(s.link, s.clock)(ctx)
}

// keepExceptions keeps what the server said, or forgets what was kept if it says
// nothing to this member any more. A file that other accounts could read is
// replaced, and the member is told.
func (c *cycle) keepExceptions(x memory.Exceptions) {
	if c.options.DryRun {
		return
	}
	file := c.dirs.exceptionsFile(c.link)
	before, err := os.Lstat(file)
	if err == nil && isOpen(before) {
		c.notice("other accounts could read %s (mode %#o), by which they can try out what findings of this project were about; it is private again",
			file, before.Mode().Perm())
	}
	if x.Key.IsZero() {
		err = c.dirs.forgetExceptions(c.link)
	} else {
		err = writeJSON(file, c.newKept(x))
	}
	if err != nil {
		c.notice("what the project allows could not be kept: %v", err)
	}
}

// forgetExceptions removes what was kept for the tree of a link.
func (d Dirs) forgetExceptions(l Link) error {
	err := os.Remove(d.exceptionsFile(l))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *cycle) newKept(x memory.Exceptions) keptExceptions {
	k := keptExceptions{
		Instance: c.link.Instance, Project: c.link.Project, Root: c.link.RootID, At: c.latest(), Key: wire.Project{}.WithFindingKey(x.Key).FindingKey,
		Rules: []wire.AllowRule{},
	}
	for _, r := range x.Rules {
		k.Rules = append(k.Rules, wire.NewAllowRule(r))
		if r.At.After(k.At) { // it is in force, by the server's clock
			k.At = r.At
		}
	}
	return k
}

// keepRules keeps rules that were asked for without the key, if they are others
// than those that are kept.
func (c *cycle) keepRules(rules []memory.AllowRule) {
	x, _, err := c.dirs.keptExceptions(c.link)
	if err != nil || versionOf(x.Rules) == versionOf(rules) {
		return
	}
	x.Rules = slices.Clone(rules)
	c.keepExceptions(x)
}

// keepsOld reports whether exceptions are kept that are to be asked for anew.
func (c *cycle) keepsOld() bool {
	info, err := os.Lstat(c.dirs.exceptionsFile(c.link))
	return err == nil && (c.clock().Sub(info.ModTime()).Abs() > exceptionsAge || isOpen(info))
}
