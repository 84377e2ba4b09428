package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func (a *app) newStatusCommand() *cobra.Command {
	var o syncOptions
	c := &cobra.Command{
		Use:   "status [DIR]",
		Short: "Show how a linked folder stands; changes nothing",
		Long: `Show how the team memory of a linked folder (default: the current one) stands:
what would be sent and received, what is refused and why, and which conflicts
are open. Nothing is changed.

` + exitHelp,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runStatus(c.Context(), folderArg(args), o) },
	}
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON lines")
	c.Flags().BoolVar(&o.Verify, "verify", false, "read every file, whatever its time stamp says")
	c.Flags().BoolVar(&o.DryRun, "dry-run", true, "status never changes anything")
	c.Flags().Lookup("dry-run").Hidden = true
	return c
}

func (a *app) runStatus(ctx context.Context, folder string, o syncOptions) error {
	s, l, err := a.openLink(folder)
	if err != nil {
		return err
	}
	st, err := s.Status(ctx, o.Verify)
	s.bar.finish()
	code := codeOfRun(ctx, &st.Report, errors.Join(err, st.Offline), false)
	out := reportPrinter{app: a, link: l}
	if o.asJSON {
		return errors.Join(out.json(&st.Report, code), finalError(errors.Join(err, st.Offline), code))
	}
	return errors.Join(out.status(st), finalError(errors.Join(err, st.Offline), code))
}
