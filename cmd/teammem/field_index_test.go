package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// F17: an agent rewrites the index while teammem merges what others added. In
// two hundred rounds, fifty in each of four teams, no line is lost: each is in
// the index, or kept as a conflict where a rewrite and a merge met in the very
// same moment.
func TestField_F17_TwoWritersOneIndex(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		t.Run(fmt.Sprintf("team %d", n), func(t *testing.T) {
			t.Parallel()
			twoWriters(t, 50)
		})
	}
}

func twoWriters(t *testing.T, rounds int) {
	t.Helper()
	tm := newTeam(t)
	mara, jo := tm.join(t, "mara"), tm.join(t, "jo")
	mara.write(t, "MEMORY.md", "# Index\n")
	mara.sync(t, 0)
	jo.sync(t, 0)
	var lines []string
	for round := range rounds {
		line := fmt.Sprintf("- [jo %d](jo-%d.md) — by jo\n", round, round)
		lines = append(lines, line)
		jo.write(t, "MEMORY.md", jo.read(t, "MEMORY.md")+line)
		wentWell(t, <-jo.syncing(t))
		done := mara.syncing(t)
		lines = append(lines, rewriteUntil(t, filepath.Join(mara.tree(), "MEMORY.md"), round, done)...)
	}
	for _, m := range []*member{mara, jo, mara} {
		if r := m.run(t, "sync", m.work()); r.code != 0 && r.code != exitConflicts {
			t.Fatalf("exit %d\n%s", r.code, r.stderr)
		}
	}
	equalTrees(t, mara, jo)
	kept := ""
	conflicts := mara.at(".local", "share", "teammem", "conflicts")
	mkdir(t, conflicts) // there need be none
	for _, text := range filesBelow(t, conflicts) {
		kept += text
	}
	index := mara.read(t, "MEMORY.md")
	for _, line := range lines {
		switch {
		case strings.Count(index, line) == 1:
		case strings.Contains(index, line):
			t.Errorf("twice in the index: %s", line)
		case strings.Contains(line, "by jo") || !strings.Contains(kept, line):
			t.Errorf("lost: %s", line)
		}
	}
	if !strings.HasPrefix(index, "# Index\n") {
		t.Errorf("the index starts with %q", index[:min(len(index), 40)])
	}
}

// syncing starts a sync, and sends how it ended.
func (m *member) syncing(t *testing.T) <-chan result {
	t.Helper()
	c := program(t.Context(), m.home, "sync", m.work(), "--json")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan result, 1)
	go func() {
		_ = c.Wait() // its code says how it went
		done <- result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
	}()
	return done
}

// wentWell fails unless a sync came to its end, be it with a conflict or with
// something that changed under its hands, even in each of its rounds.
func wentWell(t *testing.T, r result) {
	t.Helper()
	moved := r.code == exitRetry && strings.Contains(r.stderr, "the tree or the server kept changing")
	if !moved && (!slices.Contains([]int{exitOK, exitConflicts, exitRetry}, r.code) || r.stderr != "") {
		t.Fatalf("exit %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// rewriteUntil is an agent at work on an index while a sync runs: it reads the
// file, adds a line, and writes all of it back, some times in a row.
func rewriteUntil(t *testing.T, file string, round int, done <-chan result) (own []string) {
	t.Helper()
	const rewrites = 3
	tick := time.NewTicker(7 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case r := <-done:
			wentWell(t, r)
			return own
		case <-tick.C:
			if len(own) < rewrites {
				line := fmt.Sprintf("- [mara %d.%d](mara-%d-%d.md) — by mara\n", round, len(own), round, len(own))
				rewrite(t, file, func(text string) string { return text + line })
				own = append(own, line)
			}
		}
	}
}

// rewrite changes a text in place. What it writes goes into the very file that
// it read, so that it never overwrites what it has not seen.
func rewrite(t *testing.T, file string, edit func(string) string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(edit(string(b))), 0); err != nil {
		t.Fatal(err)
	}
}

// F16: newer agents refuse to write an index over the limit. teammem takes none
// of the private one's budget, so the agent's own line still fits.
func TestField_F16_PrivateIndexIsLeftAlone(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	jo := tm.join(t, "jo")
	jo.tree40(t)
	jo.sync(t, 0)
	mara := tm.settle(t, "mara")
	root := mara.repo(t, "app")
	private := filepath.Join(mara.store(root), "MEMORY.md")
	text := "# Mine\n" + strings.Repeat("- [a note](a-note.md) — "+strings.Repeat("x", 150)+"\n", 150)
	text = text[:24_900]
	note(t, text, private)
	past := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(private, past, past); err != nil {
		t.Fatal(err)
	}
	mara.in(t, root, 0, nil, "link", "--project", "acme/app")
	mara.in(t, root, 0, nil, "sync")
	says(t, mara.in(t, root, 1, nil, "doctor").stdout, "24900 of 25000 bytes")
	names, err := os.ReadDir(mara.store(root))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range names {
		got = append(got, n.Name())
	}
	if !slices.Equal(got, []string{"MEMORY.md", "team"}) {
		t.Errorf("the memory folder holds %q", got)
	}
	b, err := os.ReadFile(private)
	info, statErr := os.Stat(private)
	if err != nil || statErr != nil || string(b) != text || !info.ModTime().Equal(past) {
		t.Errorf("the private index was touched: %v, %v", err, statErr)
	}
}
