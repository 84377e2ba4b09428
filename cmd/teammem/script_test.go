package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/teammem/teammem/internal/testdb"
)

// The scripts in testdata/script hold the command line to what people and
// programs rely on: words, exit codes, and what must not be there.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               scriptSetup,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   scriptExits,
			"fresh":   scriptFresh,
			"server":  scriptServer,
			"stop":    scriptStop,
			"keep":    scriptKeep,
			"first":   scriptFirst,
			"secret":  scriptSecret,
			"hides":   scriptHides,
			"bytes":   scriptBytes,
			"holds":   scriptHolds,
			"private": scriptPrivate,
		},
	})
}

// scripted is what belongs to one script.
type scripted struct {
	testing.TB

	server *exec.Cmd
}

type scriptedKey struct{}

func scriptedOf(ts *testscript.TestScript) *scripted {
	s, ok := ts.Value(scriptedKey{}).(*scripted)
	if !ok {
		ts.Fatalf("the script was not set up")
	}
	return s
}

// scriptSetup gives each script a home of its own, and a program called teammem.
func scriptSetup(env *testscript.Env) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin, home := filepath.Join(env.WorkDir, ".bin"), filepath.Join(env.WorkDir, "home")
	for _, dir := range []string{bin, home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	if err := os.Symlink(self, filepath.Join(bin, "teammem")); err != nil {
		return err
	}
	env.Setenv(asProgram, "1")
	env.Vars = append(env.Vars, quickExit)
	env.Setenv("HOME", home)
	env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("SECRET", "") // known once it is made
	t, ok := env.T().(testing.TB)
	if !ok {
		return errors.New("the script's test is no testing.TB")
	}
	env.Values[scriptedKey{}] = &scripted{TB: t}
	return nil
}

// exits CODE PROGRAM ARGS... runs a program that ends with the code.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit %d, want %d", got, want)
	}
}

// fresh makes a database that no server has served, and sets DB.
func scriptFresh(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: fresh")
	}
	ts.Setenv("DB", testdb.New(scriptedOf(ts)))
}

// server starts one on a database of the script's own, and sets DB and URL.
func scriptServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: server")
	}
	s := scriptedOf(ts)
	ts.Setenv("DB", testdb.New(s))
	var log bytes.Buffer
	server := programUnderRace(s.Context(), ts.MkAbs("."), "serve", "--listen", "127.0.0.1:0", "--database-url", ts.Getenv("DB"), "--data", ts.MkAbs("instance"))
	server.Stderr = &log
	out, err := server.StdoutPipe()
	ts.Check(err)
	ts.Check(server.Start())
	ts.Defer(func() {
		end(server)
		withoutRace(s, log.String())
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		end(server)
		ts.Fatalf("the server did not start: %v\n%s", err, log.String())
	}
	ts.Setenv("URL", strings.TrimSpace(strings.TrimPrefix(line, "listening on ")))
	s.server = server
}

func end(server *exec.Cmd) {
	if server.ProcessState == nil {
		_ = server.Process.Kill()
		_ = server.Wait() // the signal is the reason
	}
}

// stop ends the server; its URL then leads nowhere.
func scriptStop(ts *testscript.TestScript, neg bool, args []string) {
	s := scriptedOf(ts)
	if neg || len(args) > 0 || s.server == nil {
		ts.Fatalf("usage: stop, after server")
	}
	end(s.server)
}

// keep NAME keeps the last output as a variable.
func scriptKeep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: keep NAME")
	}
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// first NAME keeps the first word of the last output as a variable.
func scriptFirst(ts *testscript.TestScript, neg bool, args []string) {
	words := strings.Fields(ts.ReadFile("stdout"))
	if neg || len(args) != 1 || len(words) == 0 {
		ts.Fatalf("usage: first NAME, after a command with output")
	}
	ts.Setenv(args[0], words[0])
}

// secret FILE writes a credential among words, and keeps it as SECRET.
func scriptSecret(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: secret FILE")
	}
	ts.Setenv("SECRET", credentials()["github"])
	file := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o700))
	ts.Check(os.WriteFile(file, []byte("# Access\n\nThe token is "+ts.Getenv("SECRET")+", ask first.\n"), 0o600))
}

// hides NAME... fails if the last output or error shows one of the variables.
func scriptHides(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hides NAME...")
	}
	for _, name := range args {
		value := ts.Getenv(name)
		if value == "" {
			ts.Fatalf("%s is empty: the check proves nothing", name)
		}
		for _, stream := range []string{"stdout", "stderr"} {
			if strings.Contains(ts.ReadFile(stream), value) {
				ts.Fatalf("%s shows %s", stream, name)
			}
		}
	}
}

// bytes FILE HEX COUNT writes bytes that a script cannot hold, or too many of
// them.
func scriptBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: bytes FILE HEX COUNT")
	}
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	count, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.Repeat(b, count), 0o600))
}

// holds DIR FILE... fails unless the folder holds just these files, at any
// depth. The marker of a linked tree does not count; temporary files do.
func scriptHolds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: holds DIR FILE...")
	}
	var got []string
	dir := ts.MkAbs(args[0])
	ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".teammem" {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		got = append(got, filepath.ToSlash(rel))
		return err
	}))
	want := slices.Sorted(slices.Values(args[1:]))
	slices.Sort(got)
	if !slices.Equal(got, want) {
		ts.Fatalf("%s holds %q, want %q", args[0], got, want)
	}
}

// private DIR fails if anybody else may read what is in the folder.
func scriptPrivate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: private DIR")
	}
	if runtime.GOOS == "windows" {
		return // where the home folder's own rights decide
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			ts.Fatalf("%s has mode %s", path, info.Mode())
		}
		return err
	}))
}
