package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A pidFile is what a postmaster writes about itself into postmaster.pid, line
// by line while it starts; lines not written yet are zero.
// https://www.postgresql.org/docs/current/storage-file-layout.html
type pidFile struct {
	pid       int
	port      int
	socketDir string
	segment   int // System V shared memory that its processes are attached to, or -1
	ready     bool
}

func pidFilePath(data string) string { return filepath.Join(data, "postmaster.pid") }

// readPIDFile returns the zero pidFile where no postmaster left one.
func readPIDFile(data string) (pidFile, error) {
	raw, err := os.ReadFile(pidFilePath(data))
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, nil
	}
	if err != nil {
		return pidFile{}, err
	}
	return parsePIDFile(string(raw)), nil
}

func parsePIDFile(text string) pidFile {
	lines := strings.Split(text, "\n")
	line := func(n int) string {
		if n > len(lines) {
			return ""
		}
		return strings.TrimSpace(lines[n-1])
	}
	p := pidFile{segment: -1}
	// A single-user server notes its process as a negative number.
	p.pid, _ = strconv.Atoi(strings.TrimPrefix(line(1), "-"))
	p.port, _ = strconv.Atoi(line(4))
	p.socketDir = line(5)
	if key := strings.Fields(line(7)); len(key) == 2 {
		p.segment, _ = strconv.Atoi(key[1])
	}
	p.ready = line(8) == "ready"
	return p
}

// running reports whether a server still has the data folder: the postmaster,
// or one of its processes that has not noticed its death yet.
func (p pidFile) running(data string) bool {
	return p.pid != 0 && (isPostmaster(p.pid, data) || segmentInUse(p.segment, p.pid))
}

// setAsideStale moves a postmaster.pid away whose number belongs to another
// program by now, as happens after a reboot and in containers. Postgres would
// take that program for a postmaster and refuse to start. The caller holds the
// instance's lock and has seen that p is not running.
func setAsideStale(p pidFile, data string) error {
	if p.pid == 0 || !processExists(p.pid) {
		return nil
	}
	path := pidFilePath(data)
	if err := os.Rename(path, path+".stale"); err != nil {
		return fmt.Errorf("set aside %s, left by a server that is gone: %w", path, err)
	}
	return nil
}
