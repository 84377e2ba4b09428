package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client/adopt"
)

func (a *app) newShareCommand() *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "share FILE...",
		Short: "Share single private notes; the originals stay where they are",
		Long: `Copy single notes, such as those of your private memory beside team/, into team/
and share them. It is an import of these files: they are shown first, pass the
same checks, and "teammem import --undo" takes them back.

` + importHelp,
		Example: "  teammem share ~/.claude/projects/-src-app/memory/deploy.md\n  teammem share notes.md --as testing/database.md",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.As != "" && (len(args) > 1 || o.To != "") {
				return usageError{errors.New("--as names the one file that is shared, with its folder"), c.CommandPath()}
			}
			return a.runShare(c.Context(), args, o)
		},
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.As, "as", "", "path below team/, instead of the file's name")
	return c
}

func (a *app) runShare(ctx context.Context, files []string, o importOptions) error {
	source, err := adopt.FileSource(files)
	if err != nil {
		return err
	}
	im, out, err := a.openImport(o)
	if err != nil {
		return err
	}
	return a.adopt(ctx, im, out, source, o)
}
