package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/teammem/teammem/memory"
)

func (a *app) newShowCommand() *cobra.Command {
	var o fileOptions
	c := &cobra.Command{
		Use:   "show FILE[@REV]",
		Short: "Print a text as the server has it, or had it",
		Long: `Print the text of an entry at a revision that "teammem log" names, or the one that
the last sync saw. ` + fileHelp + `
It is printed as it is, but for what would do something to a terminal.
Exit 0: it is on stdout; 2: no such entry or revision, or one without a text;
6: not logged in; 8: the server cannot be reached.`,
		Example:           "  teammem show testing/db.md\n  teammem show testing/db.md@41 >before.md",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeFiles,
		RunE:              func(c *cobra.Command, args []string) error { return a.runShow(c.Context(), args[0], o) },
	}
	o.addFlags(c)
	return c
}

// shownLine is one text in --json.
type shownLine struct {
	logLine
	Content string `json:"content"`
}

func (a *app) runShow(ctx context.Context, name string, o fileOptions) error {
	n, rev, err := a.findRevision(o.folder, name)
	if err != nil {
		return err
	}
	server, err := a.serverFor(n)
	if err != nil {
		return err
	}
	r, err := server.Revision(ctx, n.link.Project, n.entry.EntryID, rev)
	switch {
	case err != nil:
		return err
	case r.Action == memory.ActionDelete:
		return memory.Invalid("rev", fmt.Sprintf("revision %d deleted the entry, so it has no text", rev))
	case o.asJSON:
		return a.printJSON(shownLine{newLogLine(r), string(r.Content)})
	}
	text := string(r.Content)
	if a.onTerminal() {
		text = visible(text)
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}

// findRevision says which entry and revision are meant. A name may end like a
// revision.
func (a *app) findRevision(folder, name string) (named, int64, error) {
	n, err := a.findFile(folder, name)
	if err == nil && n.entry.EntryID != "" {
		return n, n.entry.Rev, nil
	}
	file, rev := cutRev(name)
	if rev > 0 {
		n, err = a.findFile(folder, file)
	}
	if err == nil {
		err = n.served()
	}
	return n, rev, err
}

// onTerminal reports whether a person sees what is printed.
func (a *app) onTerminal() bool {
	f, ok := a.stdout.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
