package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Names in the instance's folder.
const (
	dataName   = "postgres"
	initName   = "postgres.init"
	logName    = "postgres.log"
	socketName = "socket"
)

// LockName is the file in the instance's folder that the process which runs the
// cluster has locked.
const LockName = "postgres.lock"

// markerName is the file by which we know a data folder as ours. It is written
// before the folder gets its name, and moves with it into backups.
const markerName = "teammem.cluster"

// A folder is an instance's folder, with the cluster's files in it.
type folder struct {
	dir  string   // absolute
	root *os.Root // dir, for writing: root never follows another account's links out of it
	made bool     // by us, just now
	lock *flock.Flock
	opt  Options

	created bool // the cluster in it, by us, just now
}

func openFolder(dir string, opt Options) (*folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: abs, opt: opt, lock: flock.New(filepath.Join(abs, LockName), flock.SetPermissions(0o600))}
	if opt.Existing {
		if _, err := os.Stat(f.data()); err != nil {
			return nil, noCluster(err)
		}
	} else if err := f.makeDir(); err != nil {
		return nil, err
	}
	f.root, err = os.OpenRoot(abs)
	return f, err
}

func noCluster(err error) error {
	return fmt.Errorf("find a cluster: %w; start teammem serve with this data folder once, or give another one", err)
}

func (f *folder) makeDir() error {
	if err := os.MkdirAll(filepath.Dir(f.dir), 0o755); err != nil { //nolint:gosec // as mkdir -p does; the last one is private
		return err
	}
	err := os.Mkdir(f.dir, 0o700)
	f.made = err == nil
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }
func (f *folder) data() string            { return f.path(dataName) }

// unlock lets another process run the cluster.
func (f *folder) unlock() error {
	return errors.Join(f.lock.Unlock(), f.root.Close())
}

// note leaves our process number in the lock file, for messages.
func (f *folder) note() error {
	return f.root.WriteFile(LockName, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600)
}

// holder says which process has the lock.
func (f *folder) holder() string {
	raw, err := f.root.ReadFile(LockName)
	if pid := strings.TrimSpace(string(raw)); err == nil && pid != "" {
		return "process " + pid
	}
	return "another process"
}

// prepare makes sure that there is a data folder, and returns who runs it with
// which binaries. The caller holds the lock.
func (f *folder) prepare(ctx context.Context) (owner, binaries, error) {
	info, err := os.Lstat(f.data())
	if errors.Is(err, fs.ErrNotExist) {
		return f.create(ctx, nil)
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(f.data())
	}
	if err != nil {
		return owner{}, binaries{}, fmt.Errorf("open the data folder: %w", err)
	}
	o, err := ownerOfData(f.data(), info)
	if err != nil {
		return owner{}, binaries{}, err
	}
	if files, err := os.ReadDir(f.data()); err == nil && len(files) == 0 {
		return f.create(ctx, &o)
	}
	b, err := f.inspect(ctx, o)
	if err == nil && info.Mode().Perm()&0o027 != 0 {
		// A copy that lost its mode; Postgres insists on a private folder.
		err = os.Chmod(f.data(), 0o700) //nolint:gosec // a folder
	}
	return o, b, err
}

