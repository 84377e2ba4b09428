package embedded

import (
	"errors"
	"io"
	"os"
	"strings"
)

// maxLog is the size at which the server's log moves to postgres.log.1. A quiet
// server writes a few lines per start; a client that cannot connect and never
// gives up must not fill the disk that holds the data.
const maxLog = 4 << 20

// openLog opens the server's log for appending.
func (f *folder) openLog(o owner) (*os.File, error) {
	if err := f.trimLog(); err != nil {
		return nil, err
	}
	file, err := f.root.OpenFile(logName, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return file, f.give(logName, o)
}

// trimLog copies a log that grew too large aside and empties it. The server
// appends, so it goes on at the new end without being told.
func (f *folder) trimLog() (err error) {
	log, err := f.root.OpenFile(logName, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	info, err := log.Stat()
	if err != nil || info.Size() <= maxLog {
		return err
	}
	// After a storm the newest lines are enough.
	if _, err := log.Seek(-maxLog, io.SeekEnd); err != nil {
		return err
	}
	old, err := f.root.OpenFile(logName+".1", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(old, log, maxLog)
	if err = errors.Join(err, old.Close()); err != nil {
		return err
	}
	return log.Truncate(0)
}

// noSpace is how Postgres says, in English as we start it, that a disk is full.
const noSpace = "No space left on device"

// complaint is the reason that the log gives, after offset, for a server's end.
// What clients were told meanwhile is none.
func (f *folder) complaint(offset int64) string {
	file, err := f.root.Open(logName)
	if err != nil {
		return err.Error()
	}
	defer file.Close() //nolint:errcheck // read only
	raw, err := io.ReadAll(io.NewSectionReader(file, offset, 64<<10))
	if err != nil {
		return err.Error()
	}
	last := "nothing"
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if _, after, ok := strings.Cut(line, "PANIC:"); ok {
			return strings.TrimSpace(after)
		}
		if _, after, ok := strings.Cut(line, "FATAL:"); ok && !strings.Contains(after, "the database system is ") {
			return strings.TrimSpace(after)
		}
		last = line
	}
	return last
}
