package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkHook_Unrelated runs the built program as an agent does for a call
// that concerns nobody's team/: a member has linked folders, and writes a file
// of their code. It has to be out within 25 ms at p95 on an idle machine.
func BenchmarkHook_Unrelated(b *testing.B) {
	program, home := build(b), b.TempDir()
	linked(b, home, 5)
	work := filepath.Join(home, "work", "0", "cmd")
	mkdir(b, work)
	stdin := fmt.Sprintf(`{"session_id":"s","transcript_path":"/t.jsonl","cwd":%q,"permission_mode":"default","hook_event_name":"PreToolUse",`+
		`"tool_name":"Write","tool_input":{"file_path":%q,"content":%q},"tool_use_id":"toolu_1"}`,
		work, filepath.Join(work, "main.go"), strings.Repeat("package main // a file of code\n", 200))
	measure(b, func() *exec.Cmd {
		c := exec.CommandContext(b.Context(), program, "hook", "PreToolUse")
		c.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
		c.Stdin = strings.NewReader(stdin)
		return c
	})
}

// BenchmarkHook_StartUp is what starting the program alone costs.
func BenchmarkHook_StartUp(b *testing.B) {
	program, home := build(b), b.TempDir()
	measure(b, func() *exec.Cmd {
		c := exec.CommandContext(b.Context(), program, "version")
		c.Env = []string{"HOME=" + home}
		return c
	})
}

// runs is how often a program is run for one measurement.
const runs = 50

func measure(b *testing.B, command func() *exec.Cmd) {
	b.Helper()
	measureRuns(b, runs, command)
}

// measureRuns runs a program, and returns the time within which half of the
// runs are done: what a busy machine adds is not the program's.
func measureRuns(b *testing.B, runs int, command func() *exec.Cmd) time.Duration {
	b.Helper()
	var took []time.Duration
	for b.Loop() {
		for range runs {
			took = append(took, timed(b, command()))
		}
	}
	b.ReportMetric(float64(at(took, 50))/1e6, "median-ms")
	b.ReportMetric(float64(at(took, 95))/1e6, "p95-ms")
	b.ReportMetric(0, "ns/op")
	return at(took, 50)
}

// timed runs a program, which must end well.
func timed(b *testing.B, c *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return took
}

// at returns the time within which so many of a hundred are done.
func at(took []time.Duration, percent int) time.Duration {
	slices.Sort(took)
	return took[(len(took)-1)*percent/100]
}

// build builds the program as "make build" does, with the cache of that.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "teammem")
	c := exec.CommandContext(b.Context(), "go", "build", "-o", program, "../cmd/teammem")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// linked links folders, as far as a hook can see.
func linked(b *testing.B, home string, n int) {
	b.Helper()
	var links []string
	for i := range n {
		work, memory := filepath.Join(home, "work", fmt.Sprint(i)), filepath.Join(home, "memory", fmt.Sprint(i))
		mkdir(b, work)
		mkdir(b, filepath.Join(memory, "team"))
		links = append(links, fmt.Sprintf(`{"folder":%q,"memory_dir":%q,"memory_real":%q}`, work, memory, memory))
	}
	dir := filepath.Join(home, ".config", "teammem")
	mkdir(b, dir)
	if err := os.WriteFile(filepath.Join(dir, "links.json"), []byte(`{"links":[`+strings.Join(links, ",")+`]}`), 0o600); err != nil {
		b.Fatal(err)
	}
}

func mkdir(b *testing.B, dir string) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
}
