package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

type forgetOptions struct {
	fileOptions

	reason string
	yes    bool
}

func (a *app) newForgetCommand() *cobra.Command {
	var o forgetOptions
	c := &cobra.Command{
		Use:   "forget FILE",
		Short: "Remove all that the server has of a text, for good",
		Long: `Remove an entry with all its versions from the server: a secret, or what was never
meant for the team. Team-mates' files of it go with their next sync, from their
trash and conflicts, too. Your own file stays: it has to be left out of the
mirror first, by a line in team/.teammemignore. ` + fileHelp + `
You can forget what you alone have written, unless changes of the project wait
for review, and not with an API token that was kept (login --keep-token); the rest
a maintainer purges. It cannot be undone. Backups that were made before still have the
text, and a secret that was shared has to be replaced all the same.
Exit 0: it is gone; 2: no such entry, or its file is not left out; 4: the tree
is not the one that was linked; 5: another teammem process is at work; 6: not
logged in, or it is not yours to forget; 8: the server cannot be reached.`,
		Example:           "  echo notes/leak.md >>team/.teammemignore\n  teammem forget notes/leak.md --yes",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeFiles,
		RunE:              func(c *cobra.Command, args []string) error { return a.runForget(c.Context(), args[0], o) },
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.reason, "reason", "forgotten", "why, for the history")
	c.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return c
}

// forgottenLine is what went, in --json.
type forgottenLine struct {
	Type      string   `json:"type"`
	Path      string   `json:"path"`
	Revisions int      `json:"revisions"`
	SHA256s   []string `json:"sha256s"`
	Elsewhere int      `json:"elsewhere"` // entries that have one of the texts, too
}

func (a *app) runForget(ctx context.Context, name string, o forgetOptions) error {
	n, server, err := a.findServed(o.folder, name)
	if err != nil {
		return err
	}
	s, err := a.syncerOf(n.dirs, n.link, client.SyncerOptions{})
	if err != nil {
		return err
	}
	out, err := s.LeavesOut(ctx, n.path)
	if err != nil {
		return err
	}
	if !out {
		return &memory.Error{
			Code: memory.CodeInvalid, Message: fmt.Sprintf("the file of %s would go, too", shown(n.path.String())),
			Hint: fmt.Sprintf("put a line %s into team/.teammemignore first, and it stays", shown(n.path.String())),
		}
	}
	switch {
	case o.yes:
	case !a.interactive():
		return usageError{errors.New("this cannot be undone; say --yes"), "teammem forget"}
	case !a.ask(fmt.Sprintf("remove %s with all its versions from the server, for good?", shown(n.path.String()))):
		return outcome(exitUsage)
	}
	purged, err := server.Purge(ctx, n.link.Project, memory.Purge{EntryID: n.entry.EntryID, Reason: o.reason})
	if err != nil {
		return err
	}
	if err := s.Wipe(ctx, purged.Sums); err != nil {
		return err
	}
	return a.printForgotten(n, purged, o)
}

func (a *app) printForgotten(n named, p memory.Purged, o forgetOptions) error {
	if o.asJSON {
		line := forgottenLine{Type: "forgotten", Path: n.path.String(), Revisions: p.Revisions, SHA256s: []string{}, Elsewhere: len(p.Elsewhere)}
		for _, sum := range p.Sums {
			line.SHA256s = append(line.SHA256s, sum.String())
		}
		return a.printJSON(line)
	}
	fmt.Fprintf(a.stdout, "forgotten  %s, %s\n", shown(n.path.String()), plural(p.Revisions, "version", "versions"))
	if k := len(p.Elsewhere); k > 0 {
		fmt.Fprintf(a.stderr, "teammem: %s the same text, and %s it\n", plural(k, "other entry has", "other entries have"), map[bool]string{true: "keeps", false: "keep"}[k == 1])
	}
	return nil
}
