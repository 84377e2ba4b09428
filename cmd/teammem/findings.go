package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

type findingsOptions struct {
	folder string
	asJSON bool
	state  string
}

func (o *findingsOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object a line")
}

func (a *app) newFindingsCommand() *cobra.Command {
	var o findingsOptions
	c := &cobra.Command{
		Use:   "findings",
		Short: "List the secrets for which files are not shared",
		Long: `List secrets that were found in what you wanted to share, newest first, and what
became of each: its ID, the state, the rule that found it, and where. No value is
kept or shown. Maintainers see those of everybody. One that is stored was found by
newer rules after it had been shared: teammem findings show ID says who may have read
it, and how to rotate it.
A finding of a hard rule is a secret whatever it is for: take it out of the file, and
rotate it if it was shared anywhere. What a soft rule finds may be none: then ask for
it to be allowed, with teammem allow request ID.
Exit 0: done; 2: wrong usage; 6: not logged in; 8: the server cannot be reached.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.runFindings(c.Context(), o) },
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.state, "state", "", "only those: open, requested, allowed, denied, expired, completed, resolved")
	c.AddCommand(a.newFindingsShowCommand(), a.newFindingsResolveCommand())
	return c
}

func (a *app) runFindings(ctx context.Context, o findingsOptions) error {
	var state memory.FindingState
	if o.state != "" {
		var err error
		if state, err = memory.ParseFindingState(o.state); err != nil {
			return err
		}
	}
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	return eachPage(a, o.asJSON, func(cursor string) ([]memory.Finding, string, error) {
		return server.Findings(ctx, l.Project, state, cursor)
	}, func(f memory.Finding) error { return a.printFinding(l, f, o) })
}

func (a *app) newFindingsResolveCommand() *cobra.Command {
	var o findingsOptions
	c := &cobra.Command{
		Use:   "resolve FINDING",
		Short: "Say that somebody took care of a finding",
		Long: `Say that somebody took care of a finding: the secret was rotated, or is out of the
file. A file that is shared without it says so by itself. The author of a finding
can, and maintainers.
Exit 0: done; 2: wrong usage; 6: not logged in; 8: the server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, server, err := a.linkedServer(o.folder)
			if err != nil {
				return err
			}
			f, err := server.ResolveFinding(c.Context(), l.Project, memory.FindingID(args[0]))
			if err != nil {
				return err
			}
			return a.printFinding(l, f, o)
		},
	}
	o.addFlags(c)
	return c
}

// findingEntry is one finding in --json; what is read is the protocol's.
type findingEntry struct {
	Type string `json:"type"`
	wire.SecretFinding
	Console string `json:"console"`
}

func (a *app) printFinding(l client.Link, f memory.Finding, o findingsOptions) error {
	if o.asJSON {
		return a.printJSON(findingEntry{"finding", wire.NewSecretFinding(f), l.FindingPage(f.ID)})
	}
	where := shown(f.Path.String())
	if f.Path.IsZero() {
		where = "(a name or note)"
	}
	_, err := fmt.Fprintf(a.stdout, "%s  %-9s  %s (%s)  %s, line %d, column %d  %s, %s\n",
		f.ID, f.State, shown(f.Rule), f.Severity, where, f.Line, f.Column, shown(f.Author.Name), minute(f.At))
	if err == nil && f.Excerpt != "" {
		_, err = fmt.Fprintf(a.stdout, "    %s\n", shown(f.Excerpt))
	}
	if err == nil && f.Stored.Rev > 0 {
		_, err = fmt.Fprintf(a.stdout, "    stored as revision %d of %s\n", f.Stored.Rev, shown(string(f.Stored.EntryID)))
	}
	if err == nil && f.Held != "" {
		_, err = fmt.Fprintf(a.stdout, "    kept as %s, which those who decide there can read\n", shown(f.Held))
	}
	if err == nil && f.Withheld != "" {
		_, err = fmt.Fprintf(a.stdout, "    was in the %s, and was taken back there\n", shown(f.Withheld))
	}
	if r := f.Request; err == nil && r != nil {
		_, err = fmt.Fprintf(a.stdout, "    %s\n", describeRequest(r))
	}
	if err == nil && f.State == memory.FindingRequested {
		_, err = fmt.Fprintf(a.stdout, "    another maintainer decides at %s\n", shown(l.FindingPage(f.ID)))
	}
	return err
}

func describeRequest(r *memory.AllowRequest) string {
	text := fmt.Sprintf("asked %s: %s for %s", minute(r.At), r.Reason, shown(r.Glob))
	if r.Note != "" {
		text += ", " + shown(r.Note)
	}
	switch d := r.Decision; {
	case d == nil:
		text += "; to be decided before " + minute(r.ExpiresAt)
	case r.Rule != nil:
		text += fmt.Sprintf("; %s allowed it until %s by %s", shown(d.By.Name), minute(r.Rule.ExpiresAt), r.Rule.ID)
	default:
		text += "; " + shown(d.By.Name) + " said no"
	}
	if d := r.Decision; d != nil && d.Note != "" {
		text += ": " + shown(d.Note)
	}
	return text
}
