package main

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A server that takes the call and says nothing holds doctor up for seconds at
// most, and everything else is told all the same.
func TestDoctor_ServerWithoutAWord(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	mara.write(t, "x.md", "text\n")
	mara.sync(t, 0)
	address := tm.address()
	tm.stop(syscall.SIGKILL)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	start := time.Now()
	r := mara.in(t, mara.work(), 1, nil, "doctor")
	if took := time.Since(start); took > hung {
		t.Errorf("it took %s", took)
	}
	says(t, r.stdout, "no answer: it took too long", filepath.Join(mara.home, "memory"), "1 shared, 0 refused", "last sync")
	silentOn(t, r.stdout+r.stderr, mara.token)
}
