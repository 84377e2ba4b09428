package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// The major versions of Postgres that teammem is tested with.
const (
	oldestMajor = 14
	newestMajor = 18
)

// binEnv names the folder of the Postgres binaries, before any search.
const binEnv = "TEAMMEM_PG_BIN"

// A search says where binaries are looked for; the zero one is this machine.
type search struct {
	root string // stands before every usual place
	goos string
}

// system is the operating system whose places are looked at.
func (s search) system() string { return cmp.Or(s.goos, runtime.GOOS) }

// places are where installers put server binaries outside PATH, with the major
// version as %d.
func (s search) places() []string {
	home := os.Getenv("HOME")
	managed := []string{ // by version managers, which put stand-ins into PATH
		filepath.Join(home, ".asdf/installs/postgres/%d.*/bin"),
		filepath.Join(home, ".local/share/mise/installs/postgres/%d.*/bin"),
	}
	switch s.system() {
	case "darwin":
		return append([]string{
			"/opt/homebrew/opt/postgresql@%d/bin", // Homebrew on Apple silicon
			"/usr/local/opt/postgresql@%d/bin",    // Homebrew on Intel
			"/Applications/Postgres.app/Contents/Versions/%d/bin",
			"/opt/local/lib/postgresql%d/bin", // MacPorts
			"/Library/PostgreSQL/%d/bin",      // EDB's installer
		}, managed...)
	case "windows":
		return []string{filepath.Join(cmp.Or(os.Getenv("ProgramFiles"), `C:\Program Files`), "PostgreSQL", "%d", "bin")}
	}
	return append([]string{
		"/usr/lib/postgresql/%d/bin",   // Debian, Ubuntu
		"/usr/pgsql-%d/bin",            // Postgres' own RPMs
		"/usr/libexec/postgresql%d",    // Alpine
		"/usr/lib/postgresql%d/bin",    // openSUSE
		"/usr/lib64/postgresql-%d/bin", // Gentoo
		"/opt/postgresql/%d/bin",       // images and archives
		"/usr/local/pgsql/bin",         // built from source
		"/home/linuxbrew/.linuxbrew/opt/postgresql@%d/bin",
	}, managed...)
}

// binaries is a folder with the server binaries of one Postgres version.
type binaries struct {
	dir     string
	major   int
	version string // as Postgres prints it, for logs
	from    string // what led there, for people
	suffix  string // of programs' names
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name+b.suffix) }

func (b binaries) supported() bool { return b.major >= oldestMajor && b.major <= newestMajor }

// findBinaries is [search.find] on this machine.
func findBinaries(ctx context.Context, explicit string, major int) (binaries, error) {
	return search{}.find(ctx, explicit, major)
}

// find returns the binaries of major, which a data folder asks for, or with 0,
// for a new one, the newest that are supported. Among equals the first found
// win: what pg_config names, what PATH finds, the usual places. An explicit
// folder is the only one looked at.
func (s search) find(ctx context.Context, explicit string, major int) (binaries, error) {
	explicit = cmp.Or(explicit, os.Getenv(binEnv))
	candidates := []candidate{{dir: explicit, from: binEnv}}
	if explicit == "" {
		candidates = s.candidates(ctx)
	}
	var best binaries
	var found []binaries
	var problems []error
	for _, c := range candidates {
		b, err := s.inspect(ctx, c)
		switch {
		case err != nil:
			problems = append(problems, err)
			continue
		case major != 0 && b.major == major:
			return b, nil
		case major == 0 && b.supported() && b.major > best.major:
			best = b
		}
		found = append(found, b)
	}
	if err := ctx.Err(); err != nil {
		return binaries{}, fmt.Errorf("find Postgres: %w", err)
	}
	if best.major != 0 {
		return best, nil
	}
	return binaries{}, noBinaries(explicit, major, found, errors.Join(problems...))
}

// A candidate is a folder that may hold binaries.
type candidate struct {
	dir  string
	from string // what led there
}

// candidates lists the folders that hold initdb: client packages bring
// pg_config without a server beside it.
func (s search) candidates(ctx context.Context) []candidate {
	var list []candidate
	add := func(dir, from string) {
		known := slices.ContainsFunc(list, func(c candidate) bool { return c.dir == dir })
		if _, err := os.Stat(filepath.Join(dir, "initdb"+s.suffix())); err == nil && !known {
			list = append(list, candidate{dir, from})
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		add(strings.TrimSpace(string(out)), "pg_config")
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		// A link in PATH stands alone, as with Nix; initdb lives beside its target.
		if target, err := filepath.EvalSymlinks(filepath.Join(dir, "postgres"+s.suffix())); err == nil && filepath.IsAbs(dir) {
			add(filepath.Dir(target), "PATH")
		}
	}
	for _, pattern := range s.places() {
		for major := newestMajor; major >= oldestMajor; major-- {
			dirs, _ := filepath.Glob(filepath.Join(s.root, strings.Replace(pattern, "%d", strconv.Itoa(major), 1))) // fails for bad patterns only
			for _, dir := range slices.Backward(dirs) {
				add(dir, "a usual place")
			}
		}
	}
	return list
}

func (s search) suffix() string {
	if s.system() == "windows" {
		return ".exe"
	}
	return ""
}

// inspect asks the binaries in a folder for their version.
func (s search) inspect(ctx context.Context, c candidate) (binaries, error) {
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return binaries{}, fmt.Errorf("find Postgres: %w", err)
	}
	b := binaries{dir: dir, from: c.from, suffix: s.suffix()}
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return binaries{}, err
	}
	out, err := exec.CommandContext(ctx, b.path("postgres"), "--version").Output()
	if err != nil {
		return binaries{}, fmt.Errorf("run %s: %w", b.path("postgres"), err)
	}
	b.version, b.major = parseVersion(string(out))
	if b.major == 0 {
		return binaries{}, fmt.Errorf("run %s: printed no version", b.path("postgres"))
	}
	return b, nil
}

// parseVersion reads "postgres (PostgreSQL) 15.18 (Debian …)" and "…18beta1".
// An unknown form has major 0.
func parseVersion(out string) (version string, major int) {
	fields := strings.Fields(out)
	if len(fields) < 3 {
		return "", 0
	}
	digits := fields[2]
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = digits[:i]
	}
	major, err := strconv.Atoi(digits)
	if err != nil {
		return "", 0
	}
	return fields[2], major
}

// noBinaries says why no binaries fit and what to do about it.
func noBinaries(explicit string, major int, found []binaries, problem error) error {
	where := "pg_config, PATH and the usual places"
	if explicit != "" {
		where = explicit
	}
	want := fmt.Sprintf("Postgres %d to %d", oldestMajor, newestMajor)
	if major != 0 {
		want = fmt.Sprintf("Postgres %d", major)
	}
	var have []string
	for _, b := range found {
		have = append(have, fmt.Sprintf("%s in %s", b.version, b.dir))
	}
	saw := "found none"
	if len(have) > 0 {
		saw = "found " + strings.Join(have, ", ")
	}
	if problem != nil {
		saw += fmt.Sprintf(" (%v)", problem)
	}
	if major != 0 {
		return fmt.Errorf("find %s: looked in %s, %s; install it or set %s to the folder of its binaries; or, where Postgres %d still runs, "+
			"take a backup of the instance (teammem admin backup) and restore it into a new data folder (teammem admin restore)", want, where, saw, binEnv, major)
	}
	return fmt.Errorf("find %s: looked in %s, %s; install it (on Debian and Ubuntu the package postgresql), set %s to the folder of its binaries, or give a database URL",
		want, where, saw, binEnv)
}
