package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

func (a *app) newFindingsShowCommand() *cobra.Command {
	var o findingsOptions
	c := &cobra.Command{
		Use:   "show FINDING",
		Short: "Show a finding, who may have got it, and what to do",
		Long: `Show all that is known of one finding. If the text had been shared before new rules
found the secret in it, that is also which computers may have got it, and how to
rotate it. The address is that of the finding's page in the console.
Exit 0: done; 2: wrong usage, or there is none that you may see; 6: not logged in;
8: the server cannot be reached.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runFindingsShow(c.Context(), memory.FindingID(args[0]), o)
		},
	}
	o.addFlags(c)
	return c
}

func (a *app) runFindingsShow(ctx context.Context, id memory.FindingID, o findingsOptions) error {
	l, server, err := a.linkedServer(o.folder)
	if err != nil {
		return err
	}
	v, rotation, err := server.FindingView(ctx, l.Project, id)
	if err != nil {
		return err
	}
	if o.asJSON {
		w := wire.NewFindingView(v)
		w.Rotation = &wire.Rotation{Provider: rotation.Provider, Where: rotation.Where, Steps: rotation.Steps}
		return a.printJSON(findingEntry{"finding", w, l.FindingPage(v.ID)})
	}
	if err := a.printFinding(l, v.Finding, o); err != nil {
		return err
	}
	text := ""
	switch {
	case v.Stored.Rev > 0:
		text = describeReceivers(v.Receivers, v.Restored)
	case v.Withheld != "":
		text = "  everybody in the project could read it\n"
	case !v.Kept():
		text = "  never stored: it was refused\n"
	}
	if v.Kept() || v.Hard() {
		text += describeRotation(rotation)
	}
	if v.State != memory.FindingRequested { // its page is named already
		text += "  " + shown(l.FindingPage(v.ID)) + "\n"
	}
	_, err = io.WriteString(a.stdout, text)
	return err
}
