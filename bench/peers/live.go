package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// liveTooLong is how long a change may take until nobody waits for it any more.
const liveTooLong = 2 * time.Minute

// watcher is a peer that keeps two folders equal by itself.
type watcher interface {
	name() string
	// start has both replicas hold the tree and be watched, in a folder of its own.
	start(ctx context.Context, dir, tree string) error
	replicas() (a, b string)
	// watching returns the processes that work for the two replicas.
	watching() []int
	// patience is how long it is looked at, one edit after the other and idle.
	patience() (edits, idle time.Duration)
	stop() error
}

// watchers returns those that are wanted, with the program that each needs.
func watchers(programs, wanted string) (found []watcher, needs []string) {
	ours := filepath.Join(programs, "teammem")
	for name := range strings.SplitSeq(wanted, ",") {
		switch name {
		case "teammem":
			found, needs = append(found, newLiveTeammem(ours)), append(needs, ours)
		case "syncthing":
			found, needs = append(found, &syncthing{}), append(needs, name)
		case "mutagen":
			found, needs = append(found, &mutagen{}), append(needs, name)
		}
	}
	return found, needs
}

// live measures how long a change takes from one watched folder to another, one
// watcher after the other; what those of the largest tree need while nothing
// happens; and how long what is taken back stays.
func live(ctx context.Context, dir string, o options) (string, error) {
	var all []liveFigure
	var errs error
	sizes := strings.Split(o.live, ",")
	for i, size := range sizes {
		files, err := strconv.Atoi(size)
		if err != nil || files < 1 {
			return "", fmt.Errorf("size %q is not a number of files", size)
		}
		before := load()
		found, needs := watchers(filepath.Join(dir, "bin"), o.peers)
		for k, w := range found {
			f := liveFigure{files: files, peer: w.name()}
			if installed(needs[k]) {
				f, err = measureLive(ctx, dir, w, files, i == len(sizes)-1)
				errs = errors.Join(errs, err)
			}
			all = append(all, f)
		}
		fmt.Fprintf(os.Stderr, "bench: watchers, %d files: load %s before, %s after\n", files, before, load())
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	taken, err := measureWithdrawal(ctx, dir, o.peers)
	return liveTable(all) + taken, errors.Join(errs, err)
}

func measureLive(ctx context.Context, dir string, w watcher, files int, idle bool) (f liveFigure, err error) {
	f = liveFigure{files: files, peer: w.name()}
	defer func() {
		err = errors.Join(err, w.stop())
		if err != nil {
			err = fmt.Errorf("%s, watching %d files: %w", w.name(), files, err)
		}
	}()
	if err := beginLive(ctx, dir, w, files); err != nil {
		return f, err
	}
	if f.edits, err = liveEditing(ctx, w); err != nil {
		return f, err
	}
	if f.burst, err = liveBurst(ctx, w); err != nil {
		return f, err
	}
	if idle {
		err = f.measureIdle(ctx, w)
	}
	return f, err
}

// beginLive plants a tree and waits until it is watched in both replicas.
func beginLive(ctx context.Context, dir string, w watcher, files int) error {
	place, err := os.MkdirTemp(dir, "live-")
	if err != nil {
		return err
	}
	tree, run := filepath.Join(place, "tree"), filepath.Join(place, "run")
	if err := errors.Join(plant(tree, files), os.Mkdir(run, 0o700)); err != nil {
		return err
	}
	if err := w.start(ctx, run, tree); err != nil {
		return err
	}
	return awaitEqual(ctx, w)
}

// awaitEqual waits until both replicas have everything.
func awaitEqual(ctx context.Context, w watcher) error {
	var err error
	for end := time.Now().Add(liveTooLong); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		if err = compare(w); err == nil {
			return nil
		}
	}
	return errors.Join(err, ctx.Err())
}

// rest waits while nothing is done.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
