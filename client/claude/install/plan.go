package install

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/settings"
	"github.com/teammem/teammem/plugins"
)

// Plan is what an installation or its end would do.
type Plan struct {
	Changes []Change
	Notes   []string // what is left as it is, and why

	receiptFile string
	receipt     []byte   // to be written before the changes
	settled     []byte   // to be written after them
	folders     []string // to be made, outermost first
	leave       []string // to be removed if they are empty
	public      bool     // the files belong to a repository
	undo        bool
}

// Empty reports whether there is nothing to do.
func (p Plan) Empty() bool { return len(p.Changes) == 0 && !p.undo }

// Apply does it: the receipt first, so that whatever happens next can be
// undone, and away last. Until all is written the receipt also tells what was
// there before.
func (p Plan) Apply() error {
	if err := p.keep(p.receipt); err != nil {
		return err
	}
	for _, dir := range p.folders {
		mode := os.FileMode(0o700)
		if p.public {
			mode = 0o755
		}
		if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, os.ErrExist) {
			return fmt.Errorf("make folder: %w", err)
		}
	}
	for _, c := range p.Changes {
		if err := c.apply(); err != nil {
			return err
		}
	}
	if err := p.keep(p.settled); err != nil {
		return err
	}
	for _, dir := range slices.Backward(p.leave) {
		_ = os.Remove(dir) // only if nothing else is in it by now
	}
	if p.undo {
		if err := os.Remove(p.receiptFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove receipt: %w", err)
		}
	}
	return nil
}

// keep writes a receipt, if there is one to be written.
func (p Plan) keep(receipt []byte) error {
	if receipt == nil {
		return nil
	}
	if err := client.WriteFile(p.receiptFile, receipt); err != nil {
		return fmt.Errorf("write receipt: %w", err)
	}
	return nil
}

// Install plans to put the hooks of a program and the skill in place. What an
// earlier installation put there makes room; where nothing has to change, the
// plan is empty.
func Install(d client.Dirs, at Place, program, version string) (Plan, error) {
	kept, _, err := readReceipt(d, at)
	if err != nil {
		return Plan{}, err
	}
	others, err := neighbours(d, at)
	if err != nil {
		return Plan{}, err
	}
	was, err := look(at.Settings)
	if err != nil {
		return Plan{}, err
	}
	old, err := kept.inForce(was.content)
	if err != nil {
		return Plan{}, unreadable(at.Settings, err)
	}
	p := Plan{receiptFile: receiptFile(d, at), public: at.Scope == Project}
	r, err := p.addHooks(at, old, was, program)
	if err != nil {
		return Plan{}, err
	}
	r.Version = version
	if err := p.addSkill(at, append(others, kept), &r); err != nil {
		return Plan{}, err
	}
	if p.Empty() {
		return Plan{Notes: p.Notes}, nil
	}
	r.Folders = p.addFolders(at, old, others)
	return p, p.addReceipt(r, old)
}

// addFolders plans to make the folders that are missing, and returns all that
// the end of this installation removes if they are empty: also those that
// another scope made, since the last one to go has to.
func (p *Plan) addFolders(at Place, old receipt, others []receipt) (all []string) {
	for _, c := range p.Changes {
		for _, dir := range missingFolders(c.was.path) {
			if !slices.Contains(p.folders, dir) {
				p.folders = append(p.folders, dir)
			}
		}
	}
	for _, r := range append(others, old) {
		all = append(all, r.Folders...)
	}
	all = append(all, p.folders...)
	slices.Sort(all) // the outer one is the shorter
	return slices.Compact(all)
}

// addReceipt plans to write a receipt in place of an old one.
func (p *Plan) addReceipt(r, old receipt) (err error) {
	r.Earlier = nil
	if p.settled, err = r.bytes(); err != nil {
		return err
	}
	if old.After != "" {
		r.Earlier = &old
	}
	p.receipt, err = r.bytes()
	return err
}

