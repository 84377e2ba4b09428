package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
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
stays until then. It holds all texts and members, so keep it as safe as the
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

func (a *app) runBackup(ctx context.Context, o databaseOptions, file string) (err error) {
	if err := a.mayWrite(file); err != nil {
		return err
	}
	db, err := a.openPlace(ctx, o, slog.New(slog.DiscardHandler), embedded.Open, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	var m backup.Manifest
	write := func(out io.Writer) (err error) {
		bar := a.newProgressBar()
		defer bar.finish()
		m, err = store.Backup(ctx, db.url, out, store.BackupOptions{Program: version, At: a.now(), Progress: bar.rows})
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

// writeWhole gives a file its name when everything is in it and on disk. Only
// its owner may read it.
func writeWhole(file string, write func(io.Writer) error) (err error) {
	dir := filepath.Dir(file)
	temp, err := os.CreateTemp(dir, "."+filepath.Base(file)+".*.part")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer func() {
		if err != nil {
			_ = temp.Close() // which it may be already
			err = errors.Join(err, os.Remove(temp.Name()))
		}
	}()
	buffered := bufio.NewWriterSize(temp, 1<<20)
	if err := write(buffered); err != nil {
		return err
	}
	if err := errors.Join(buffered.Flush(), temp.Sync(), temp.Close()); err != nil { // Windows renames no open file
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return syncFolder(dir)
}

// syncFolder makes the names in a folder durable; Windows keeps them in a
// journal.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (a *app) verifyBackup(file string) error {
	f, err := openRegular(file)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := a.openBackup(f)
	if err != nil {
		return err
	}
	m := b.Manifest()
	fmt.Fprintf(a.stdout, "%s is whole: %s as of %s, schema %d, written by teammem %s (%s)\n", file, m.Instance,
		m.MadeAt.Format(time.RFC3339), len(m.Schema), m.Program, bytesOf(b.Size()))
	for _, p := range m.Projects {
		fmt.Fprintf(a.stdout, "%s  %s, seq %d, digest %.12s\n", p.Slug, plural(p.Live, "entry", "entries"), p.Seq, p.Digest)
	}
	return store.Restorable(m)
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

// openBackup believes a file, or says what is wrong with it.
func (a *app) openBackup(f *os.File) (*backup.File, error) {
	b, err := backup.Open(f)
	if errors.Is(err, backup.ErrFile) {
		return nil, a.refuseFile(f.Name(), err)
	}
	return b, err
}

func (a *app) refuseFile(name string, err error) error {
	a.tell("%s: %v", name, err)
	a.tell("  nothing was restored from it; take another backup, or another copy of this one")
	return outcome(exitRefused)
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
