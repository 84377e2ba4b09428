package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/backup"
	"github.com/teammem/teammem/store/embedded"
)

func (a *app) newBackupCommand(db *databaseOptions) *cobra.Command {
	var verify bool
	c := &cobra.Command{
		Use:   "backup FILE|-",
		Short: "Write the whole instance into one file, while it runs",
		Long: `Write the instance into one file, or to stdout with -, as it is at one moment,
while members go on reading and writing. It needs no program of Postgres' and
does not change the database, nor bring it to another version. The file appears
under its name when it is complete and on disk; an older backup of that name
stays until then. What backups left in that folder that were killed over 6 hours
ago is removed. FILE holds all texts and members, so keep it as safe as the
server; it holds no key, and of tokens only hashes.
With --verify, read FILE to its end and say whether it is whole and what is in
it, without a database.
Exit 0: done; 1: not done, and FILE is as it was; 2: wrong usage, or no such
instance; 7: FILE is damaged, or no backup (--verify); 130: interrupted.`,
		Example: "  teammem admin backup --data /srv/teammem backup.tar.zst\n  teammem admin backup --verify backup.tar.zst",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if verify {
				return a.verifyBackup(args[0])
			}
			return a.runBackup(c.Context(), *db, args[0])
		},
	}
	c.Flags().BoolVar(&verify, "verify", false, "check a file instead of writing one")
	return c
}

func (a *app) runBackup(ctx context.Context, o databaseOptions, file string) error {
	if err := a.mayWrite(file); err != nil {
		return err
	}
	if file != "-" {
		a.sweepParts(filepath.Dir(file)) // before Postgres starts, which may need the room
	}
	return a.atPlace(ctx, o, embedded.Open, true, func(p place) error { return a.backUp(ctx, p, file) })
}

func (a *app) backUp(ctx context.Context, p place, file string) error {
	var m backup.Manifest
	write := func(out io.Writer) (err error) {
		m, err = store.Backup(ctx, p.url, out, store.BackupOptions{Program: version, At: a.now(), Progress: p.rows})
		p.finish()
		return err
	}
	if file == "-" {
		return write(a.stdout)
	}
	if err := writeWhole(file, write); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "backed up %s in %s, as of %s, into %s (%s)\n", m.Instance, plural(len(m.Projects), "project", "projects"),
		m.MadeAt.Format(time.RFC3339), file, bytesOf(info.Size()))
	return err
}

// place is where an instance is copied to or from.
type place struct {
	*progressBar

	url string // of the database, as the role that owns it
}

// atPlace runs f where a database is, whatever is in it.
func (a *app) atPlace(ctx context.Context, o databaseOptions, start startCluster, existing bool, f func(place) error) (err error) {
	db, err := a.openPlace(ctx, o, slog.New(slog.DiscardHandler), start, existing)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	bar := a.newProgressBar()
	defer bar.finish()
	return f(place{bar, db.url})
}

// sweepParts makes room: backups that were killed leave what they had written.
// That it stays does not stop another one.
func (a *app) sweepParts(dir string) {
	swept, err := sweepParts(dir, a.now())
	if swept > 0 {
		a.tell("removed %s from %s", plural(swept, "unfinished backup whose process has ended", "unfinished backups whose processes have ended"), dir)
	}
	if err != nil {
		a.tell("what earlier backups left unfinished is still there: %v", err)
	}
}

// rows shows how far a table is.
func (p *progressBar) rows(table string, done, total int64) { p.update(table, int(done), int(total)) }

// mayWrite refuses to put a backup where it would destroy something else.
func (a *app) mayWrite(file string) error {
	if file == "-" {
		if f, ok := a.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return memory.Invalid("FILE", "a backup is no text for a terminal: send it into a pipe or a file")
		}
		return nil
	}
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return memory.Invalid("FILE", file+" is there already, and is no file")
	case info.Size() == 0:
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if !backup.Looks(f, info.Size()) {
		return memory.Invalid("FILE", file+" is there already, and is no backup")
	}
	return nil
}

func (a *app) verifyBackup(file string) error {
	return a.fromBackup(file, func(b *backup.File) error {
		m := b.Manifest()
		fmt.Fprintf(a.stdout, "%s is whole: %s as of %s, schema %d, written by teammem %s (%s)\n", file, m.Instance,
			m.MadeAt.Format(time.RFC3339), len(m.Schema), m.Program, bytesOf(b.Size()))
		for _, p := range m.Projects {
			fmt.Fprintf(a.stdout, "%s  %s, seq %d, digest %.12s\n", p.Slug, plural(p.Live, "entry", "entries"), p.Seq, p.Digest)
		}
		return store.Restorable(m)
	})
}

// fromBackup runs f with what a file holds, once it has proven to be whole, or
// says what is wrong with it.
func (a *app) fromBackup(file string, f func(*backup.File) error) error {
	in, err := openRegular(file)
	if err != nil {
		return err
	}
	defer in.Close()
	b, err := backup.Open(in)
	if err == nil {
		err = f(b)
	}
	if !errors.Is(err, backup.ErrFile) {
		return err
	}
	a.tell("%s: %v", file, err)
	a.tell("  nothing was restored from it; take another backup, or another copy of this one")
	return outcome(exitRefused)
}

// openRegular opens a file that can be read twice. Opening a pipe would wait for
// whoever writes into it.
func openRegular(file string) (*os.File, error) {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(file + " is no file that can be read twice")
	}
	if err != nil {
		return nil, memory.Invalid("FILE", err.Error())
	}
	return os.Open(file)
}

// bytesOf writes a size for people.
func bytesOf(n int64) string {
	const unit = 1 << 10
	if n < unit {
		return plural(int(n), "byte", "bytes")
	}
	size, names := float64(n)/unit, "KMGTPE"
	for size >= unit && len(names) > 1 {
		size, names = size/unit, names[1:]
	}
	return fmt.Sprintf("%.1f %ciB", size, names[0])
}