// addHooks plans to write the settings, and says what that comes to.
func (p *Plan) addHooks(at Place, old receipt, was file, program string) (receipt, error) {
	items, err := Items(program)
	if err != nil {
		return receipt{}, err
	}
	upToDate, err := isUpToDate(was.content, items, old)
	if err != nil {
		return receipt{}, unreadable(at.Settings, err)
	}
	if upToDate && old.After != "" {
		return old, nil
	}
	base, existed, missing, err := original(old, was)
	if err != nil {
		return receipt{}, unreadable(at.Settings, err)
	}
	p.note(at.Settings, missing)
	items, err = p.withoutStrangers(at.Settings, base, items)
	if err != nil {
		return receipt{}, unreadable(at.Settings, err)
	}
	after, made, err := settings.Insert(base, items)
	if err != nil {
		return receipt{}, unreadable(at.Settings, err)
	}
	if len(made.Items) == 0 {
		after = base
	}
	p.change(at.Settings, was, after)
	return receipt{Settings: at.Settings, Existed: existed, Before: hash(base), After: hash(after), Original: base, Made: made}, nil
}

// isUpToDate reports whether the settings have all items, and none that an
// earlier version put there.
func isUpToDate(content []byte, items []settings.Item, old receipt) (bool, error) {
	missing, err := settings.Missing(content, items)
	outdated := slices.ContainsFunc(old.Made.Items, func(i settings.Item) bool { return !slices.Contains(items, i) })
	return len(missing) == 0 && !outdated, err
}

// withoutStrangers drops the items of events for which somebody has put in a
// hook of teammem's in another form: two would be one too many.
func (p *Plan) withoutStrangers(name string, content []byte, items []settings.Item) ([]settings.Item, error) {
	hooks, err := settings.Hooks(content)
	if err != nil {
		return nil, err
	}
	missing, err := settings.Missing(content, items)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(missing, func(i settings.Item) bool {
		at := slices.IndexFunc(hooks, func(h settings.Hook) bool { return h.Event == i.Event && h.Runs("teammem", "hook") })
		if at < 0 {
			return false
		}
		p.Notes = append(p.Notes, stranger(name, hooks[at]))
		return true
	}), nil
}

// Uninstall plans to undo an installation.
func Uninstall(d client.Dirs, at Place) (Plan, error) {
	r, installed, err := readReceipt(d, at)
	if err != nil {
		return Plan{}, err
	}
	was, err := look(at.Settings)
	if err != nil {
		return Plan{}, err
	}
	if !installed {
		return Plan{Notes: strangers(at.Settings, was.content)}, nil
	}
	others, err := neighbours(d, at)
	if err != nil {
		return Plan{}, err
	}
	kept := r
	if r, err = kept.inForce(was.content); err != nil {
		return Plan{}, unreadable(at.Settings, err)
	}
	rest, existed, missing, err := original(r, was)
	if err != nil {
		return Plan{}, unreadable(at.Settings, err)
	}
	p := Plan{receiptFile: receiptFile(d, at), leave: r.Folders, undo: true}
	p.note(at.Settings, missing)
	p.Notes = append(p.Notes, strangers(at.Settings, rest)...)
	if was.there && !existed {
		p.Changes = append(p.Changes, Change{File: at.Settings, Before: was.content, Removed: true, was: was})
	} else {
		p.change(at.Settings, was, rest)
	}
	return p, p.dropSkill(at, kept, others)
}

// original returns what the settings are without an installation: the very
// bytes that were there before if nobody changed them since, else the text
// without what the receipt lists. existed is false for a file that would hold
// nothing of anybody's.
func original(r receipt, was file) (rest []byte, existed bool, missing []settings.Item, err error) {
	switch now := hash(was.content); {
	case now == r.After:
		return r.Original, r.Existed, nil, nil
	case now == r.Before, r.After == "":
		return was.content, was.there, nil, nil
	}
	rest, missing, err = settings.Remove(was.content, r.Made)
	return rest, was.there && (r.Existed || !settings.Empty(rest)), missing, err
}

