package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/install"
)

type installOptions struct {
	scope  string
	yes    bool
	dryRun bool
}

const installHelp = `Exit codes:
  0   done, or nothing to do
  1   a file could not be read or written; run it again
  2   wrong usage, settings that cannot be edited, or nobody to ask
  10  something would change (--dry-run)
  130 interrupted`

func (a *app) newInstallCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "install",
		Short: "Connect a coding agent with teammem",
		Long:  "Put teammem's hooks and its skill where a coding agent reads them.\n\n" + installHelp,
		RunE:  showHelp,
	}
	var o installOptions
	sub := &cobra.Command{
		Use:   "claude [DIR]",
		Short: "Connect Claude Code with teammem",
		Long: `Put teammem's hooks into Claude Code's settings, and the skill "team-memory"
beside them. The change is shown first; nothing else in the settings is touched,
and "teammem uninstall claude" puts everything back.

The scope says for whose sessions: user for all of yours; project for everybody's
in the repository of DIR (default: the current folder), in a file that is
committed; local for yours in that repository. Hooks of a project name the
program alone, which has to be on PATH; the others name its path.

` + installHelp,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runInstall(c.Context(), folderArg(args), o) },
	}
	o.addFlags(sub)
	c.AddCommand(sub)
	return c
}

func (a *app) newUninstallCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "uninstall",
		Short: "Take teammem's hooks out of a coding agent again",
		Long:  "Take teammem's hooks and its skill out of a coding agent again.\n\n" + installHelp,
		RunE:  showHelp,
	}
	var o installOptions
	sub := &cobra.Command{
		Use:   "claude [DIR]",
		Short: "Take teammem's hooks and skill out of Claude Code",
		Long: `Put Claude Code's settings back as they were. If they were changed since, only
what was installed is taken out, and what is not found is named.

` + installHelp,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runUninstall(c.Context(), folderArg(args), o) },
	}
	o.addFlags(sub)
	c.AddCommand(sub)
	return c
}

func (o *installOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.scope, "scope", string(install.User), "whose sessions: user, project or local")
	c.Flags().BoolVar(&o.yes, "yes", false, "do it without asking")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only print what would change")
}

func (a *app) runInstall(ctx context.Context, folder string, o installOptions) error {
	dirs, place, err := a.installPlace(folder, o)
	if err != nil {
		return err
	}
	program, err := a.hookProgram(place.Scope)
	if err != nil {
		return err
	}
	plan, err := install.Install(dirs, place, program, version)
	if broken, ok := errors.AsType[*install.UnreadableError](err); ok {
		return a.printSnippet(broken, program)
	}
	if err != nil {
		return err
	}
	if plan.Empty() {
		a.tellAll(plan.Notes)
		_, err := fmt.Fprintln(a.stdout, "nothing to do: Claude Code runs teammem's hooks already")
		return err
	}
	return a.carryOutPlan(ctx, plan, o, "installed; sessions that start from now on use it")
}

func (a *app) runUninstall(ctx context.Context, folder string, o installOptions) error {
	dirs, place, err := a.installPlace(folder, o)
	if err != nil {
		return err
	}
	plan, err := install.Uninstall(dirs, place)
	if err != nil {
		return err
	}
	if plan.Empty() {
		a.tellAll(plan.Notes)
		_, err := fmt.Fprintf(a.stdout, "nothing to do: nothing was installed in %s\n", place.Settings)
		return err
	}
	return a.carryOutPlan(ctx, plan, o, "uninstalled")
}

func (a *app) installPlace(folder string, o installOptions) (client.Dirs, install.Place, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return client.Dirs{}, install.Place{}, err
	}
	place, err := install.PlaceOf(install.Scope(o.scope), folder, a.getenv)
	return dirs, place, err
}

// hookProgram is how hooks name this program. An agent that was not started from
// a terminal may have another PATH, so it is the path that does not change with
// the next version: the one on PATH, if that leads here. A project's settings
// are read on other computers, too.
func (a *app) hookProgram(scope install.Scope) (string, error) {
	if scope == install.Project {
		return "teammem", nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	found, err := exec.LookPath("teammem")
	if err == nil && filepath.IsAbs(found) && sameProgram(found, self) {
		return found, nil
	}
	return self, nil
}

func sameProgram(one, other string) bool {
	a, errA := os.Stat(one)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// carryOutPlan shows what would change, asks, and does it.
func (a *app) carryOutPlan(ctx context.Context, plan install.Plan, o installOptions, done string) error {
	for _, c := range plan.Changes {
		after := string(c.After)
		if c.Removed {
			after = ""
		}
		fmt.Fprint(a.stdout, udiff.Unified(c.File, c.File, string(c.Before), after))
	}
	a.tellAll(plan.Notes)
	if o.dryRun {
		return outcome(exitPending)
	}
	if !o.yes {
		if err := a.confirm(); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, done)
	return err
}

func (a *app) tellAll(notes []string) {
	for _, n := range notes {
		a.tell("%s", n)
	}
}

// printSnippet helps where the settings cannot be edited.
func (a *app) printSnippet(broken *install.UnreadableError, program string) error {
	snippet, err := install.Snippet(program)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.stdout, "%s", snippet); err != nil {
		return err
	}
	a.tell("%v", broken)
	a.tell("  nothing was changed; put the hooks above in by hand, or correct the file and run it again")
	return outcome(exitUsage)
}

// confirm asks the person at the terminal, if there is one.
func (a *app) confirm() error {
	if !a.interactive() {
		a.tell("nothing was changed, since there is nobody to ask")
		a.tell("  --yes does it without asking")
		return outcome(exitUsage)
	}
	if !a.ask("change this?") {
		a.tell("nothing was changed")
		return outcome(exitOK)
	}
	return nil
}
