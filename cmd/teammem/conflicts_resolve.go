package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

type resolveOptions struct {
	theirs, ours, both, edit bool
	tool                     string
	folder                   string
}

func (a *app) newConflictsResolveCommand() *cobra.Command {
	var o resolveOptions
	c := &cobra.Command{
		Use:   "resolve ID --theirs|--ours|--both|--edit|--tool CMD",
		Short: "Resolve a conflict, and sync",
		Long: fmt.Sprintf(`Decide what becomes of your text. ID is what the list says, the beginning of it,
or the path of an entry with one conflict.

  --theirs    the entry stays as the server has it
  --ours      your text becomes the entry's next revision
  --both      your text becomes an entry of its own, NAME-2.md or the next free number
  --edit      opens $VISUAL or $EDITOR on your text; what you save is the next revision
  --tool CMD  runs CMD in a shell with the file names BASE, OURS, THEIRS and OUT in its
              environment; what it writes to OUT is the next revision

No way deletes the entry, and your text stays in the trash for %d days. A text in
the tree that the server does not have yet is not replaced. What is written is an
edit like any other: the sync that follows checks it, and a reviewer may have to
see it. If the server cannot be reached then, the next sync sends it.

`, client.TrashDays) + exitHelp,
		Example:           "  teammem conflicts resolve 1a2b --both\n  teammem conflicts resolve notes/db.md --tool 'meld \"$THEIRS\" \"$OUT\" \"$OURS\"'",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeKept(client.Dirs.Conflicts),
		RunE: func(c *cobra.Command, args []string) error {
			if o.ways(c) != 1 {
				return usageError{errors.New("choose one of --theirs, --ours, --both, --edit and --tool"), c.CommandPath()}
			}
			return a.runConflictsResolve(c.Context(), args[0], o)
		},
	}
	c.Flags().BoolVar(&o.theirs, "theirs", false, "keep the server's text")
	c.Flags().BoolVar(&o.ours, "ours", false, "take your text")
	c.Flags().BoolVar(&o.both, "both", false, "keep both, as two entries")
	c.Flags().BoolVar(&o.edit, "edit", false, "edit your text, and take what you save")
	c.Flags().StringVar(&o.tool, "tool", "", "take what this command writes to $OUT")
	c.Flags().StringVar(&o.folder, "folder", ".", "the linked folder")
	return c
}

// ways counts how many ways to resolve were asked for.
func (o resolveOptions) ways(c *cobra.Command) int {
	return trues(o.theirs, o.ours, o.both, o.edit, c.Flags().Changed("tool"))
}

func (a *app) runConflictsResolve(ctx context.Context, id string, o resolveOptions) error {
	k, err := a.chooseKept(o.folder, id, client.Dirs.Conflicts)
	if err != nil {
		return err
	}
	s, _, err := a.openLink(o.folder, syncOptions{quiet: true})
	if err != nil {
		return err
	}
	to, err := a.resolve(ctx, s, k, o)
	if err != nil {
		return err
	}
	if to.IsZero() {
		_, err = fmt.Fprintf(a.stdout, "resolved %s: it stays as it is, and your text is in the trash\n", shown(k.Path.String()))
		return err
	}
	fmt.Fprintf(a.stdout, "resolved %s: the text is in %s\n", shown(k.Path.String()), shown(to.String()))
	return a.runSync(ctx, o.folder, syncOptions{})
}

func (a *app) resolve(ctx context.Context, s *client.Syncer, k client.Conflict, o resolveOptions) (memory.Path, error) {
	switch {
	case o.theirs:
		return s.Resolve(ctx, k, client.Resolution{Take: client.TakeTheirs})
	case o.ours:
		return s.Resolve(ctx, k, client.Resolution{Take: client.TakeOurs})
	case o.both:
		return s.Resolve(ctx, k, client.Resolution{Take: client.TakeBoth})
	}
	sides, err := s.Sides(ctx, k)
	if err != nil {
		return memory.Path{}, err
	}
	dir, err := a.workshop(sides)
	if err != nil {
		return memory.Path{}, err
	}
	out := filepath.Join(dir, "OUT.md")
	text, err := a.workOut(sides, dir, out, o)
	var to memory.Path
	if err == nil {
		to, err = s.Resolve(ctx, k, client.Resolution{Take: client.TakeText, Text: text, Seen: sides})
	}
	if err != nil && len(bytes.TrimSpace(text)) > 0 {
		a.tell("what you made of the texts is in %s", out) // the only copy
		return to, err
	}
	_ = os.RemoveAll(dir)
	return to, err
}

// workshop makes a folder of the member's own with the texts in it.
func (a *app) workshop(s client.Sides) (string, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return "", err
	}
	above := filepath.Join(dirs.Data, "edits")
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for the texts: %w", err)
	}
	dir, err := os.MkdirTemp(above, "resolve-")
	if err != nil {
		return "", fmt.Errorf("make a folder for the texts: %w", err)
	}
	for name, text := range map[string][]byte{"BASE": s.Base, "OURS": s.Ours, "THEIRS": s.Theirs} {
		if err := os.WriteFile(filepath.Join(dir, name+".md"), text, 0o600); err != nil {
			return "", errors.Join(fmt.Errorf("write the texts: %w", err), os.RemoveAll(dir))
		}
	}
	return dir, nil
}

// workOut lets a person make one text of a conflict's: with an editor, which
// starts from the member's text and has to change it, or with a tool. The text
// is nil if there is none.
func (a *app) workOut(s client.Sides, dir, out string, o resolveOptions) ([]byte, error) {
	if !o.edit {
		failed := a.shell(o.tool, dir, out)
		text, err := os.ReadFile(out)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the tool wrote nothing to $OUT, so the conflict stays open")
		}
		return text, cmp.Or(failed, err)
	}
	if err := os.WriteFile(out, s.Ours, 0o600); err != nil {
		return nil, fmt.Errorf("write the texts: %w", err)
	}
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	failed := a.shell(cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR"), usual), dir, out, out)
	text, err := os.ReadFile(out)
	if bytes.Equal(text, s.Ours) {
		text, err = nil, errors.New("nothing was changed in the editor, so the conflict stays open; --ours takes your text as it is")
	}
	return text, cmp.Or(failed, err)
}

// shell runs a command of the member's, which may be more than the name of a
// program. It is waited for whatever happens: it has the terminal, and a text
// that is not saved.
func (a *app) shell(command, dir, out string, args ...string) error {
	program, words := "sh", []string{"-c", command}
	switch {
	case runtime.GOOS == "windows":
		program, words = "cmd", append([]string{"/C", command}, args...)
	case len(args) > 0:
		words = append([]string{"-c", command + ` "$@"`, "teammem"}, args...)
	}
	c := exec.Command(program, words...) //nolint:gosec,noctx // the member's own command, see above
	if a.environ != nil {
		c.Env = a.environ()
	}
	c.Env = append(c.Env, "OUT="+out)
	for _, name := range []string{"BASE", "OURS", "THEIRS"} {
		c.Env = append(c.Env, name+"="+filepath.Join(dir, name+".md"))
	}
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stderr, a.stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("run %s: %w", shown(command), err)
	}
	return nil
}
