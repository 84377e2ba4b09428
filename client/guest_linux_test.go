package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/teammem/teammem/internal/testdisk"
)

// guest runs one sync in a process of its own, on whose disk the judge
// decides. It reports whether that process was killed.
func (m *member) guest(t *testing.T, judge testdisk.Judge) (o outcome, killed bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), guestHome+"="+m.home, "GORACE=atexit_sleep_ms=10")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := testdisk.Run(cmd, judge)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == -1 {
		return o, true
	}
	if err != nil {
		t.Fatalf("a sync in another process: %v\n%s", err, &stderr)
	}
	must(t, json.Unmarshal(stdout.Bytes(), &o))
	return o, false
}

// guestInSync runs such a sync, which must end in sync.
func (m *member) guestInSync(t *testing.T, judge testdisk.Judge) outcome {
	t.Helper()
	o, killed := m.guest(t, judge)
	if killed || o.Err != "" || !o.Proven {
		t.Fatalf("killed %t, proven %t, %s", killed, o.Proven, o.Err)
	}
	return o
}
