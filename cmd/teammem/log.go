package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

type logOptions struct {
	fileOptions
	most int
}

func (a *app) newLogCommand() *cobra.Command {
	var o logOptions
	c := &cobra.Command{
		Use:   "log [FILE]",
		Short: "Show who wrote what, newest first",
		Long: `Show the versions of an entry, newest first: revision, when, author, device, what
was done, and under which name. ` + fileHelp + `
Without it the newest version of each entry is shown, as the last sync saw it;
the server is not asked then.
Exit 0: done; 2: no such entry; 6: not logged in; 8: the server cannot be reached.`,
		Example:           "  teammem log --limit 20\n  teammem log testing/db.md",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(c *cobra.Command, args []string) error {
			if o.most < 0 {
				return usageError{fmt.Errorf("--limit is a number of versions, or 0 for all"), c.CommandPath()}
			}
			if len(args) == 0 {
				return a.runLogOfAll(o)
			}
			return a.runLog(c.Context(), args[0], o)
		},
	}
	o.addFlags(c)
	c.Flags().IntVar(&o.most, "limit", 50, "show so many versions, 0 for all")
	return c
}

// logLine is one version in --json.
type logLine struct {
	Type   string     `json:"type"`
	Path   string     `json:"path"`
	Rev    int64      `json:"rev"`
	Op     string     `json:"op,omitzero"`
	Author string     `json:"author,omitzero"`
	Device string     `json:"device,omitzero"`
	Agent  string     `json:"agent,omitzero"`
	Note   string     `json:"note,omitzero"`
	At     time.Time  `json:"at,omitzero"`
	Risks  []riskLine `json:"risks,omitzero"`
}

func newLogLine(r memory.Revision) logLine {
	return logLine{
		"revision", r.Path.String(), r.Rev, string(r.Action), r.Author.Name, string(r.Device), r.Agent.Name, r.Note, r.At.UTC(), riskLines(r.Risks),
	}
}

func (a *app) runLog(ctx context.Context, name string, o logOptions) error {
	n, server, err := a.findServed(o.folder, name)
	if err != nil {
		return err
	}
	all, err := server.History(ctx, n.link.Project, n.entry.EntryID, o.most)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := a.printLog(newLogLine(r), o.asJSON); err != nil {
			return err
		}
	}
	return nil
}

// runLogOfAll goes by the index alone.
func (a *app) runLogOfAll(o logOptions) error {
	dirs, links, err := a.linksOf(o.folder, false)
	if err != nil {
		return err
	}
	known, err := dirs.Known(links[0])
	if err != nil {
		return err
	}
	slices.SortStableFunc(known.Entries, func(a, b client.KnownEntry) int { return cmp.Compare(b.Rev, a.Rev) })
	for i, e := range known.Entries {
		if o.most > 0 && i == o.most {
			break
		}
		line := logLine{Type: "revision", Path: e.Path.String(), Rev: e.Rev, Author: e.Author, At: e.At.UTC()}
		if err := a.printLog(line, o.asJSON); err != nil {
			return err
		}
	}
	return nil
}

// printLog prints one version on a line. All of it but the numbers is foreign.
func (a *app) printLog(l logLine, asJSON bool) error {
	if asJSON {
		return a.printJSON(l)
	}
	author := memory.Inert(l.Author, longestName)
	if l.Agent != "" {
		author += " with " + memory.Inert(l.Agent, longestName)
	}
	if l.Device != "" {
		author += " on " + shown(l.Device)
	}
	what := shown(l.Path)
	if l.Op != "" {
		what = l.Op + " " + what
	}
	if l.Note != "" {
		what += ": " + memory.Inert(l.Note, longestNote)
	}
	when := "                    "
	if !l.At.IsZero() {
		when = minute(l.At)
	}
	_, err := fmt.Fprintf(a.stdout, "%6d  %s  %s  %s\n", l.Rev, when, author, what)
	return err
}
