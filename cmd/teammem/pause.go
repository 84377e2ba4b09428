package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/watch"
)

func (a *app) newPauseCommand() *cobra.Command {
	var length time.Duration
	c := &cobra.Command{
		Use:   "pause [DIR]",
		Short: "Let nothing be synced by itself for a while",
		Long: `Let nothing happen by itself to the team memory of a linked folder (default: the
current one), for a while or until teammem resume: no watcher and no hook of an
agent syncs it, also after a restart. A teammem sync by hand still does.
Exit 0: done; 1: the settings could not be written; 2: the folder is not linked.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if length < 0 {
				return usageError{fmt.Errorf("a pause of %s has ended before it begins", length), c.CommandPath()}
			}
			p := client.Pause{Since: a.now().UTC()}
			if length > 0 {
				p.Until = p.Since.Add(length)
			}
			return a.onLink(c.Context(), args, func(dirs client.Dirs, l client.Link) error {
				if err := dirs.Pause(l, p); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.stdout, "%s is paused%s\n", l.Slug, until(p))
				return err
			})
		},
	}
	c.Flags().DurationVar(&length, "for", 0, "how long, such as 1h; without it until teammem resume")
	return c
}

func (a *app) newResumeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "resume [DIR]",
		Short: "End a pause",
		Long: `End the pause of a linked folder (default: the current one). A watcher catches up
at once.
Exit 0: done, or there was none; 1: the settings could not be written; 2: the folder is not linked.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.onLink(c.Context(), args, func(dirs client.Dirs, l client.Link) error {
				was, err := dirs.Resume(l)
				if err != nil {
					return err
				}
				text := "is synced again"
				if !was {
					text = "was not paused"
				}
				_, err = fmt.Fprintf(a.stdout, "%s %s\n", l.Slug, text)
				return err
			})
		},
	}
}

// onLink does something to the link of a folder that whoever watches it should
// know of.
func (a *app) onLink(ctx context.Context, args []string, do func(client.Dirs, client.Link) error) error {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return err
	}
	l, err := claude.LinkOf(dirs, folderArg(args), a.getenv)
	if err != nil {
		return err
	}
	if err := do(dirs, l); err != nil {
		return err
	}
	if socket := dirs.WatchSocket(l); socket != "" {
		_ = watch.Stir(ctx, socket) // nobody watches, or they look within a minute
	}
	return nil
}

// isPaused reports whether a tree is paused, and says so.
func (a *app) isPaused(l client.Link) bool {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return false // there is a link, so this cannot be
	}
	p, paused := dirs.Paused(l, a.now())
	if paused {
		a.tell("%s is paused%s; teammem resume ends that", l.Slug, until(p))
	}
	return paused
}

func until(p client.Pause) string {
	if p.Until.IsZero() {
		return ""
	}
	return " until " + p.Until.UTC().Format("2006-01-02 15:04 UTC")
}
