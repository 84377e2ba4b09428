package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A State is what [Examine] found in an instance's folder.
type State struct {
	Dir        string // of the instance, absolute
	Major      int    // version of Postgres that made the data; 0 if that cannot be read
	Owner      string // account that owns the data, and runs Postgres
	Binaries   string // folder of the programs for it
	Version    string // of them
	From       string // what led to them
	Postmaster int    // process of the server that has the data; 0: none
	Starter    int    // teammem process that runs that server; 0 if it left no number
	Bytes      int64  // size on disk of the whole folder
	Free       int64  // room left there; -1 where the system does not tell
	Err        error  // why the cluster cannot be run as it is
}

// Examine looks at the cluster of the instance in dir, and writes nothing. The
// error says that there is none.
func Examine(ctx context.Context, dir string, opt Options) (State, error) {
	if err := supported(); err != nil {
		return State{}, err
	}
	opt.Existing = true // or the folder would be made
	f, err := openFolder(dir, opt.withDefaults())
	if err != nil {
		return State{}, err
	}
	defer f.root.Close()
	info, err := os.Stat(f.data())
	if err != nil {
		return State{}, noCluster(err)
	}
	s := State{Dir: f.dir, Free: freeBytes(f.data()), Bytes: size(f.dir)}
	if raw, err := os.ReadFile(filepath.Join(f.data(), "PG_VERSION")); err == nil {
		s.Major, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
	}
	o, err := ownerOfData(f.data(), info)
	if err != nil {
		uid, _ := idsOf(info)
		s.Owner, s.Err = accountName(uid), err
		return s, nil
	}
	s.Owner = o.String()
	b, err := f.inspect(ctx, o)
	s.Binaries, s.Version, s.From, s.Err = b.dir, b.version, b.from, err
	if p, err := readPIDFile(f.data()); err == nil && p.running(f.data()) {
		s.Postmaster, s.Starter = p.pid, f.starter()
	}
	return s, nil
}

// starter is the process that noted itself in the lock file.
func (f *folder) starter() int {
	raw, err := f.root.ReadFile(LockName)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil || !processExists(pid) {
		return 0
	}
	return pid
}

// size adds up the files below dir. Postgres makes and removes some meanwhile,
// and not all of them may be ours to see.
func size(dir string) (bytes int64) {
	walk := func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	}
	if err := filepath.WalkDir(dir, walk); err != nil && !errors.Is(err, fs.SkipDir) {
		return 0
	}
	return bytes
}