// inspect finds the binaries for an existing data folder, and refuses one that
// is not ours or that they cannot run.
func (f *folder) inspect(ctx context.Context, o owner) (binaries, error) {
	marker := filepath.Join(f.data(), markerName)
	if _, err := os.Stat(marker); err != nil {
		return binaries{}, fmt.Errorf("open %s: teammem did not make it (%w); move it away or give teammem another data folder; if it is a cluster of teammem's that came through pg_upgrade, create that file",
			f.data(), err)
	}
	raw, err := os.ReadFile(filepath.Join(f.data(), "PG_VERSION"))
	if err != nil {
		return binaries{}, fmt.Errorf("open %s: %w; this folder is damaged: move it away and restore a backup", f.data(), err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return binaries{}, fmt.Errorf("open %s: PG_VERSION holds %q; this folder is damaged: move it away and restore a backup", f.data(), raw)
	}
	b, err := findBinaries(ctx, f.opt.BinDir, major)
	if ctx.Err() != nil {
		return binaries{}, err
	}
	if err != nil {
		return binaries{}, fmt.Errorf("open %s, which Postgres %d made and no other version can read: %w", f.data(), major, err)
	}
	return b, f.canRun(ctx, b, o)
}

// create makes the data folder. An empty one that somebody put there decides
// its owner.
func (f *folder) create(ctx context.Context, given *owner) (owner, binaries, error) {
	if f.opt.Existing {
		return owner{}, binaries{}, noCluster(&fs.PathError{Op: "open", Path: filepath.Join(f.data(), markerName), Err: fs.ErrNotExist})
	}
	b, err := findBinaries(ctx, f.opt.BinDir, 0)
	if err != nil {
		return owner{}, binaries{}, err
	}
	o, err := f.chooseOwner(ctx, b, given)
	if err != nil {
		return owner{}, binaries{}, err
	}
	f.opt.Logger.LogAttrs(ctx, slog.LevelInfo, "making a postgres cluster",
		slog.String("folder", f.data()), slog.String("owner", o.String()), slog.String("version", b.version))
	err = f.initdb(ctx, b, o)
	f.created = err == nil
	return o, b, err
}

func (f *folder) chooseOwner(ctx context.Context, b binaries, given *owner) (owner, error) {
	list := []owner{}
	if given != nil {
		list = append(list, *given)
	} else {
		parent, err := os.Stat(f.dir)
		if err != nil {
			return owner{}, err
		}
		list = candidates(parent, f.namespaces())
	}
	o, err := f.firstAble(ctx, b, list)
	if err == nil || !f.made {
		return o, err
	}
	// Nobody but us has seen this folder yet, so we may let the account through
	// to its part of it: passing is allowed, listing and reading are not.
	if err := os.Chmod(f.dir, 0o711); err != nil { //nolint:gosec // see above
		return owner{}, err
	}
	return f.firstAble(ctx, b, list)
}

// initdb builds the data folder under another name and renames it when it is
// complete and on disk, so that a folder of that name is always whole.
func (f *folder) initdb(ctx context.Context, b binaries, o owner) error {
	// What lies there is an initdb that was interrupted: the lock is ours, and
	// no data was ever in it.
	if err := f.root.RemoveAll(initName); err != nil {
		return fmt.Errorf("clear an unfinished %s: %w", f.path(initName), err)
	}
	if err := f.root.Mkdir(initName, 0o700); err != nil {
		return err
	}
	if err := f.give(initName, o); err != nil {
		return err
	}
	args := []string{
		"--pgdata=" + f.path(initName), "--username=" + Role, "--encoding=UTF8", "--locale=C",
		"--auth-local=trust", "--auth-host=reject", "--data-checksums", "--no-instructions",
	}
	if f.opt.Throwaway {
		args = append(args, "--no-sync", "--wal-segsize=1")
	}
	cmd := exec.CommandContext(ctx, b.path("initdb"), args...)
	cmd.Dir, cmd.Env = "/", serverEnv()
	cmd.WaitDelay = 5 * time.Second // its own children hold the output open
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	err := o.run(cmd)
	if ctx.Err() != nil {
		return fmt.Errorf("make a cluster in %s: %w", f.dir, ctx.Err()) // the next start begins anew
	}
	if err != nil {
		return fmt.Errorf("make a cluster with %s in %s: %w: %s", cmd.Path, f.dir, err, reason(out.String()))
	}
	return f.finish(o)
}

// finish configures and marks a new data folder, and gives it its name.
func (f *folder) finish(o owner) error {
	if err := f.append(filepath.Join(initName, "postgresql.conf"), confBlock()); err != nil {
		return err
	}
	marker := filepath.Join(initName, markerName)
	if err := f.append(marker, "teammem made this cluster and runs it; without this file it refuses to.\n"); err != nil {
		return err
	}
	if err := f.give(marker, o); err != nil {
		return err
	}
	// An empty folder in its place goes; one with anything in it stays.
	if err := os.Remove(f.data()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("put the new cluster in place of an empty folder: %w; give teammem the folder above a mount point, not the mount point %s", err, f.data())
	}
	if err := f.root.Rename(initName, dataName); err != nil {
		return err
	}
	dir, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// append writes text at the end of a file, through to the disk.
func (f *folder) append(name, text string) error {
	file, err := f.root.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// give makes a file that root created its owner's.
func (f *folder) give(name string, o owner) error {
	if o.how != asOther {
		return nil
	}
	return f.root.Lchown(name, o.uid, o.gid)
}

// serverEnv is the environment of Postgres: what programs need, but neither
// PG… variables, which are settings, nor secrets that teammem was given.
func serverEnv() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// reason is what a program's output says went wrong, as one line: its first
// complaint, which later ones follow from, and its last words.
func reason(out string) string {
	lines := strings.FieldsFunc(out, func(r rune) bool { return r == '\n' })
	last := lines[max(0, len(lines)-3):]
	for _, line := range lines[:len(lines)-len(last)] {
		if strings.Contains(strings.ToLower(line), "error:") || strings.Contains(line, "FATAL:") || strings.Contains(line, "PANIC:") {
			last = append([]string{line}, last...)
			break
		}
	}
	return strings.Join(last, " | ")
}
