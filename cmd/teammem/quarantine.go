package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/memory"
)

func (a *app) newQuarantineCommand() *cobra.Command {
	c := a.newQuarantineListCommand("quarantine")
	c.Short = "Take changes back from everybody, and release them again"
	c.AddCommand(a.newQuarantineListCommand("list"), a.newQuarantineAddCommand(), a.newQuarantineReleaseCommand())
	return c
}

type quarantineOptions struct {
	folder string
	asJSON bool
}

func (o *quarantineOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object a line")
}

// quarantineLine is one quarantine in --json; what is read is the protocol's.
type quarantineLine struct {
	Type      string    `json:"type"`
	ID        string    `json:"id,omitempty"`
	At        time.Time `json:"at"`
	By        string    `json:"by"`
	Reason    string    `json:"reason"`
	Withdrawn int       `json:"withdrawn"`
	Released  int       `json:"released"`
	Kept      int       `json:"kept"`
	Proposals int       `json:"proposals"`
}

// quarantinedLine is one entry of it.
type quarantinedLine struct {
	Type     string `json:"type"`
	Path     string `json:"path"`
	Back     int64  `json:"back_rev,omitempty"`
	Released int64  `json:"released_rev,omitempty"`
	Stuck    string `json:"stuck,omitempty"`
}

func (a *app) newQuarantineListCommand(use string) *cobra.Command {
	var o quarantineOptions
	c := &cobra.Command{
		Use:   use,
		Short: "List what was taken back",
		Long: `List what maintainers took back in the project, newest first: an ID, when, by whom,
how many entries that were, and how many of those are released.
Exit 0: done; 2: the folder is not linked; 6: not logged in, or you are no
maintainer; 8: the server cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runQuarantineList(c.Context(), o) },
	}
	o.addFlags(c)
	return c
}

func (a *app) runQuarantineList(ctx context.Context, o quarantineOptions) error {
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	return eachPage(a, o.asJSON, func(cursor string) ([]memory.Quarantine, string, error) {
		return server.Quarantines(ctx, l.Project, cursor)
	}, func(q memory.Quarantine) error { return a.printQuarantine(q, o) })
}

type withdrawOptions struct {
	quarantineOptions

	member, device, token, session, since, reason string
	dryRun                                        bool
}

func (a *app) newQuarantineAddCommand() *cobra.Command {
	var o withdrawOptions
	c := &cobra.Command{
		Use:   "add [FILE...]",
		Short: "Take changes back from every member's tree",
		Long: `Take back what a member, device, API token or agent's session has written, or all of
some files: each entry returns to its last version that is not suspect, or goes
where there is none. Every member's tree follows at once, without a question;
what they changed in it is kept on their computers. An entry that somebody else
has changed since stays, and is counted. Only maintainers can; nothing is lost,
and teammem quarantine release ID brings it back byte for byte.
--since takes a time (RFC 3339) or how long ago (such as 2h).
Exit 0: done; 2: wrong usage; 6: not logged in, or you are no maintainer; 8: the
server cannot be reached; 10: with --dry-run, something would be taken back.`,
		Example:           "  teammem quarantine add --member mem_… --since 2h --dry-run\n  teammem quarantine add notes/bad.md --reason \"made up\"",
		ValidArgsFunction: a.completeFiles,
		RunE:              func(c *cobra.Command, args []string) error { return a.runQuarantineAdd(c.Context(), args, o) },
	}
	o.addFlags(c)
	f := c.Flags()
	f.StringVar(&o.member, "member", "", "all of a member's changes (mem_…)")
	f.StringVar(&o.device, "device", "", "all changes from a device (dev_…)")
	f.StringVar(&o.token, "token", "", "all changes by an API token (tok_…)")
	f.StringVar(&o.session, "agent-session", "", "all changes of an agent's session")
	f.StringVar(&o.since, "since", "", "only changes since then")
	f.StringVar(&o.reason, "reason", "", "why, for the history")
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would be taken back")
	return c
}

func (a *app) runQuarantineAdd(ctx context.Context, files []string, o withdrawOptions) error {
	w := memory.Withdrawal{Reason: o.reason, DryRun: o.dryRun, Suspects: memory.Suspects{
		Member: memory.MemberID(o.member), Device: memory.DeviceID(o.device), Token: memory.TokenID(o.token), Session: o.session,
	}}
	var err error
	if w.Since, err = a.sinceWhen(o.since); err != nil {
		return err
	}
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	for _, name := range files {
		n, err := a.findFile(o.folder, name)
		if err == nil {
			err = n.served()
		}
		if err != nil {
			return err
		}
		if n.link.Project != l.Project {
			return memory.Invalid("file", shown(name)+" is of another project")
		}
		w.Entries = append(w.Entries, n.entry.EntryID)
	}
	q, err := server.Quarantine(ctx, l.Project, w)
	if err != nil {
		return err
	}
	if err := a.printEntries(q, o.quarantineOptions); err != nil {
		return err
	}
	if o.dryRun && q.Withdrawn+q.Proposals > 0 {
		return outcome(exitPending)
	}
	return nil
}

// sinceWhen reads a time, or how long ago it is.
func (a *app) sinceWhen(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(s); err == nil && ago > 0 {
		return a.now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, usageError{errors.New("--since is a time, such as 2026-03-04T05:06:07Z, or how long ago, such as 2h"), "teammem quarantine add"}
	}
	return at, nil
}

type releaseOptions struct {
	quarantineOptions

	reason string
}

func (a *app) newQuarantineReleaseCommand() *cobra.Command {
	var o releaseOptions
	c := &cobra.Command{
		Use:   "release ID",
		Short: "Bring back what was taken back, byte for byte",
		Long: `Make what a quarantine took back the newest again. What somebody has changed since
stays as it is, and so does what has lost its name to another entry, or its text
to a purge: they are listed with the reason, and can be released later. What you
wrote yourself and somebody else took back (own), another maintainer releases.
Exit 0: all of it is released; 1: some of it is not; 2: no such quarantine; 6:
not logged in, or you are no maintainer; 8: the server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runQuarantineRelease(c.Context(), args[0], o) },
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.reason, "reason", "", "why, for the history")
	return c
}

