package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// withdrawnOf is how many files there are when a maintainer takes those of the
// burst back: far too few for a guard to let so many go.
const withdrawnOf = 300

// measureWithdrawal tells how long files stay with two watching members that a
// maintainer takes back.
func measureWithdrawal(ctx context.Context, dir, peers string) (text string, err error) {
	if !slices.Contains(strings.Split(peers, ","), "teammem") {
		return "", nil
	}
	t := newLiveTeammem(filepath.Join(dir, "bin", "teammem"))
	defer func() { err = errors.Join(err, t.stop()) }()
	if err := beginLive(ctx, dir, t, withdrawnOf-burstFiles); err != nil {
		return "", err
	}
	if _, err := liveBurst(ctx, t); err != nil {
		return "", err
	}
	took, err := t.withdraw(ctx)
	if err != nil {
		return "", fmt.Errorf("take files back: %w", err)
	}
	return fmt.Sprintf("\n%d of %d entries that a maintainer took back had left both members' folders after %s ms.\n",
		burstFiles, withdrawnOf, milliseconds(took)), nil
}

// withdraw has a maintainer take back all files of the burst, and waits until
// both members have none of them.
func (t *liveTeammem) withdraw(ctx context.Context) (time.Duration, error) {
	if _, err := t.admin("member", "add", "admin", "--admin"); err != nil {
		return 0, err
	}
	if err := t.join("admin"); err != nil {
		return 0, err
	}
	if _, err := said(t.as("admin", "sync", "--quiet", t.work("admin"))); err != nil {
		return 0, err
	}
	args := []string{"quarantine", "add", "--folder", t.work("admin")}
	for i := range burstFiles {
		name, _ := burstFile(i)
		args = append(args, filepath.ToSlash(name))
	}
	start := time.Now()
	if _, err := said(t.as("admin", args...)); err != nil {
		return 0, err
	}
	for end := start.Add(liveTooLong); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		if t.burstIsGone() {
			return time.Since(start), awaitEqual(ctx, t)
		}
	}
	return 0, errors.Join(errors.New("what was taken back stays"), ctx.Err())
}

func (t *liveTeammem) burstIsGone() bool {
	a, b := t.replicas()
	for _, replica := range []string{a, b} {
		for i := range burstFiles {
			name, _ := burstFile(i)
			if _, err := os.Lstat(filepath.Join(replica, name)); err == nil {
				return false
			}
		}
	}
	return true
}
