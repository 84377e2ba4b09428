package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// binPlaces are where distributions put server binaries outside PATH, with the
// major version as the star.
func binPlaces() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // Postgres' own RPMs
		"/usr/libexec/postgresql*",           // Alpine
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	}
}

// binaries is a folder with the server binaries of one Postgres version.
type binaries struct {
	dir     string
	major   int
	version string // as Postgres prints it, for logs
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// findBinaries returns the first binaries of a supported version, or of exactly
// major where a data folder asks for one (0 otherwise). An explicit folder is
// the only one looked at.
func findBinaries(ctx context.Context, explicit string, major int) (binaries, error) {
	if explicit == "" {
		explicit = os.Getenv(binEnv)
	}
	dirs := []string{explicit}
	if explicit == "" {
		dirs = binDirs(ctx)
	}
	var found []binaries
	var problems []error
	for _, dir := range dirs {
		b, err := inspectBinaries(ctx, dir)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if b.major == major || major == 0 && b.supported() {
			return b, nil
		}
		found = append(found, b)
	}
	if err := ctx.Err(); err != nil {
		return binaries{}, fmt.Errorf("find Postgres: %w", err)
	}
	return binaries{}, noBinaries(explicit, major, found, errors.Join(problems...))
}

func (b binaries) supported() bool { return b.major >= oldestMajor && b.major <= newestMajor }

// binDirs lists the folders to search, best first: what pg_config names, what
// PATH finds, and the known places from the newest version down.
func binDirs(ctx context.Context) []string {
	var dirs []string
	add := func(dir string) {
		// Client packages bring pg_config without a server beside it.
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		add(strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		// A link in PATH stands alone; initdb lives beside its target.
		if target, err := filepath.EvalSymlinks(path); err == nil {
			add(filepath.Dir(target))
		}
	}
	for _, pattern := range binPlaces() {
		for major := newestMajor; major >= oldestMajor; major-- {
			add(strings.Replace(pattern, "*", strconv.Itoa(major), 1))
		}
	}
	return dirs
}

// inspectBinaries asks the binaries in dir for their version.
func inspectBinaries(ctx context.Context, dir string) (binaries, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return binaries{}, fmt.Errorf("find Postgres: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return binaries{}, err
	}
	b := binaries{dir: dir}
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
	return fmt.Errorf("find %s: looked in %s, %s; install it (on Debian and Ubuntu the package postgresql), set %s to the folder of its binaries, or give a database URL",
		want, where, saw, binEnv)
}
