package client

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/teammem/teammem/memory"
)

// Status is how a linked tree stands, without changing anything.
type Status struct {
	Report

	Link     Link
	LastSync time.Time      // zero: never
	Offline  error          // why the server could not be asked
	Hints    []Hint         // by path
	Index    *memory.Budget // size of the MEMORY.md at the top; nil: there is none
	Leaks    []Leak         // texts of the member's that the server took back for a secret
}

// Status observes both sides and plans, like a dry run. Without the server it
// still tells what is known.
func (s *Syncer) Status(ctx context.Context, verify bool) (Status, error) {
	report, err := s.Sync(ctx, SyncOptions{DryRun: true, Verify: verify})
	st := Status{Link: s.link}
	if errors.Is(err, ErrOffline) {
		st.Offline = err
		report, err = s.Sync(ctx, SyncOptions{DryRun: true, Offline: true, Verify: verify})
		report.Proven = false
	}
	st.Report = *report
	if x, err := loadIndex(filepath.Join(s.dirs.stateDir(s.link), "index")); err == nil {
		st.LastSync = x.LastSync
	}
	if err != nil {
		return st, err
	}
	if st.Leaks, err = s.leaks(ctx, &st); err != nil {
		return st, err
	}
	st.Hints, st.Index, err = s.hints(ctx, st.Refused)
	if err != nil && ctx.Err() == nil {
		st.Notices, err = append(st.Notices, fmt.Sprintf("the files were not read for hints: %v", err)), nil
	}
	return st, err
}

// leaks asks the server which texts it took back for a secret, since they may be
// none of this tree's. What was known before is better than nothing.
func (s *Syncer) leaks(ctx context.Context, st *Status) ([]Leak, error) {
	if st.Offline != nil {
		return s.dirs.keptLeaks(s.link).Leaks, nil //nolint:nilerr // that is told by itself
	}
	st.Requests++
	found, err := s.server.Leaks(ctx, s.link.Project)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		st.Notices = append(st.Notices, fmt.Sprintf("which of your texts the server took back is not known: %v", err))
		return s.dirs.keptLeaks(s.link).Leaks, nil
	}
	return leaksOf(found), nil
}
