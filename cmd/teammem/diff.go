package main

import (
	"context"
	"fmt"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

type fileOptions struct {
	folder string
	asJSON bool
}

func (o *fileOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON lines")
}

// fileHelp says how the commands that are about one file are told which.
const fileHelp = `FILE is where the file is, or its path below team/.`

func (a *app) newDiffCommand() *cobra.Command {
	var o fileOptions
	c := &cobra.Command{
		Use:   "diff [FILE]",
		Short: "Show what a sync would change, line by line",
		Long: `Show what a sync would change in the team memory of a linked folder: what it would
send, from the server's text to yours, and what it would receive, from yours to
the server's. With FILE that file is compared whatever a sync would do about it.
` + fileHelp + ` Nothing is changed.
Exit 0: there is no difference; 2: no such file; 10: there is; otherwise as
teammem status.`,
		Example:           "  teammem diff\n  teammem diff team/testing/db.md",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeFiles,
		RunE: func(c *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.runDiff(c.Context(), name, o)
		},
	}
	o.addFlags(c)
	return c
}

func (a *app) runDiff(ctx context.Context, name string, o fileOptions) error {
	s, only, err := a.openFile(name, o.folder)
	if err != nil {
		return err
	}
	n := 0
	report, err := s.Diff(ctx, only, func(d client.Difference) error {
		n++
		return a.printDifference(d, o.asJSON)
	})
	codes := []int{exitCode(ctx, err)}
	if n > 0 {
		codes = append(codes, exitPending)
	}
	if !o.asJSON {
		for _, notice := range report.Notices {
			a.tell("%s", notice)
		}
	}
	return finalError(err, mostUrgent(codes...))
}

// openFile prepares to work on the tree that a file is in, or without one on that
// of the folder.
func (a *app) openFile(name, folder string) (*client.Syncer, memory.Path, error) {
	o := syncOptions{quiet: true}
	if name == "" {
		s, _, err := a.openLink(folder, o)
		return s, memory.Path{}, err
	}
	n, err := a.findFile(folder, name)
	if err != nil {
		return nil, memory.Path{}, err
	}
	s, _, err := a.openLinked(n.dirs, n.link, o)
	return s, n.path, err
}

// diffLine is one difference in --json. The diff is as it is, whatever is in it.
type diffLine struct {
	Type string `json:"type"`
	Op   string `json:"op"`
	Path string `json:"path"`
	From string `json:"from,omitzero"`
	Why  string `json:"reason,omitzero"`
	Diff string `json:"diff"`
}

// printDifference shows one text in the direction in which it would go.
func (a *app) printDifference(d client.Difference, asJSON bool) error {
	path, before := d.Path.String(), d.Path.String()
	if !d.From.IsZero() {
		before = d.From.String()
	}
	from, to, old, text := "server/"+before, "here/"+path, d.Theirs, d.Ours
	if d.Receives() {
		from, to, old, text = "here/"+before, "server/"+path, d.Ours, d.Theirs
	}
	if old == nil {
		from = "/dev/null"
	}
	if text == nil {
		to = "/dev/null"
	}
	unified := udiff.Unified(from, to, string(old), string(text))
	if asJSON {
		return a.printJSON(diffLine{"diff", string(d.Kind), path, d.From.String(), string(d.Reason), unified})
	}
	heading := describeDone(client.Done{Kind: d.Kind, Path: d.Path, From: d.From}, true)
	if d.Kind == msync.Report {
		heading = fmt.Sprintf("would leave %s as it is (%s)", shown(path), d.Reason)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\n%s", heading, visible(unified))
	return err
}
