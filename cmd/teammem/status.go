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
what would be sent and received, what waits for a reviewer, what is refused and
why, which of your texts the server took back for a secret, which conflicts are
open, how full the index is, and what could be better. Nothing is changed.

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
	o.DryRun, o.quiet = true, true // the heading comes first
	s, out, err := a.openLink(folder, o)
	if err != nil {
		return errors.Join(err, a.notBegun(ctx, err, o))
	}
	st, err := s.Status(ctx, o.Verify)
	err = errors.Join(err, st.Offline)
	st.Notices = append(st.Notices, a.placeNotices(out.link, folder)...)
	code := codeOfRun(ctx, &st.Report, err, false)
	out.heading(st)
	out.scope(&st.Report)
	if err := a.live(ctx, out.link).print(out); err != nil {
		return err
	}
	if err := errors.Join(out.leaks(st), out.hints(st)); err != nil {
		return err
	}
	out.quiet = false
	if !o.asJSON {
		for _, d := range st.Done {
			out.done(d)
		}
	}
	return errors.Join(out.print(&st.Report, code), finalError(err, code))
}
