package store_test

import (
	"log/slog"
	"strings"
	"testing"
)

// testLog returns a logger whose lines fail the test: whatever the store logs
// should have been impossible.
func testLog(tb testing.TB) *slog.Logger {
	tb.Helper()
	return slog.New(slog.NewTextHandler(failing{tb}, nil))
}

type failing struct{ tb testing.TB }

func (f failing) Write(line []byte) (int, error) {
	f.tb.Errorf("logged: %s", strings.TrimSpace(string(line)))
	return len(line), nil
}
