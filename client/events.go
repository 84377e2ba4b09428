package client

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// ErrSilent means that a stream of events was opened and nothing came: what is
// between here and the server collects answers before it passes them on.
var ErrSilent = errors.New("nothing comes through a stream of events")

const (
	// firstEvent is how long the first event may take: the server sends where
	// each project stands at once.
	firstEvent = 5 * time.Second

	// silence is how long a stream may say nothing. The server shows three times
	// as often that it lives.
	silence = 45 * time.Second

	// longPoll is how long the server may keep a question that has no answer yet.
	longPoll = 25 * time.Second

	maxEventLine = 16 << 10 // bytes
)

// Events follows where the member's projects stand: at once, and whenever one
// moves on. What it tells are hints; the feed is the truth. The zero cursor says
// that more is allowed in a project than before. It returns when the stream ends,
// which is no error. Alive is told of each line.
func (s *Server) Events(ctx context.Context, heard func(memory.ProjectID, memory.Cursor), alive func()) error {
	if s.session == nil {
		return s.follow(ctx, s.token, heard, alive)
	}
	token, err := s.session.bearer(ctx, s)
	if err != nil {
		return err
	}
	err = s.follow(ctx, token, heard, alive)
	if memory.CodeOf(err) != memory.CodeUnauthenticated || errors.Is(err, errForeign) {
		return err
	}
	if token, err = s.session.renew(ctx, s, token); err != nil {
		return err
	}
	return s.follow(ctx, token, heard, alive)
}

// follow opens one stream and reads it to its end.
func (s *Server) follow(ctx context.Context, token string, heard func(memory.ProjectID, memory.Cursor), alive func()) error {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(s.patience, func() { cancel(fmt.Errorf("%w: it does not answer", ErrOffline)) })
	defer watchdog.Stop()
	req, err := s.build(limited, request{path: "/api/v1/events"}, token)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Accept-Encoding", "identity") // a packer would wait for more to pack
	res, err := s.http.Do(req)
	if err != nil {
		return s.cutOff(ctx, limited, err)
	}
	defer res.Body.Close()
	if err := s.recognise(res); err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(res.Body, maxEventLine))
		if err != nil {
			return s.cutOff(ctx, limited, err)
		}
		return s.problem(res, 0, body)
	}
	watchdog.Stop()
	watchdog = time.AfterFunc(firstEvent, func() { cancel(ErrSilent) })
	defer watchdog.Stop()
	err = readEvents(res.Body, func() {
		watchdog.Reset(silence)
		alive()
	}, heard)
	if err != nil {
		return s.cutOff(ctx, limited, err)
	}
	return ctx.Err()
}

// cutOff says why a stream broke off: who gave it up, or else the network.
func (s *Server) cutOff(ctx, limited context.Context, err error) error {
	if cause := context.Cause(limited); ctx.Err() == nil && cause != nil {
		return cause
	}
	return s.offline(ctx, err)
}

// readEvents reads a stream to its end. Events that are not known are left to
// newer programs.
func readEvents(r io.Reader, alive func(), heard func(memory.ProjectID, memory.Cursor)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 1<<10), maxEventLine)
	var event string
	for lines.Scan() {
		alive()
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(lines.Bytes()) == 0:
			event = ""
		case string(name) == "event":
			event = string(value)
		case string(name) == "data" && (event == "head" || event == "finding"):
			project, at, err := readHint(event, value)
			if err != nil {
				return fmt.Errorf("an event makes no sense: %w", err)
			}
			heard(project, at)
		}
	}
	return lines.Err()
}

// readHint returns the project that an event is about, and where it stands; the
// zero cursor if that is not what the event says.
func readHint(event string, data []byte) (project memory.ProjectID, at memory.Cursor, err error) {
	if event == "finding" {
		var w wire.FindingEvent
		if err := wire.DecodeAnswer(data, &w); err != nil {
			return "", at, err
		}
		project, err = w.Domain()
		return project, at, err
	}
	var w wire.HeadEvent
	if err := wire.DecodeAnswer(data, &w); err != nil {
		return "", at, err
	}
	return w.Domain()
}

// Await asks whether a project has moved on from a state of it, and lets the
// server keep the question for a while if it has not and patient is set.
func (s *Server) Await(ctx context.Context, project memory.ProjectID, known memory.Head, patient bool) (moved bool, err error) {
	query := url.Values{"since": {memory.Cursor{Epoch: known.Epoch, Seq: known.Seq}.String()}, "limit": {"1"}}
	if patient {
		query.Set("wait", strconv.Itoa(int(longPoll.Seconds())))
	}
	var w wire.Feed
	status, err := s.call(ctx, request{path: projectPath(project, "changes"), query: query, tag: strconv.Quote(known.Tag())}, &w)
	return err == nil && status != http.StatusNotModified, err
}

// Forget lets go of connections that nobody uses: the network may have changed
// beneath them.
func (s *Server) Forget() { s.http.CloseIdleConnections() }

// SignedOut reports whether an error is the end of the login, as far as this
// process knows it: there is no use in asking again with the same credentials.
func SignedOut(err error) bool {
	if errors.Is(err, ErrNotLoggedIn) || errors.Is(err, errEnded) || errors.Is(err, errReplaced) {
		return true
	}
	return memory.CodeOf(err) == memory.CodeUnauthenticated && !errors.Is(err, errForeign)
}
