package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// How much is changed.
const (
	liveEdits  = 100                    // at most, one at a time
	livePause  = 300 * time.Millisecond // between two, so that none waits for the one before
	burstFiles = 200                    // in a second
)

// liveEditing edits one file after the other in A, and waits for each in B.
func liveEditing(ctx context.Context, w watcher) (took []time.Duration, err error) {
	a, b := w.replicas()
	files, err := notes(a)
	if err != nil {
		return nil, err
	}
	limit, _ := w.patience()
	end := time.Now().Add(limit)
	for i := 0; i < liveEdits && time.Now().Before(end) && ctx.Err() == nil; i++ {
		time.Sleep(livePause)
		name := files[(i*37+11)%len(files)]
		text, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "edit %d\n", i)
		start := time.Now()
		if err := os.WriteFile(filepath.Join(a, name), text, 0o600); err != nil {
			return nil, err
		}
		if err := awaitText(ctx, filepath.Join(b, name), text); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took, ctx.Err()
}

// awaitText waits until a file has a text.
func awaitText(ctx context.Context, file string, text []byte) error {
	for end := time.Now().Add(liveTooLong); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(file); err != nil || info.Size() != int64(len(text)) {
			continue
		}
		if is, err := os.ReadFile(file); err == nil && bytes.Equal(is, text) {
			return nil
		}
	}
	return errors.Join(fmt.Errorf("what was written did not come to %s", file), ctx.Err())
}

// liveBurst makes files in A, evenly over a second, and waits for all in B.
func liveBurst(ctx context.Context, w watcher) (time.Duration, error) {
	a, b := w.replicas()
	if err := os.Mkdir(filepath.Join(a, "burst"), 0o700); err != nil {
		return 0, err
	}
	time.Sleep(livePause)
	start := time.Now()
	for i := range burstFiles {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / burstFiles)))
		name, text := burstFile(i)
		if err := os.WriteFile(filepath.Join(a, name), text, 0o600); err != nil {
			return 0, err
		}
	}
	for i := range burstFiles {
		name, text := burstFile(i)
		if err := awaitText(ctx, filepath.Join(b, name), text); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// burstFile is one of the files, by its path in a replica.
func burstFile(i int) (name string, text []byte) {
	return filepath.Join("burst", fmt.Sprintf("%03d.md", i)), fmt.Appendf(nil, "file %d\n", i)
}
