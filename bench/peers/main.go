package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// insideEnv names the folder to work in, for the program that runs in the
// private network.
const insideEnv = "TEAMMEM_BENCH_DIR"

type options struct {
	sizes  string
	runs   int
	first  int
	peers  string
	charts string
	split  bool
	live   string
}

func main() {
	var o options
	flag.StringVar(&o.sizes, "sizes", "100,1000,10000", "files in a tree, for each of which all is measured")
	flag.IntVar(&o.runs, "runs", 7, "runs of each operation")
	flag.IntVar(&o.first, "first", 3, "runs of first uploads and downloads")
	flag.StringVar(&o.peers, "peers", "teammem,unscanned,git,unison,rsync,syncthing,mutagen", "who is measured, of those that are installed")
	flag.StringVar(&o.charts, "charts", "", "folder to write SVG charts to")
	flag.BoolVar(&o.split, "split", true, "profile where a first sync of the largest tree spends its time")
	flag.StringVar(&o.live, "live", "", "files in a tree, for each of which watchers are measured; empty: none are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := start(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// start measures, in the private network if this is it.
func start(ctx context.Context, o options) error {
	if len(flag.Args()) == 3 && flag.Arg(0) == "serve-git" {
		return serveGit(ctx, flag.Arg(1), flag.Arg(2))
	}
	if dir := os.Getenv(insideEnv); dir != "" {
		return inside(ctx, dir, o)
	}
	dir, err := os.MkdirTemp("", "teammem-bench-")
	if err != nil {
		return err
	}
	err = outside(ctx, dir)
	return errors.Join(err, os.RemoveAll(dir))
}

// outside builds what is measured and runs this program again, in a network of
// its own if the system lets it.
func outside(ctx context.Context, dir string) error {
	if err := buildVariants(ctx, filepath.Join(dir, "bin")); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	again := func() *exec.Cmd {
		c := exec.CommandContext(ctx, self, os.Args[1:]...)
		c.Stdout, c.Stderr, c.Env = os.Stdout, os.Stderr, append(os.Environ(), insideEnv+"="+dir)
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
		return c
	}
	c := again()
	if isolate(c); c.Start() != nil {
		fmt.Fprintln(os.Stderr, "bench: no network of its own to be had, so bytes on the wire are left out")
		c = again()
		if err := c.Start(); err != nil {
			return err
		}
	}
	if err := c.Wait(); err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	return nil
}

func inside(ctx context.Context, dir string, o options) error {
	if err := raiseLoopback(); err != nil {
		return fmt.Errorf("raise the private loopback: %w", err)
	}
	var all []figure
	var errs error
	largest := 0
	for size := range strings.FieldsFuncSeq(o.sizes, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(size)
		if err != nil || n < 1 {
			return fmt.Errorf("size %q is not a number of files", size)
		}
		largest = max(largest, n)
		figures, err := measureSize(ctx, dir, n, o)
		all, errs = append(all, figures...), errors.Join(errs, err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(all) > 0 {
		fmt.Print(table(all), budgets(all))
	}
	if o.live != "" {
		figures, err := live(ctx, dir, o)
		fmt.Print(figures)
		errs = errors.Join(errs, err)
	}
	if o.split && largest > 0 {
		parts, err := split(ctx, dir, largest)
		fmt.Print(parts)
		errs = errors.Join(errs, err)
	}
	if o.charts != "" {
		errs = errors.Join(errs, writeCharts(o.charts, all))
	}
	return errs
}