// change adds a change, unless there is none.
func (p *Plan) change(name string, was file, after []byte) {
	if !was.there && len(after) == 0 || was.there && bytes.Equal(was.content, after) {
		return
	}
	if !was.there && p.public {
		was.mode = 0o644
	}
	p.Changes = append(p.Changes, Change{File: name, Before: was.content, After: after, was: was})
}

// note names hooks that are left as they are.
func (p *Plan) note(name string, missing []settings.Item) {
	for _, item := range missing {
		p.Notes = append(p.Notes, fmt.Sprintf("the hook for %s in %s is not there as it was installed", item.Event, name))
	}
}

// strangers names hooks that run teammem and are no installation's.
func strangers(name string, content []byte) (notes []string) {
	hooks, err := settings.Hooks(content)
	if err != nil {
		return nil // then there is nothing to tell apart
	}
	for _, h := range hooks {
		if h.Runs("teammem", "hook") {
			notes = append(notes, stranger(name, h))
		}
	}
	return notes
}

func stranger(name string, h settings.Hook) string {
	return fmt.Sprintf("a hook for %s in %s runs %s, was not installed like this, and stays", h.Event, name, h.Command)
}

// addSkill plans to write the skill. One that has other words than an
// installation gave it stays.
func (p *Plan) addSkill(at Place, receipts []receipt, r *receipt) error {
	was, err := look(at.Skill)
	if err != nil {
		return err
	}
	var sums []string
	for _, known := range receipts {
		sums = append(sums, known.skillSums(at.Skill)...)
	}
	want := []byte(plugins.Skill)
	r.Skill, r.SkillSum = at.Skill, hash(want)
	switch {
	case was.there && bytes.Equal(was.content, want):
		if len(sums) == 0 {
			r.Skill, r.SkillSum = "", "" // it was there before
		}
	case was.there && !slices.Contains(sums, hash(was.content)):
		p.Notes = append(p.Notes, fmt.Sprintf("%s has other words than teammem's, and stays", at.Skill))
		r.Skill, r.SkillSum = "", ""
		if len(sums) > 0 {
			r.Skill, r.SkillSum = at.Skill, sums[len(sums)-1] // for whoever puts the old words back
		}
	default:
		p.change(at.Skill, was, want)
	}
	return nil
}

// dropSkill plans to remove the skill, unless somebody changed it, or another
// scope has it, too.
func (p *Plan) dropSkill(at Place, r receipt, others []receipt) error {
	sums := r.skillSums(at.Skill)
	if len(sums) == 0 {
		return nil
	}
	if len(others) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s stays: %s uses it, too", at.Skill, others[0].Settings))
		return nil
	}
	was, err := look(at.Skill)
	switch {
	case err != nil:
		return err
	case !was.there:
	case !slices.Contains(append(sums, hash([]byte(plugins.Skill))), hash(was.content)):
		p.Notes = append(p.Notes, fmt.Sprintf("%s was changed since it was installed, and stays", at.Skill))
	default:
		p.Changes = append(p.Changes, Change{File: at.Skill, Before: was.content, Removed: true, was: was})
	}
	return nil
}

// UnreadableError means that the settings cannot be edited. Snippet is what the
// member may put in by hand.
type UnreadableError struct {
	File string
	Err  error
}

func unreadable(file string, err error) error { return &UnreadableError{file, err} }

// Error names the file.
func (e *UnreadableError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }

// Unwrap returns what is wrong with it.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Snippet returns the hooks of a program as settings of their own.
func Snippet(program string) ([]byte, error) {
	items, err := Items(program)
	if err != nil {
		return nil, err
	}
	b, _, err := settings.Insert(nil, items)
	return b, err
}
