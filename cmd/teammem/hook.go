package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/hook"
)

func (a *app) newHookCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "hook EVENT",
		Short:  "Answer an event of a coding agent",
		Hidden: true,
		Long: `Answer an event of a coding agent, which is read from stdin as JSON. "teammem
install" tells the agent to run this. It never gets in the agent's way: what
cannot be answered has no answer, and the next session is told why.
Exit 0: always.`,
		// An agent takes any other exit code than 0 for a problem, and 2 for a refusal, so nothing on the command line
		// may lead to one.
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.runHook(c.Context(), args[0])
			}
			return nil
		},
	}
}

func (a *app) runHook(ctx context.Context, event string) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil { // without a home nothing is linked, but a pipe that breaks is an error to the agent
		_, _ = io.Copy(io.Discard, a.stdin)
		return
	}
	h := hook.New(hook.Options{
		Dirs: dirs, Getenv: a.getenv, Clock: a.now, Start: a.start,
		Syncer: func(l client.Link) (*client.Syncer, error) {
			if p, paused := dirs.Paused(l, a.now()); paused {
				return nil, fmt.Errorf("%w%s; teammem resume ends that", client.ErrPaused, until(p))
			}
			return a.syncerOf(dirs, l, client.SyncerOptions{})
		},
		Scanner: lazyScanner(), Flush: a.startSync,
	})
	if err := h.Run(ctx, event, a.stdin, a.stdout); err != nil {
		a.tell("%v", err) // the agent hangs up: nobody else is there to be told
	}
}

// byHook marks a sync that a hook started.
const byHook = "hook"

// startSync starts a sync that outlives this program. It has nobody to talk to:
// what it finds is in the state of the link.
func (a *app) startSync(folder string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start a sync: %w", err)
	}
	c := exec.Command(self, "sync", "--quiet", "--by", byHook, "--timeout", "2m", folder) //nolint:gosec,noctx // ourselves, and it has to outlive every context
	c.SysProcAttr = detached()
	if err := c.Start(); err != nil {
		return fmt.Errorf("start a sync: %w", err)
	}
	return c.Process.Release()
}
