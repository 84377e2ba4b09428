package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// startPeers starts the peers that are wanted and installed. What started is
// returned also when another did not.
func startPeers(ctx context.Context, programs, place, wanted string) ([]peer, error) {
	var started []peer
	var errs error
	for name := range strings.SplitSeq(wanted, ",") {
		p, needs := known(name, programs)
		if watchers, _ := watchers(programs, name); p == nil && len(watchers) > 0 {
			continue // which only watches
		}
		if p == nil {
			return started, fmt.Errorf("there is no peer %q", name)
		}
		if _, err := exec.LookPath(needs); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s is not installed, and left out\n", needs)
			continue
		}
		dir := filepath.Join(place, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), p.start(ctx, dir)); err != nil {
			errs = errors.Join(errs, fmt.Errorf("start %s: %w", name, err))
			continue
		}
		started = append(started, p)
	}
	return started, errs
}

// known returns a peer by its name, and the program that it needs.
func known(name, programs string) (p peer, needs string) {
	switch name {
	case "teammem", "unscanned":
		t := &teammem{title: name, program: filepath.Join(programs, name)}
		return t, t.program
	case "git":
		return &gitPeer{}, "git"
	case "unison":
		return &unison{}, "unison"
	case "rsync":
		return &rsync{}, "rsync"
	}
	return nil, ""
}
