package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

type restoreTextOptions struct {
	folder, as string
	held       bool
}

func (a *app) newRestoreTextCommand() *cobra.Command {
	var o restoreTextOptions
	c := &cobra.Command{
		Use:   "restore FILE|ID | --held",
		Short: "Put a text from the trash back into team/",
		Long: `Put a text from the trash back into team/ of a linked folder, as an edit of yours:
the next sync shares it. Name it by what "teammem trash" says: its ID or the
beginning of that, the file, or the entry if there is one text of it. No text is
ever replaced: if the name is taken by now, choose another with --as.
With --held the files come back whose deletes "teammem sync" holds: a sync brings
them from the server, and ends as one does.
Exit 0: it is in team/; 1: a file cannot be read or written; 2: no such text, or
the name is taken; 4: the tree is not the one that was linked; 5: another teammem
process is at work; 6: not logged in; 7: the name is refused.`,
		Example:           "  teammem restore 1a2b3c4d\n  teammem restore notes/db.md --as notes/db-before.md",
		Args:              restoreArgs(&o),
		ValidArgsFunction: a.completeKept(client.Dirs.Trash),
		RunE: func(c *cobra.Command, args []string) error {
			if o.held {
				return a.runRestoreHeld(c.Context(), o.folder)
			}
			return a.runRestoreText(c.Context(), args[0], o)
		},
	}
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder")
	c.Flags().BoolVar(&o.held, "held", false, "bring back the files whose deletes are held, instead of a text")
	c.Flags().StringVar(&o.as, "as", "", "path below team/, instead of the one it had")
	return c
}

// restoreArgs asks for a text, or for none with --held.
func restoreArgs(o *restoreTextOptions) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if o.held {
			return cobra.NoArgs(c, args)
		}
		return cobra.ExactArgs(1)(c, args)
	}
}

func (a *app) runRestoreText(ctx context.Context, name string, o restoreTextOptions) error {
	k, err := a.chooseKept(o.folder, name, client.Dirs.Trash)
	if err != nil {
		return err
	}
	p := k.Path
	if o.as != "" {
		if p, err = memory.ParsePath(o.as); err != nil {
			return err
		}
	}
	s, _, err := a.openLink(o.folder, syncOptions{quiet: true})
	if err != nil {
		return err
	}
	restored, err := s.Restore(ctx, k, p)
	if err != nil {
		return err
	}
	if !restored {
		_, err = fmt.Fprintf(a.stdout, "%s has this text already\n", shown(p.String()))
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "restored %s; teammem sync shares it\n", shown(p.String()))
	return err
}
