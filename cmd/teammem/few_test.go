package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// Of thousands of files that are refused a person reads some, those first that
// are new, and what lists all; a script reads every one.
func TestReport_ManyRefused(t *testing.T) {
	t.Parallel()
	const many = 10_000
	r := &client.Report{Proven: true}
	for i := range many {
		r.Refused = append(r.Refused, client.Refused{
			File: fmt.Sprintf("n%05d.md", i), New: i == many-1, Problem: &memory.Error{Code: memory.CodeSecretFound, Message: "m", Hint: "h"},
		})
		r.Notices = append(r.Notices, "something else")
	}
	print := func(asJSON bool) (out, told string) {
		var stdout, stderr bytes.Buffer
		p := reportPrinter{app: &app{stdout: &stdout, stderr: &stderr}, bar: &progressBar{}, asJSON: asJSON, lines: newFew(maxLines)}
		if err := p.print(r, exitRefused); err != nil {
			t.Fatal(err)
		}
		return stdout.String(), stderr.String()
	}
	out, told := print(false)
	lines := strings.Split(strings.TrimSpace(told), "\n")
	if len(lines) != 3*maxLines+2 || !strings.Contains(lines[0], "n09999.md") || !strings.Contains(lines[2], "n00000.md") {
		t.Errorf("%d lines: %s", len(lines), told)
	}
	tells(t, told, "… and 9980 more files not shared: teammem status --json lists all", "… and 9980 more notices: ")
	tells(t, out, "10000 files not shared")
	if out, _ := print(true); strings.Count(out, `"type":"refused"`) != many {
		t.Errorf("--json lists %d", strings.Count(out, `"type":"refused"`))
	}
}

// A watcher tells of what is new, as much of it as a person reads.
func TestWatchPrinter_ManyRefused(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p := &watchPrinter{app: &app{stdout: &stderr, stderr: &stderr}, lines: newFew(maxLines), told: map[string]map[string]bool{}}
	r := &client.Report{}
	told := func() []string {
		stderr.Reset()
		p.cycled(client.Link{Folder: "f", Slug: "s"}, r, nil)
		return slices.Collect(strings.Lines(stderr.String()))
	}
	refuse := func(name string) {
		r.Refused = append(r.Refused, client.Refused{File: name, Problem: &memory.Error{Code: memory.CodeSecretFound, Message: "m"}})
	}
	for i := range 1000 {
		refuse(fmt.Sprintf("n%05d.md", i))
	}
	if lines := told(); len(lines) != maxLines+1 || !strings.Contains(lines[maxLines], "… and 980 more lines") {
		t.Errorf("%d lines: %s", len(lines), lines)
	}
	refuse("new.md")
	if lines := told(); len(lines) != 1 || !strings.Contains(lines[0], "new.md") {
		t.Errorf("then: %s", lines)
	}
}

// A list that a server gives page by page is asked for as far as it is named.
func TestEachPage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pages  int // of 60 items
		asJSON bool
		asked  int
		named  int
		ends   string
	}{
		"short":         {1, false, 1, 60, "item\n"},
		"long":          {5, false, 2, maxListed, "… and more: --json lists all\n"},
		"long, as JSON": {5, true, 5, 300, "item\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			a, asked := &app{stdout: &out}, 0
			err := eachPage(a, tt.asJSON, func(string) ([]int, string, error) {
				if asked++; asked == tt.pages {
					return make([]int, 60), "", nil
				}
				return make([]int, 60), "more", nil
			}, func(int) error {
				_, err := fmt.Fprintln(&out, "item")
				return err
			})
			named := strings.Count(out.String(), "item\n")
			if err != nil || asked != tt.asked || named != tt.named || !strings.HasSuffix(out.String(), tt.ends) {
				t.Errorf("asked for %d pages and named %d: %v, %q", asked, named, err, out.String())
			}
		})
	}
}

// check names files of each verdict, and counts the others.
func TestCheck_ManyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	note, bad := filepath.Join(dir, "note.md"), filepath.Join(dir, "con.md")
	for _, file := range []string{note, bad} {
		if err := os.WriteFile(file, []byte("# A note\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := append(slices.Repeat([]string{note, note}, maxListed), bad)
	r := run(t, dir, append([]string{"check"}, files...)...)
	clean, refused := strings.Count(r.stdout, "clean    "), strings.Count(r.stdout, "refused  ")
	if clean != maxListed || refused != 1 || r.code != exitRefused {
		t.Errorf("exit %d, %d clean, %d refused", r.code, clean, refused)
	}
	tells(t, r.stdout, "… and 100 more clean: --json lists all")
	if r := run(t, dir, append([]string{"check", "--json"}, files...)...); strings.Count(r.stdout, "\n") != len(files) {
		t.Errorf("--json has %d lines", strings.Count(r.stdout, "\n"))
	}
}
