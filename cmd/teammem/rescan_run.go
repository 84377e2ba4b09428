package main

import (
	"context"
	"time"
)

// How a server looks at stored texts again: beside its members, who come first.
const (
	rescanEvery = 30 * time.Second      // how often it asks whether there is something to look at
	rescanRests = 3                     // for how many times as long as it worked: at most a quarter of a core
	longestRest = 10 * time.Second      // after one text
	giveWay     = time.Second           // to members, for each text, at most
	giveWayStep = 10 * time.Millisecond // how often it looks whether they are still served
)

// rescan looks at what is stored whenever the rules are others than those by
// which it was screened.
func (s *server) rescan(ctx context.Context) {
	tick := time.NewTicker(rescanEvery)
	defer tick.Stop()
	told := false
	for {
		err := error(nil)
		if !told {
			err = s.service.WantRescan(ctx)
			told = err == nil
		}
		if told {
			err = s.service.Rescan(ctx, s.pace)
		}
		if ctx.Err() == nil {
			s.warn(ctx, "stored texts are not scanned again", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// pace rests after a text, and then for as long as texts of members are scanned.
func (s *server) pace(ctx context.Context, took time.Duration) error {
	if err := stay(ctx, min(rescanRests*took, longestRest)); err != nil {
		return err
	}
	for range giveWay / giveWayStep {
		if s.scanner.scans.Load() == 0 {
			break
		}
		if err := stay(ctx, giveWayStep); err != nil {
			return err
		}
	}
	return nil
}

func stay(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
