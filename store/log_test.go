package store_test

import (
	"log/slog"
	"strings"
	"testing"
)

// testLog returns a logger whose lines fail the test: whatever the store logs
// should have been impossible.
func testLog(t testing.TB) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(failing{t}, nil))
}

type failing struct{ t testing.TB }

func (f failing) Write(line []byte) (int, error) {
	f.t.Errorf("logged: %s", strings.TrimSpace(string(line)))
	return len(line), nil
}
