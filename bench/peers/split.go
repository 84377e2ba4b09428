package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// part is what a sync spends its time on.
type part string

const (
	partScan     part = "search for secrets"
	partDisk     part = "files: list, read, write, hash"
	partWire     part = "wire: JSON, gzip, HTTP"
	partDatabase part = "database"
	partRuntime  part = "allocator and scheduler"
	partOther    part = "other"
)

// parts is the order of the table.
func parts() []part {
	return []part{partScan, partDisk, partWire, partDatabase, partRuntime, partOther}
}

// seams says to which part the time below a function belongs. A call stack is
// read from the leaf, and the first function that is here decides.
func seams() []struct {
	prefix string
	part   part
} {
	const ours = "github.com/teammem/teammem/"
	return []struct {
		prefix string
		part   part
	}{
		{ours + "sanitize/secrets.", partScan},
		{ours + "client/tree.", partDisk},
		{ours + "client.(*index)", partDisk},
		{ours + "client.vault", partDisk},
		{ours + "memory.Sum", partDisk},
		{ours + "sync.TextSum", partDisk},
		{"github.com/jackc/pgx", partDatabase},
		{ours + "store.", partDatabase},
		{ours + "api/wire.", partWire},
		{"net/http.", partWire},
		{"github.com/klauspost/compress", partWire},
		{"github.com/go-json-experiment/json", partWire},
	}
}

// split syncs a tree for the first time, up and down, with the variant that
// writes profiles, and tells what client and server spent their time on. The
// profiler itself costs a little, so only the shares mean anything.
func split(ctx context.Context, dir string, files int) (text string, err error) {
	place, err := os.MkdirTemp(dir, "split-")
	if err != nil {
		return "", err
	}
	t := &teammem{title: "profiled", program: filepath.Join(dir, "bin", "profiled"), profiles: filepath.Join(place, "profiles")}
	tree := filepath.Join(place, "tree")
	if err := errors.Join(plant(tree, files), os.Mkdir(t.profiles, 0o700), os.Mkdir(filepath.Join(place, "run"), 0o700)); err != nil {
		return "", err
	}
	measured := series{}
	err = t.start(ctx, filepath.Join(place, "run"))
	if err == nil {
		err = errors.Join(t.fresh(ctx, tree), t.forget())
	}
	var up, down map[part]time.Duration
	if err == nil {
		err = measured.run(t, firstUpload)
	}
	if err == nil {
		up, err = t.profile(ctx, "sync")
	}
	if err == nil {
		err = errors.Join(t.forget(), measured.run(t, firstDownload))
	}
	if err == nil {
		down, err = t.profile(ctx, "sync")
	}
	err = errors.Join(err, t.stop())
	if err != nil {
		return "", err
	}
	serve, err := t.profile(ctx, "serve")
	if err != nil {
		return "", err
	}
	postgres := measured[firstUpload][0].database + measured[firstDownload][0].database
	return splitTable(files, up, down, serve, postgres), nil
}

// forget removes the profiles that were written so far, but for the server's,
// which is still being written.
func (t *teammem) forget() error {
	written, err := filepath.Glob(filepath.Join(t.profiles, "*"))
	for _, file := range written {
		if !strings.HasPrefix(filepath.Base(file), "serve-") {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return err
}

// profile reads the one profile that a command has written.
func (t *teammem) profile(ctx context.Context, command string) (map[part]time.Duration, error) {
	written, err := filepath.Glob(filepath.Join(t.profiles, command+"-*"))
	if err != nil || len(written) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d profiles of %s instead of one", len(written), command))
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", t.program, written[0]).Output()
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	return readTraces(string(out))
}

// readTraces adds up the stacks that pprof prints: behind each line of dashes
// one, with its time before the leaf.
func readTraces(text string) (map[part]time.Duration, error) {
	spent := map[part]time.Duration{}
	var stack []string
	var took time.Duration
	end := func() {
		if len(stack) > 0 {
			spent[partOf(stack)] += took
		}
		stack, took = nil, 0
	}
	started := false
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "-----------+") {
			end()
			started = true
			continue
		}
		if !started || line == "" {
			continue
		}
		if first, rest, two := strings.Cut(line, " "); len(stack) == 0 && two {
			d, err := time.ParseDuration(first)
			if err != nil {
				continue // a label
			}
			took, line = d, strings.TrimSpace(rest)
		}
		stack = append(stack, line)
	}
	end()
	return spent, lines.Err()
}

func partOf(stack []string) part {
	for _, function := range stack {
		for _, s := range seams() {
			if strings.HasPrefix(function, s.prefix) {
				return s.part
			}
		}
	}
	for _, function := range stack {
		if !strings.HasPrefix(function, "runtime.") && !strings.HasPrefix(function, "internal/runtime") {
			return partOther
		}
	}
	return partRuntime
}

func splitTable(files int, up, down, serve map[part]time.Duration, postgres time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nWhere the processor time of a first sync of %d files goes, up and down, in ms:\n\n", files)
	b.WriteString("| part | client, up | client, down | server, both | Postgres, both |\n|---|---:|---:|---:|---:|\n")
	for _, p := range parts() {
		own := "–"
		if p == partDatabase {
			own = milliseconds(postgres)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p, milliseconds(up[p]), milliseconds(down[p]), milliseconds(serve[p]), own)
	}
	return b.String()
}
