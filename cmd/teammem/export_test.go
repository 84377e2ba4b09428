package main

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A history that cannot be closed may not be whole, whatever was written.
func TestExport_HistoryNotClosed(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), historyName))
	if err != nil {
		t.Fatal(err)
	}
	e := &export{history: bufio.NewWriter(f)}
	if err := errors.Join(e.history.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	if err := e.endHistory(f); !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "write "+historyName) {
		t.Errorf("got %v", err)
	}
}
