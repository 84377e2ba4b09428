package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

func (a *app) newAllowCommand() *cobra.Command {
	c := a.newAllowListCommand("allow")
	c.Short = "Ask for a finding that is no secret to be allowed, and end exceptions"
	c.AddCommand(a.newAllowListCommand("list"), a.newAllowRequestCommand(), a.newAllowCancelCommand(), a.newAllowRevokeCommand())
	return c
}

func (a *app) newAllowListCommand(use string) *cobra.Command {
	var o findingsOptions
	c := &cobra.Command{
		Use:   use,
		Short: "List what is allowed",
		Long: `List the exceptions of the project that are in force: an ID, the rule and the paths
that each is about, why, who asked and who approved, and when it ends.
Exit 0: done; 2: wrong usage; 6: not logged in; 8: the server cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runAllowList(c.Context(), o) },
	}
	o.addFlags(c)
	return c
}

// allowLine is one exception in --json; what is read is the protocol's.
type allowLine struct {
	Type string `json:"type"`
	wire.AllowRule
}

func (a *app) runAllowList(ctx context.Context, o findingsOptions) error {
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	rules, err := server.AllowRules(ctx, l.Project)
	if err != nil {
		return err
	}
	named := newFew(maxListed)
	for _, r := range rules {
		if o.asJSON {
			err = a.printJSON(allowLine{"allow_rule", wire.NewAllowRule(r)})
		} else if named.take("") {
			_, err = fmt.Fprintf(a.stdout, "%s  %s in %s: %s  asked by %s, approved by %s, until %s\n",
				r.ID, shown(r.Rule), shown(r.Glob), r.Reason, shown(r.Author.Name), shown(r.By.Name), minute(r.ExpiresAt))
		}
		if err != nil {
			return err
		}
	}
	return a.rest(named)
}

func (a *app) newAllowRequestCommand() *cobra.Command {
	w, o := wire.AllowAction{Action: "request"}, findingsOptions{}
	c := &cobra.Command{
		Use:   "request FINDING",
		Short: "Ask a maintainer to allow a finding of yours",
		Long: `Ask for an exception: the very value that was found may be shared in the file. It
has to be none that opens anything: a false positive, a value for tests, or an
identifier that is public. Another member decides, who is a maintainer, in person: in
the console, at the address that is printed, and with no token or login of a program.
After seven days without a decision the request expires. Once it is allowed the next
sync shares the file. What a hard rule finds can be allowed by nobody.
--paths takes a glob for more than the one file: * stands for what has no / in it, a
segment ** for any folders.
Exit 0: asked; 2: wrong usage, or nobody can allow it; 6: not logged in; 8: the
server cannot be reached.`,
		Example: "  teammem allow request fnd_… --reason test-value --note \"of the tutorial\"",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.runAllow(c.Context(), args[0], w, o) },
	}
	o.addFlags(c)
	c.Flags().StringVar(&w.Reason, "reason", "", "false-positive, test-value or public-identifier")
	c.Flags().StringVar(&w.Note, "note", "", "what a maintainer should know")
	c.Flags().StringVar(&w.Paths, "paths", "", "glob of the files (default the finding's)")
	_ = c.MarkFlagRequired("reason")
	return c
}

func (a *app) newAllowCancelCommand() *cobra.Command {
	w, o := wire.AllowAction{Action: "cancel"}, findingsOptions{}
	c := &cobra.Command{
		Use:   "cancel FINDING",
		Short: "Take back what you asked for",
		Long: `Take a request back that nobody has decided about.
Exit 0: done; 2: wrong usage, or it was decided; 6: not logged in; 8: the server
cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runAllow(c.Context(), args[0], w, o) },
	}
	o.addFlags(c)
	return c
}

func (a *app) runAllow(ctx context.Context, finding string, w wire.AllowAction, o findingsOptions) error {
	if err := w.Check(); err != nil {
		return err
	}
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	f, err := server.Allow(ctx, l.Project, memory.FindingID(finding), w)
	if err != nil {
		return err
	}
	return a.printFinding(l, f, o)
}

func (a *app) newAllowRevokeCommand() *cobra.Command {
	var folder string
	c := &cobra.Command{
		Use:   "revoke RULE",
		Short: "End an exception",
		Long: `End an exception, by the ID that teammem allow list shows. What was shared by it
stays for now; when the server gets new rules it scans everything again, and takes
back a text whose exception has ended. Only maintainers can.
Exit 0: done; 2: wrong usage, or there is none; 6: not logged in, or you are no
maintainer; 8: the server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, server, err := a.linkedServer(folder)
			if err != nil {
				return err
			}
			return server.RevokeAllow(c.Context(), l.Project, memory.AllowID(args[0]))
		},
	}
	c.Flags().StringVar(&folder, "folder", ".", "the linked folder")
	return c
}
