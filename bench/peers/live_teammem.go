package main

import (
	"context"
	"errors"
	"time"
)

// liveTeammem is two members who watch.
type liveTeammem struct {
	teammem
	background
}

func newLiveTeammem(program string) *liveTeammem {
	return &liveTeammem{teammem: teammem{title: "teammem", program: program}}
}

func (t *liveTeammem) patience() (edits, idle time.Duration) { return 40 * time.Second, time.Minute }

func (t *liveTeammem) start(ctx context.Context, dir, tree string) error {
	if err := errors.Join(t.teammem.start(ctx, dir), t.fresh(ctx, tree)); err != nil {
		return err
	}
	for _, op := range []operation{firstUpload, firstDownload} {
		if err := (series{}).run(&t.teammem, op); err != nil {
			return err
		}
	}
	for _, member := range []string{"A", "B"} {
		if err := t.run(t.as(member, "watch")); err != nil {
			return err
		}
	}
	time.Sleep(racy)
	return nil
}

// bare is what a watcher needs that has no tree yet.
func (t *liveTeammem) bare() (kb int64, err error) {
	var b background
	defer b.end()
	if err := b.run(t.as("admin", "watch")); err != nil {
		return 0, err
	}
	time.Sleep(time.Second)
	return residentKB(b.watching()[0]), nil
}

func (t *liveTeammem) stop() error {
	t.end()
	return t.teammem.stop()
}
