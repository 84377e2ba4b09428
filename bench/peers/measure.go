package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// operation is what is measured. All peers have the same, as far as they can.
type operation string

const (
	firstUpload   operation = "first upload"
	firstDownload operation = "first download"
	noNews        operation = "no-op"
	editUp        operation = "one edit, up"
	editDown      operation = "one edit, down"
	noNewsHashed  operation = "no-op, all files read"
)

// sample is one measured run.
type sample struct {
	wall, client, server, database time.Duration
	peakKB                         int64
	wire                           int64
}

// figure is what became of all runs of an operation.
type figure struct {
	files int
	peer  string
	op    operation
	sample
	fastest time.Duration
	runs    int
	hasWire bool
}

// series gathers the runs of one peer at one size.
type series map[operation][]sample

// peer is one way to keep two folders equal. Of the two replicas, A is edited.
type peer interface {
	name() string
	// start readies the peer in a folder of its own.
	start(ctx context.Context, dir string) error
	// fresh makes an empty shared place, and replica A of it from the tree.
	fresh(ctx context.Context, tree string) error
	// commands returns what a member runs for an operation; none: the peer has no such thing.
	commands(op operation) *exec.Cmd
	replicas() (a, b string)
	// processes returns those of the server, and those of its database.
	processes() (server, database []int)
	// stop ends the peer's servers.
	stop() error
}

// run measures one operation of a peer.
func (s series) run(p peer, op operation) error {
	c := p.commands(op)
	if c == nil {
		return nil
	}
	if op == firstUpload || op == firstDownload {
		settle() // else one peer's flush would write what others and their servers left
	}
	server, database := p.processes()
	spent := func() (time.Duration, time.Duration) {
		return processorTime(server, database), processorTime(database, nil)
	}
	s0, d0 := spent()
	w0, _ := wireBytes()
	start := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(start)
	w1, _ := wireBytes()
	s1, d1 := spent()
	if err != nil {
		return fmt.Errorf("%s: %s: %w\n%s", p.name(), op, err, lastLines(out))
	}
	s[op] = append(s[op], sample{
		wall: took, client: c.ProcessState.UserTime() + c.ProcessState.SystemTime(), server: s1 - s0, database: d1 - d0,
		peakKB: peakKB(c.ProcessState), wire: w1 - w0,
	})
	return nil
}

func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "\n")
}

// figures returns the medians. Times of servers come in ticks, so for those it
// is the mean that says something.
func (s series) figures(files int, name string) []figure {
	_, hasWire := wireBytes()
	var all []figure
	for _, op := range []operation{firstUpload, firstDownload, noNews, editUp, editDown, noNewsHashed} {
		runs := s[op]
		if len(runs) == 0 {
			continue
		}
		f := figure{files: files, peer: name, op: op, runs: len(runs), hasWire: hasWire}
		f.wall = median(runs, func(r sample) time.Duration { return r.wall })
		f.client = median(runs, func(r sample) time.Duration { return r.client })
		f.peakKB = median(runs, func(r sample) int64 { return r.peakKB })
		f.wire = median(runs, func(r sample) int64 { return r.wire })
		f.fastest = runs[0].wall
		for _, r := range runs {
			f.server += r.server / time.Duration(len(runs))
			f.database += r.database / time.Duration(len(runs))
			f.fastest = min(f.fastest, r.wall)
		}
		all = append(all, f)
	}
	return all
}

func median[N ~int64](runs []sample, of func(sample) N) N {
	values := make([]N, len(runs))
	for i, r := range runs {
		values[i] = of(r)
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// racy is how long after a write a file's time stamp proves nothing, to the
// peers that look at time stamps.
const racy = 2100 * time.Millisecond

// measureSize measures all peers on one size of tree, run by run in turns. It
// leaves everything where it is: on some file systems making a file is ten times
// as slow for a while after many were removed, which would hit the next in turn.
func measureSize(ctx context.Context, dir string, files int, o options) (all []figure, err error) {
	place, err := os.MkdirTemp(dir, "size-")
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(place, "tree")
	if err := plant(tree, files); err != nil {
		return nil, err
	}
	peers, err := startPeers(ctx, filepath.Join(dir, "bin"), place, o.peers)
	defer func() {
		for _, p := range peers {
			err = errors.Join(err, p.stop())
		}
	}()
	if err != nil {
		return nil, err
	}
	before := load()
	measured := make([]series, len(peers))
	for i := range measured {
		measured[i] = series{}
	}
	err = takeTurns(ctx, peers, measured, tree, o)
	fmt.Fprintf(os.Stderr, "bench: %d files: load %s before, %s after\n", files, before, load())
	for i, p := range peers {
		if differ := compare(p); differ != nil {
			err = errors.Join(err, fmt.Errorf("%s, %d files: void: %w", p.name(), files, differ))
			continue
		}
		all = append(all, measured[i].figures(files, p.name())...)
	}
	return all, err
}

// takeTurns runs all operations. A peer that failed is left as it is: what
// others do is not void because of it.
func takeTurns(ctx context.Context, peers []peer, measured []series, tree string, o options) error {
	var errs error
	all := func(op operation) {
		for i, p := range peers {
			if ctx.Err() == nil {
				errs = errors.Join(errs, measured[i].run(p, op))
			}
		}
	}
	for range o.first {
		for _, p := range peers {
			errs = errors.Join(errs, p.fresh(ctx, tree))
		}
		all(firstUpload)
		all(firstDownload)
	}
	time.Sleep(racy)
	for _, p := range peers { // what was just written is read once more
		errs = errors.Join(errs, series{}.run(p, noNews))
	}
	for run := range o.runs {
		all(noNews)
		all(noNewsHashed)
		for _, p := range peers {
			a, _ := p.replicas()
			errs = errors.Join(errs, edit(a, run))
		}
		all(editUp)
		all(editDown)
		time.Sleep(racy)
		for _, p := range peers {
			errs = errors.Join(errs, series{}.run(p, noNews))
		}
	}
	return errors.Join(errs, ctx.Err())
}
