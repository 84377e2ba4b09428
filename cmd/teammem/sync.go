package main

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/sanitize/secrets"
)

type syncOptions struct {
	asJSON  bool
	strict  bool
	quiet   bool
	timeout time.Duration
	by      string // "hook": nobody asked for it
	oneWay
	client.SyncOptions
}

func (a *app) newSyncCommand() *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use:   "sync [DIR]",
		Short: "Mirror the team memory both ways, once",
		Long: `Mirror the team memory of a linked folder (default: the current one) both ways.
What others wrote comes into team/, what you wrote goes to the server. Nothing
is overwritten: where both sides changed a file, the changes are merged, and if
they cannot be, the server's text goes into the tree and yours is kept outside of it.
What looks like an accident is held until you say that it is meant: many deletes,
here or by others, a folder that lost all its entries, a tree in which every file
changed. A file that was emptied is not shared, and one of no bytes gets its text
back. Everything else goes on.
What team/.teammemignore names, in the syntax of git's ignore files, stays as it
is, here and there. That file is yours, and not shared.
A pause (teammem pause) is for what happens by itself: this syncs all the same,
and says that there is one.

` + exitHelp,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runSync(c.Context(), folderArg(args), o) },
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON lines")
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "only print what would be done")
	c.Flags().BoolVar(&o.Verify, "verify", false, "read every file, whatever its time stamp says")
	c.Flags().IntVar(&o.AllowDeletes, "allow-deletes", 0, "carry out the deletes that are held, if they are so many")
	c.Flags().IntVar(&o.AllowChanges, "allow-changes", 0, "send the changes that are held, if they are so many")
	c.Flags().BoolVar(&o.AllowEmpty, "allow-empty", false, "share files that were emptied")
	o.oneWay.addFlags(c, "this time")
	c.Flags().BoolVar(&o.strict, "strict", false, "exit 7 also for what was refused before")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "print problems only")
	c.Flags().DurationVar(&o.timeout, "timeout", 0, "give up after this time, such as 30s")
	c.Flags().StringVar(&o.by, "by", "", "")
	c.Flags().Lookup("by").Hidden = true
	return c
}

func (a *app) runSync(ctx context.Context, folder string, o syncOptions) error {
	debug.SetGCPercent(400) // the run ends soon: its garbage is cheaper to keep than to collect
	debug.SetMemoryLimit(512 << 20)
	s, out, err := a.openLink(folder, o)
	if err != nil {
		return errors.Join(err, a.notBegun(ctx, err, o))
	}
	if a.isPaused(out.link) && o.by == byHook {
		return nil
	}
	if o.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.timeout)
		defer cancel()
	}
	o.Mode = o.mode()
	report, err := s.Sync(ctx, o.SyncOptions)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("not done in time; run it again to go on")
	}
	report.Notices = append(report.Notices, a.placeNotices(out.link, folder)...)
	code := codeOfRun(ctx, report, err, o.strict)
	return errors.Join(out.print(report, code), finalError(err, code))
}

// finalError keeps the error's words but lets the whole run decide the code.
func finalError(err error, code int) error {
	if err == nil && code == exitOK {
		return nil
	}
	if err == nil {
		return outcome(code)
	}
	return err
}

// codeOfRun weighs everything that a run has to say.
func codeOfRun(ctx context.Context, r *client.Report, err error, strict bool) int {
	codes := []int{exitCode(ctx, err)}
	if len(r.Held) > 0 {
		codes = append(codes, exitHold)
	}
	if len(r.Conflicts) > 0 {
		codes = append(codes, exitConflicts)
	}
	if r.NewRefusals() || (strict && notShared(r) > 0) {
		codes = append(codes, exitRefused)
	}
	if r.Pending > 0 && r.DryRun {
		codes = append(codes, exitPending)
	}
	if r.Temporary() {
		codes = append(codes, exitRetry)
	}
	return mostUrgent(codes...)
}

// openLink prepares to work on a linked folder, and the printer for what is
// done. The secret scanner, which takes a while to build, is only built when a
// text is about to be sent.
func (a *app) openLink(folder string, o syncOptions) (*client.Syncer, reportPrinter, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return nil, reportPrinter{}, err
	}
	l, err := claude.LinkOf(dirs, folder, a.getenv)
	if err != nil {
		return nil, reportPrinter{}, err
	}
	return a.openLinked(dirs, l, o)
}

// openLinked does the same for a link.
func (a *app) openLinked(dirs client.Dirs, l client.Link, o syncOptions) (*client.Syncer, reportPrinter, error) {
	if err := sameWay(l, o.mode()); err != nil {
		return nil, reportPrinter{}, err
	}
	if err := claude.Recheck(l, a.getenv); err != nil {
		return nil, reportPrinter{}, err
	}
	out := reportPrinter{app: a, link: l, run: o.mode(), bar: a.newProgressBar(), asJSON: o.asJSON, quiet: o.quiet, planned: o.DryRun, lines: newFew(maxLines)}
	s, err := a.syncerOf(dirs, l, client.SyncerOptions{Progress: out.bar.update, Done: out.done})
	return s, out, err
}

// syncerOf prepares to mirror the tree of a link as its member.
func (a *app) syncerOf(dirs client.Dirs, l client.Link, o client.SyncerOptions) (*client.Syncer, error) {
	login, err := dirs.Login(l.Server)
	if err != nil {
		return nil, err
	}
	login.Instance = l.Instance
	server, err := a.serverOf(dirs, login)
	if err != nil {
		return nil, err
	}
	o.Device, o.Member, o.Clock, o.Home = login.Device, login.Name, a.now, a.getenv("HOME")
	o.Scanner, o.RuleSet = lazyScanner(), secrets.RuleSet
	return client.NewSyncer(dirs, l, server, o), nil
}