func (a *app) runQuarantineRelease(ctx context.Context, id string, o releaseOptions) error {
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	q, err := server.Release(ctx, l.Project, memory.QuarantineID(id), o.reason)
	if err != nil {
		return err
	}
	if err := a.printEntries(q, o.quarantineOptions); err != nil {
		return err
	}
	if q.Released < q.Withdrawn {
		return outcome(exitRetry)
	}
	return nil
}

// linkedServer connects with the server of a linked folder.
func (a *app) linkedServer(folder string) (client.Link, *client.Server, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return client.Link{}, nil, err
	}
	l, err := claude.LinkOf(dirs, folder, a.getenv)
	if err != nil {
		return client.Link{}, nil, err
	}
	server, err := a.serverFor(named{dirs: dirs, link: l})
	return l, server, err
}

// printEntries prints a quarantine with its entries.
func (a *app) printEntries(q memory.Quarantine, o quarantineOptions) error {
	named := newFew(maxListed)
	for _, e := range q.Entries {
		if o.asJSON {
			if err := a.printJSON(quarantinedLine{"quarantined", e.Path.String(), e.Back, e.Released, string(e.Stuck)}); err != nil {
				return err
			}
			continue
		}
		if became := becameOf(e); named.take(became) {
			fmt.Fprintf(a.stdout, "%-9s  %s\n", became, shown(e.Path.String()))
		}
	}
	if err := a.rest(named); err != nil {
		return err
	}
	return a.printQuarantine(q, o)
}

func becameOf(e memory.Quarantined) string {
	switch {
	case e.Stuck != "":
		return string(e.Stuck)
	case e.Released > 0:
		return "released"
	case e.Back > 0:
		return "returned"
	}
	return "gone"
}

func (a *app) printQuarantine(q memory.Quarantine, o quarantineOptions) error {
	if o.asJSON {
		return a.printJSON(quarantineLine{
			"quarantine", string(q.ID), q.At, q.By.Name, q.Reason, q.Withdrawn, q.Released, q.Kept, q.Proposals,
		})
	}
	id := string(q.ID)
	if id == "" {
		id = "-"
	}
	_, err := fmt.Fprintf(a.stdout, "%s  %s  %s  %d taken back, %d released, %d changed by others since, %s closed  %s\n",
		id, minute(q.At), shown(q.By.Name), q.Withdrawn, q.Released, q.Kept, plural(q.Proposals, "proposal", "proposals"), shown(q.Reason))
	return err
}
