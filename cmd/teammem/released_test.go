package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
)

// releasedPath names a program that was built already.
const releasedPath = "TEAMMEM_TEST_PROGRAM"

// released is what most tests run as teammem.
var released releasedProgram

// releasedProgram is teammem as people run it. With the race detector a start
// takes five times as long and a search for secrets ten times. In a short run it
// therefore watches the scripts, which run every command, and the servers that
// end by themselves and so tell what it saw; and the packages of which the
// program is made, in their own tests. In a long run it watches every process.
type releasedProgram struct {
	once sync.Once
	dir  string // of the program; "" until it is built
	file string
	err  error
}

// path returns the program, which the first caller builds.
func (p *releasedProgram) path() string {
	p.once.Do(func() { p.file, p.err = p.find() })
	if p.err != nil {
		panic(p.err) // it was compiled a moment ago, for this very test
	}
	return p.file
}

func (p *releasedProgram) find() (string, error) {
	if file := os.Getenv(releasedPath); file != "" {
		return file, nil
	}
	if !testing.Short() || !raceDetector() {
		return testBinary(), nil
	}
	dir, err := os.MkdirTemp("", "teammem-program-")
	if err != nil {
		return "", err
	}
	p.dir = dir
	file := filepath.Join(dir, "teammem")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", file, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return file, nil
}

// remove removes what was built.
func (p *releasedProgram) remove() error {
	if p.dir == "" {
		return nil
	}
	return os.RemoveAll(p.dir)
}

func testBinary() string {
	self, err := os.Executable()
	if err != nil {
		panic(err) // the running test binary always has a name
	}
	return self
}

// raceDetector reports whether this is built with it.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
