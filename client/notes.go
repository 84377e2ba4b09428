package client

import (
	"os"
	"strings"
)

// notes is a file beside the index of what is about to happen, for the run after
// one that was cut off before it could write the index. It is not flushed to the
// disk: it has to outlive this program, not the computer.
type notes struct {
	file  string
	there bool // the file may be
}

// lines returns what earlier runs noted, without a line that was cut off.
func (n *notes) lines() (lines []string) {
	b, err := os.ReadFile(n.file)
	if err != nil {
		return nil
	}
	n.there = true
	for line := range strings.Lines(string(b)) {
		if text, whole := strings.CutSuffix(line, "\n"); whole {
			lines = append(lines, text)
		}
	}
	return lines
}

// add notes lines. They are a help and no promise: a full disk must not stop a
// sync.
func (n *notes) add(lines string) {
	if lines == "" {
		return
	}
	n.there = true
	f, err := os.OpenFile(n.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, private)
	if err != nil {
		return
	}
	_, _ = f.WriteString(lines)
	_ = f.Close()
}

// drop is for the end of a run after which nobody needs them.
func (n *notes) drop() {
	if n.there {
		_ = os.Remove(n.file)
		n.there = false
	}
}
