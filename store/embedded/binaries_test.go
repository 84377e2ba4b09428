//go:build linux || darwin

package embedded

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeBinaries are programs that only know their version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := programDir(t)
	putBinaries(t, dir, version, "")
	return dir
}

func putBinaries(t *testing.T, dir, version, suffix string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"postgres", "initdb"} {
		putProgram(t, dir, name+suffix, "echo '"+name+" (PostgreSQL) "+version+"'")
	}
}

func putProgram(t *testing.T, dir, name, script string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func TestFindBinaries(t *testing.T) {
	ours, err := findBinaries(t.Context(), "", 0)
	must(t, err)
	t.Run("the environment decides", func(t *testing.T) {
		t.Setenv(binEnv, fakeBinaries(t, "16.2"))
		if b, err := findBinaries(t.Context(), "", 0); err != nil || b.major != 16 {
			t.Errorf("%+v, %v", b, err)
		}
		if _, err := findBinaries(t.Context(), "", ours.major); err == nil {
			t.Error("looked further than it was told")
		}
	})
	t.Run("a data folder decides", func(t *testing.T) {
		dir := fakeBinaries(t, "12.1")
		t.Setenv("PATH", dir)
		if b, err := findBinaries(t.Context(), "", 12); err != nil || b.dir != dir {
			t.Errorf("%+v, %v", b, err)
		}
		if b, err := findBinaries(t.Context(), "", 0); err != nil || !b.supported() {
			t.Errorf("a version too old for a new cluster: %+v, %v", b, err)
		}
	})
	t.Run("too new", func(t *testing.T) {
		dir := fakeBinaries(t, "99.0")
		_, err := findBinaries(t.Context(), dir, 0)
		if err == nil || !strings.Contains(err.Error(), "99.0 in "+dir) {
			t.Errorf("got %v", err)
		}
	})
}

// Where installers of all systems put Postgres, as fake file systems.
func TestSearch_Places(t *testing.T) {
	home := programDir(t)
	t.Setenv("HOME", home)
	t.Setenv("PATH", programDir(t))
	t.Setenv("ProgramFiles", "/Program Files")
	t.Setenv(binEnv, "")
	for _, tt := range []struct{ name, goos, place, version string }{
		{"Debian", "linux", "/usr/lib/postgresql/14/bin", "14.2 (Debian 14.2-1)"},
		{"Postgres' RPMs", "linux", "/usr/pgsql-15/bin", "15.7"},
		{"Alpine", "linux", "/usr/libexec/postgresql16", "16.3"},
		{"openSUSE", "linux", "/usr/lib/postgresql17/bin", "17.0"},
		{"Gentoo", "linux", "/usr/lib64/postgresql-18/bin", "18beta1"},
		{"source", "linux", "/usr/local/pgsql/bin", "17.5"},
		{"Homebrew on Linux", "linux", "/home/linuxbrew/.linuxbrew/opt/postgresql@16/bin", "16.1"},
		{"asdf", "linux", filepath.Join(home, ".asdf/installs/postgres/15.4/bin"), "15.4"},
		{"mise", "darwin", filepath.Join(home, ".local/share/mise/installs/postgres/17.2/bin"), "17.2"},
		{"Homebrew on Apple silicon", "darwin", "/opt/homebrew/opt/postgresql@18/bin", "18.0 (Homebrew)"},
		{"Homebrew on Intel", "darwin", "/usr/local/opt/postgresql@14/bin", "14.18 (Homebrew)"},
		{"Postgres.app", "darwin", "/Applications/Postgres.app/Contents/Versions/16/bin", "16.4 (Postgres.app)"},
		{"MacPorts", "darwin", "/opt/local/lib/postgresql15/bin", "15.1"},
		{"EDB", "darwin", "/Library/PostgreSQL/17/bin", "17.1"},
		{"Windows installer", "windows", "/Program Files/PostgreSQL/16/bin", "16.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := search{root: programDir(t), goos: tt.goos}
			if _, err := s.find(t.Context(), "", 0); err == nil {
				t.Fatal("found something in an empty file system")
			}
			dir := filepath.Join(s.root, tt.place)
			putBinaries(t, dir, tt.version, s.suffix())
			b, err := s.find(t.Context(), "", 0)
			must(t, err)
			version, _, _ := strings.Cut(tt.version, " ")
			if b.dir != dir || b.version != version || b.from != "a usual place" {
				t.Errorf("found %+v in %s", b, dir)
			}
			if _, err := os.Stat(b.path("initdb")); err != nil {
				t.Error(err)
			}
		})
	}
}

// A new cluster gets the newest, an old one its own, wherever they come from.
func TestSearch_Chooses(t *testing.T) {
	t.Setenv("HOME", programDir(t))
	t.Setenv(binEnv, "")
	s := search{root: programDir(t), goos: "linux"}
	path, shims := programDir(t), programDir(t)
	t.Setenv("PATH", shims+":relative:"+path)
	for _, v := range []string{"14.1", "16.1", "18.1"} {
		major, _, _ := strings.Cut(v, ".")
		putBinaries(t, filepath.Join(s.root, "/usr/lib/postgresql", major, "bin"), v, "")
	}
	// As Nix and Homebrew do: a link in PATH alone, whose target has the others beside it.
	store := filepath.Join(programDir(t), "postgresql-and-plugins", "bin")
	putBinaries(t, store, "17.1", "")
	must(t, os.Symlink(filepath.Join(store, "postgres"), filepath.Join(path, "postgres")))
	// As version managers do: a stand-in for pg_config that knows the real folder.
	managed := filepath.Join(programDir(t), "16.9", "bin")
	putBinaries(t, managed, "16.9", "")
	putProgram(t, shims, "pg_config", "echo "+managed)
	// Too old and too new, and one that does not run.
	putBinaries(t, filepath.Join(s.root, "/usr/pgsql-15/bin"), "9.6.24", "")
	putBinaries(t, filepath.Join(s.root, "/usr/local/pgsql/bin"), "19.0", "")
	putProgram(t, filepath.Join(s.root, "/usr/lib64/postgresql-18/bin"), "postgres", "exit 1")
	putProgram(t, filepath.Join(s.root, "/usr/lib64/postgresql-18/bin"), "initdb", "exit 1")

	debian := func(major string) string { return filepath.Join(s.root, "/usr/lib/postgresql", major, "bin") }
	for _, tt := range []struct {
		major     int
		dir, from string
	}{
		{0, debian("18"), "a usual place"},
		{14, debian("14"), "a usual place"},
		{16, managed, "pg_config"}, // before the system's own
		{17, store, "PATH"},
		{19, filepath.Join(s.root, "/usr/local/pgsql/bin"), "a usual place"}, // its data folder was made by somebody who knew
	} {
		if b, err := s.find(t.Context(), "", tt.major); err != nil || b.dir != tt.dir || b.from != tt.from {
			t.Errorf("for %d: %+v, %v; want %s", tt.major, b, err, tt.dir)
		}
	}
	_, err := s.find(t.Context(), "", 15)
	if err == nil {
		t.Fatal("found 15")
	}
	for _, want := range []string{"find Postgres 15", "18.1 in " + debian("18"), binEnv, "install it", "teammem admin backup", "teammem admin restore"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in: %v", want, err)
		}
	}
}
