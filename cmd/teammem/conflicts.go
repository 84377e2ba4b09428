package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

func (a *app) newConflictsCommand() *cobra.Command {
	c := a.newConflictsListCommand("conflicts [DIR]")
	c.Short = "List, show and resolve texts that could not be merged"
	c.AddCommand(a.newConflictsListCommand("list [DIR]"), a.newConflictsShowCommand(), a.newConflictsResolveCommand())
	return c
}

func (a *app) newConflictsListCommand(use string) *cobra.Command {
	var o keptOptions
	c := &cobra.Command{
		Use:   use,
		Short: "List the open conflicts",
		Long: `List the open conflicts of a linked folder (default: the current one): an ID, when
and on which device your text was kept, the entry, and the file that it is kept
in. The server's text is in the tree; yours waits until you have decided. A sync
brings yours to the server, too, where it is published to nobody: you and the
project's reviewers can resolve it in the console, and what is resolved anywhere
is resolved everywhere. A text that may not leave this computer stays here.
Exit 0: there are none; 2: the folder is not linked; 3: they are on stdout.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			n, err := a.printKept(conflictKind, folderArg(args), o, client.Dirs.Conflicts)
			if err == nil && n > 0 {
				return outcome(exitConflicts)
			}
			return err
		},
	}
	o.addFlags(c)
	return c
}

// sideOptions choose one text of a conflict.
type sideOptions struct{ base, ours, theirs bool }

func (a *app) newConflictsShowCommand() *cobra.Command {
	var folder string
	var only sideOptions
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show the texts of a conflict, and how they differ",
		Long: `Show how the server's text, which is in the tree, and yours differ from each other,
and how both differ from what they started from. ID is what the list says, the
beginning of it, or the path of an entry with one conflict. --base, --ours and
--theirs print one whole text instead, as it is.
Exit 0: done; 1: a file cannot be read; 2: no such conflict, or no such text;
4: the tree is not the one that was linked; 5: another teammem process is at
work; 6: not logged in.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeKept(client.Dirs.Conflicts),
		RunE: func(c *cobra.Command, args []string) error {
			if trues(only.base, only.ours, only.theirs) > 1 {
				return usageError{errors.New("--base, --ours and --theirs are one text each; choose one"), c.CommandPath()}
			}
			return a.runConflictsShow(c.Context(), folder, args[0], only)
		},
	}
	c.Flags().StringVar(&folder, "folder", ".", "the linked folder")
	c.Flags().BoolVar(&only.base, "base", false, "print what both started from")
	c.Flags().BoolVar(&only.ours, "ours", false, "print your text")
	c.Flags().BoolVar(&only.theirs, "theirs", false, "print the server's text")
	return c
}

func (a *app) runConflictsShow(ctx context.Context, folder, id string, only sideOptions) error {
	k, err := a.chooseKept(folder, id, client.Dirs.Conflicts)
	if err != nil {
		return err
	}
	s, _, err := a.openLink(folder, syncOptions{quiet: true})
	if err != nil {
		return err
	}
	sides, err := s.Sides(ctx, k)
	if err != nil {
		return err
	}
	switch {
	case only.base:
		return a.printText("what both started from", sides.Base)
	case only.ours:
		return a.printText("your text", sides.Ours)
	case only.theirs:
		return a.printText("a text in the tree", sides.Theirs)
	}
	_, err = io.WriteString(a.stdout, describeConflict(k, sides))
	return err
}

func (a *app) printText(what string, text []byte) error {
	if text == nil {
		return usageError{errors.New("this conflict has not kept " + what), "teammem conflicts show"}
	}
	_, err := a.stdout.Write(text)
	return err
}

// trues counts flags that are set.
func trues(flags ...bool) int {
	n := 0
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

// describeConflict is for a person: what could move the cursor is not printed.
func describeConflict(k client.Conflict, s client.Sides) string {
	var b strings.Builder
	fmt.Fprintf(&b, "conflict  %s\npath      %s\nkept      %s by dev_%s\nfile      %s\n", k.ID, shown(s.Path.String()), minute(k.At), k.Device, shown(k.File))
	if s.Theirs == nil {
		b.WriteString("theirs    the tree has no such file now\n")
	}
	if s.Base == nil {
		b.WriteString("base      not known\n")
	}
	diff := func(heading, from string, a []byte, to string, b2 []byte) {
		fmt.Fprintf(&b, "\n%s\n%s", heading, visible(udiff.Unified(from, to, string(a), string(b2))))
	}
	diff("From the server's text to yours:", "theirs", s.Theirs, "ours", s.Ours)
	if s.Base != nil {
		diff("What you had changed:", "base", s.Base, "ours", s.Ours)
		diff("What is different on the server:", "base", s.Base, "theirs", s.Theirs)
	}
	return b.String()
}
