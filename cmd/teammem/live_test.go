package main

import (
	"bytes"
	"testing"

	"github.com/teammem/teammem/client/watch"
)

// F35: status says that names are looked at instead of watched, and why.
func TestField_F35_SaidInStatus(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asJSON bool
		want   string
	}{
		"for people":  {false, "watch     polling: the limit is reached (process 7)\nnews      by stream\n"},
		"for scripts": {true, `{"type":"watch","running":true,"pid":7,"mode":"polling","why":"the limit is reached","news":"stream","queue":0}` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			p := reportPrinter{app: &app{stdout: &out}, asJSON: c.asJSON, lines: newFew(maxLines)}
			line := liveLine{Type: "watch", Running: true, PID: 7, Mode: watch.Polling, Why: "the limit is reached", News: watch.Stream}
			if err := line.print(p); err != nil || out.String() != c.want {
				t.Errorf("got %q, %v; want %q", &out, err, c.want)
			}
		})
	}
}
