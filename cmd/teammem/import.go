package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
)

type importOptions struct {
	adopt.PlanOptions

	folder string
	undo   string
	dryRun bool
	yes    bool
	asJSON bool
}

// lastImport is what --undo means without an id.
const lastImport = "last"

const importHelp = `Exit codes:
  0   done, or there is nothing to import; what is skipped is listed
  1   something temporary: run it again
  2   wrong usage
  3   conflicts are open
  4   held for safety: deletes or changes that wait for your word, or the tree is
      not the one that was linked
  5   another teammem process is at work
  6   not logged in, or the token has ended
  7   something was refused: a name, a secret, a size; the rest is done
  8   the server cannot be reached
  9   the server's history was replaced
  10  something would change (--dry-run, or nobody said yes)
  130 interrupted`

func (a *app) newImportCommand() *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import DIR|SOURCE",
		Short: "Share notes that are kept elsewhere, as one act that can be undone",
		Long: `Copy notes that are kept elsewhere into team/ and share them. What would become
of each file is shown first. The originals are only read; nothing in team/ is
overwritten; bytes stay as they are; and each file passes the checks of a sync.

SOURCE is one of these, looked for in the linked folder:
  claude           .claude/memory
  agent-memory     .claude/agent-memory, to agents/AGENT/
  memory-bank      memory-bank
  openclaw [DIR]   MEMORY.md and memory/ of a workspace (default: OpenClaw's own)
or any folder with notes, which is known by its shape, or one file.

What is about a person (kind user, USER.md) is left out. Files that agents load
as instructions, such as AGENTS.md, are taken in parts, split at "##". An index
that team/ has already gains those lines of the other that lead to entries it
does not list; the rest of it is named and stays where it is.

--undo takes an import back: files that are still as they were imported leave
team/ and the project, the server keeps their texts in its history.

` + importHelp,
		Example: "  teammem import claude\n  teammem import ~/notes --to notes --dry-run\n  teammem import --undo",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("undo") {
				return a.runUndo(c, args, o)
			}
			if len(args) == 0 {
				return usageError{errors.New("name a folder or a source"), c.CommandPath()}
			}
			return a.runImport(c.Context(), args, o)
		},
	}
	o.addFlags(c)
	c.Flags().StringVar(&o.undo, "undo", "", "take back the last import, or the one with this id")
	c.Flags().Lookup("undo").NoOptDefVal = lastImport
	return c
}

// addFlags adds what import and share have in common.
func (o *importOptions) addFlags(c *cobra.Command) {
	c.Flags().StringVar(&o.To, "to", "", "folder below team/ for all of it")
	c.Flags().BoolVar(&o.Rename, "rename", false, "take files whose names are refused under the suggested ones")
	c.Flags().BoolVar(&o.IncludeUser, "include-user", false, "take what is about a person, too")
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder whose team/ receives")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "only print what would be done")
	c.Flags().BoolVar(&o.yes, "yes", false, "do it without asking")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON lines")
}

func (a *app) runImport(ctx context.Context, args []string, o importOptions) error {
	im, out, err := a.openImport(o)
	if err != nil {
		return err
	}
	dir := ""
	if len(args) > 1 {
		dir = args[1]
	}
	source, err := adopt.FindSource(args[0], dir, adopt.Places{Repository: out.link.Folder, Getenv: a.getenv})
	if err != nil {
		return err
	}
	return a.adopt(ctx, im, out, source, o)
}

// openImport prepares to import into the tree of a linked folder.
func (a *app) openImport(o importOptions) (*adopt.Importer, importPrinter, error) {
	syncer, out, err := a.openLink(o.folder, syncOptions{quiet: true})
	if err != nil {
		return nil, importPrinter{}, err
	}
	if err := maySend(out.link); err != nil {
		return nil, importPrinter{}, err
	}
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return nil, importPrinter{}, err
	}
	out.asJSON = o.asJSON
	return adopt.Into(syncer, adopt.Options{
		MemoryDir: out.link.MemoryDir, Receipts: filepath.Join(dirs.State, "imports", string(out.link.Project)),
		Scanner: lazyScanner(), Clock: a.now, Exceptions: syncer.Exceptions, Progress: out.bar.update,
	}), importPrinter{out}, nil
}

