// Command write makes docs/promises.md from a run of the tests that it names,
// and of those that have to fail when a mistake is put into the source. What
// the page says of a test already is not run again, unless -all is given.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/teammem/teammem/internal/promises"
)

const file = "docs/promises.md"

func main() {
	all := flag.Bool("all", false, "run what the page says passed, too")
	flag.Parse()
	if err := run(*all); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(1)
	}
}

func run(all bool) error {
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	page := promises.Page{}
	if page.Tests, err = promises.Tests("."); err != nil {
		return err
	}
	page.Passed, page.Caught = promises.ReadMarks(string(old))
	if all {
		clear(page.Passed)
		clear(page.Caught)
	}
	failed := runTests(page) // what did not pass, or was not found, has no mark
	for _, f := range promises.Faults() {
		if page.Caught[f.Name] {
			continue
		}
		fmt.Printf("%s: %s\n", f.Test, f.Name)
		if err := try(f); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		page.Caught[f.Name] = true
		if err := write(page); err != nil {
			return err
		}
	}
	return errors.Join(failed, write(page))
}

// write is called whenever there is more to say: a run takes minutes.
func write(page promises.Page) error {
	return os.WriteFile(file, []byte(page.String()), 0o644)
}

// runTests runs what the page names and nothing is known of yet, a package
// after the other.
func runTests(page promises.Page) error {
	todo := map[string][]string{}
	for _, name := range page.Shown() {
		if !page.Passed[name] {
			i := strings.LastIndexByte(name, '.')
			todo[name[:i]] = append(todo[name[:i]], name[i+1:])
		}
	}
	var failed error
	for _, dir := range slices.Sorted(maps.Keys(todo)) {
		fmt.Printf("%s: %d tests\n", dir, len(todo[dir]))
		passed, out, err := goTest(dir, todo[dir])
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w\n%s", dir, err, out))
		}
		for _, name := range passed {
			page.Passed[dir+"."+name] = true
		}
		if err := write(page); err != nil {
			return err
		}
	}
	return failed
}

// goTest runs tests of a package, and returns those that passed.
func goTest(dir string, tests []string, flags ...string) (passed []string, out string, err error) {
	args := append([]string{"test", "-json", "-count=1", "-short", "-timeout=5m", "-run", "^(" + strings.Join(tests, "|") + ")$"}, flags...)
	cmd := exec.Command("go", append(args, "./"+dir)...)
	var stdout, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &text
	err = cmd.Run()
	for lines := bufio.NewScanner(&stdout); lines.Scan(); {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue
		}
		text.WriteString(event.Output)
		if event.Action == "pass" && slices.Contains(tests, event.Test) {
			passed = append(passed, event.Test)
		}
	}
	return passed, text.String(), err
}

// try runs the test of a fault with the fault in place, and fails unless the
// test does.
func try(f promises.Fault) error {
	dir, err := os.MkdirTemp("", "teammem-fault-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is in a folder for that
	overlay, err := overlaid(dir, f)
	if err != nil {
		return err
	}
	i := strings.LastIndexByte(f.Test, '.')
	_, out, err := goTest(f.Test[:i], []string{f.Test[i+1:]}, "-overlay", overlay)
	if err == nil {
		return fmt.Errorf("%s passes although %s", f.Test, f.Name)
	}
	if !strings.Contains(out, "--- FAIL: "+f.Test[i+1:]) {
		return fmt.Errorf("%s did not run with the fault that %s: %w\n%s", f.Test, f.Name, err, out)
	}
	return nil
}

// overlaid writes what the go command needs to see another file in the place of
// one of ours.
func overlaid(dir string, f promises.Fault) (string, error) {
	source, err := os.ReadFile(filepath.FromSlash(f.File))
	if err != nil {
		return "", err
	}
	changed, err := f.Apply(string(source))
	if err != nil {
		return "", err
	}
	real, err := filepath.Abs(filepath.FromSlash(f.File))
	if err != nil {
		return "", err
	}
	fake, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {real: fake}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(fake, []byte(changed), 0o600), os.WriteFile(overlay, text, 0o600))
}
