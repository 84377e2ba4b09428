package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

func (a *app) newBlameCommand() *cobra.Command {
	var o fileOptions
	c := &cobra.Command{
		Use:   "blame FILE",
		Short: "Show who wrote each line",
		Long: `Show the newest text that the server has of an entry with the revision, author and
day that each line comes from. ` + fileHelp + `
Exit 0: it is on stdout; 2: no such entry; 6: not logged in; 8: the server cannot
be reached.`,
		Example:           "  teammem blame testing/db.md",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeFiles,
		RunE:              func(c *cobra.Command, args []string) error { return a.runBlame(c.Context(), args[0], o) },
	}
	o.addFlags(c)
	return c
}

// blameLine is one line of a text in --json.
type blameLine struct {
	Type   string    `json:"type"`
	Line   int       `json:"line"`
	Rev    int64     `json:"rev"`
	Author string    `json:"author"`
	At     time.Time `json:"at"`
	Text   string    `json:"text"`
}

// authorWidth is how much of an author's name stands before a line.
const authorWidth = 16

func (a *app) runBlame(ctx context.Context, name string, o fileOptions) error {
	n, server, err := a.findServed(o.folder, name)
	if err != nil {
		return err
	}
	lines, revisions, err := server.Blame(ctx, n.link.Project, n.entry.EntryID)
	if err != nil {
		return err
	}
	for i, line := range lines {
		r := revisions[line.Rev]
		if o.asJSON {
			err = a.printJSON(blameLine{"line", i + 1, line.Rev, r.Author.Name, r.At.UTC(), line.Text})
		} else {
			_, err = fmt.Fprintf(a.stdout, "%6d  %s  %-*s %4d  %s\n",
				line.Rev, day(r.At), authorWidth, memory.Inert(r.Author.Name, authorWidth), i+1, visible(line.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