// adopt shows what would become of a source, asks, and does it.
func (a *app) adopt(ctx context.Context, im *adopt.Importer, out importPrinter, source adopt.Source, o importOptions) error {
	o.Preview = o.dryRun || !o.yes && !a.interactive()
	plan, err := im.Plan(ctx, source, o.PlanOptions)
	if err != nil {
		return err
	}
	code := codeOfPlan(ctx, plan, o.Preview)
	if err := out.plan(plan, code, o.Preview); err != nil {
		return err
	}
	switch {
	case o.Preview:
		return finalError(nil, code)
	case plan.Takes() == 0:
		return errors.Join(out.synced(plan.Before, code), finalError(nil, code))
	case !o.yes && !a.ask(fmt.Sprintf("import %s into %s?", plural(plan.Takes(), "file", "files"), out.link.Slug)):
		a.tell("nothing was imported")
		return outcome(exitPending)
	}
	done, err := im.Import(ctx, plan)
	code = mostUrgent(code, codeOfImport(ctx, done, err))
	return errors.Join(out.imported(done, code), finalError(err, code))
}

// codeOfPlan weighs what a plan, and the sync before it, have to say.
func codeOfPlan(ctx context.Context, p *adopt.Plan, preview bool) int {
	switch {
	case p.Offline != nil:
		return exitOffline
	case preview && p.Takes() > 0:
		return exitPending
	}
	codes := []int{exitOK}
	if p.Count()[adopt.Refused] > 0 {
		codes = append(codes, exitRefused)
	}
	if !preview {
		codes = append(codes, codeOfRun(ctx, p.Before, nil, false))
	}
	return mostUrgent(codes...)
}

// codeOfImport weighs what was done.
func codeOfImport(ctx context.Context, done *adopt.Imported, err error) int {
	codes := []int{exitCode(ctx, err)}
	if done.Report != nil {
		codes = append(codes, codeOfRun(ctx, done.Report, err, false))
	}
	for _, r := range done.Results {
		switch r.Outcome {
		case adopt.NotWritten, adopt.Unsent:
			codes = append(codes, exitRetry)
		case adopt.Published, adopt.Theirs, adopt.Waiting, adopt.Declined, adopt.Contested: // the report of the sync has them
		}
	}
	return mostUrgent(codes...)
}

func (a *app) runUndo(c *cobra.Command, args []string, o importOptions) error {
	switch {
	case o.undo == lastImport && len(args) == 1:
		o.undo = args[0] // "--undo ID", which looks like an argument
	case o.undo == lastImport && len(args) == 0:
		o.undo = ""
	case len(args) > 0:
		return usageError{errors.New("--undo takes one id, and no source"), c.CommandPath()}
	}
	im, out, err := a.openImport(o)
	if err != nil {
		return err
	}
	u, err := im.PlanUndo(c.Context(), o.undo)
	if err != nil {
		return err
	}
	preview := o.dryRun || !o.yes && !a.interactive()
	code := exitOK
	if preview && u.Acts() > 0 {
		code = exitPending
	}
	if err := out.undo(u, code, preview); err != nil {
		return err
	}
	switch {
	case preview:
		return finalError(nil, code)
	case u.Spent():
		return im.Undo(c.Context(), u)
	case !o.yes && !a.ask(fmt.Sprintf("take %s back from %s?", plural(u.Acts(), "file", "files"), out.link.Slug)):
		a.tell("nothing was taken back")
		return outcome(exitPending)
	}
	err = im.Undo(c.Context(), u)
	code = exitCode(c.Context(), err)
	if u.Report != nil {
		code = codeOfRun(c.Context(), u.Report, err, false)
	}
	return errors.Join(out.undone(u, code), finalError(err, code))
}
