// Command teammem keeps what a team's coding agents have learned in one place:
// the server, its administration, and the client that mirrors the team/ part
// of a member's memory.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// version is set by the release build.
var version = "0.1.0-dev"

func main() {
	start := time.Now() // the limits of hooks count from here
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	app := &app{start: start, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ, now: time.Now}
	os.Exit(app.run(ctx, os.Args[1:]))
}

// app is what commands see of the world.
type app struct {
	start   time.Time // when the program began
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	getenv  func(string) string
	environ func() []string // nil for none
	now     func() time.Time
}

// run executes one command line and returns the exit code.
func (a *app) run(ctx context.Context, args []string) int {
	root := a.newRootCommand(args)
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	command, err := root.ExecuteContextC(ctx)
	if err != nil && isUsage(err) {
		err = usageError{err, command.CommandPath()}
	}
	a.explain(err)
	return exitCode(ctx, err)
}

// showHelp is what a command does that only has subcommands: cobra would show
// its help for a misspelt one too, and call that success.
func showHelp(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath()), c.CommandPath()}
	}
	return c.Help()
}
