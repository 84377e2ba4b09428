package view_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"
)

var preview = flag.String("preview", "", "write the sample pages into this folder, next to a copy of web/static/files as static/")

// TestPreview lets a person look at the pages without a server behind them.
func TestPreview(t *testing.T) {
	t.Parallel()
	for name, page := range samples() {
		html := draw(t, page)
		if *preview == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*preview, name+".html"), html, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func draw(t *testing.T, page templ.Component) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
