package hook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// How a session started. After these the agent knows all that it was told
// before; after startup, clear, compact, and whatever newer versions may name,
// nothing.
const (
	sourceResume = "resume"
	sourceFork   = "fork"
)

// What is kept of the limit for what follows.
const (
	answerTime = 500 * time.Millisecond // making the answer; most of it is for a busy machine
	indexTime  = 400 * time.Millisecond // reading what entries say of themselves
	handTime   = 200 * time.Millisecond // starting a program that goes on
)

// sessionStart brings the tree up to date and tells what the team's memory
// holds. The agent gets the index; what does not work is shown to the member.
func (h *Hooks) sessionStart(ctx context.Context, in input) outcome {
	b, ok, err := h.bind(in.Folder)
	if err != nil || !ok || !h.state.once(in) {
		return outcome{err: err}
	}
	notes, err := h.notes.list()
	s := session{Hooks: h, link: b.Link, in: in, notes: notes}
	if err != nil {
		s.say("%v", err)
	}
	for _, n := range notes {
		s.say("%s", n.Failure)
	}
	if b.hold != nil {
		return s.held(b.hold)
	}
	return s.tell(ctx)
}

// session is a session that starts.
type session struct {
	*Hooks

	link     client.Link
	in       input
	notes    []keptFailure
	messages []string // for the member
}

func (s *session) say(format string, args ...any) {
	s.messages = append(s.messages, "teammem: "+fmt.Sprintf(format, args...))
}

// held tells nothing but why.
func (s *session) held(why error) outcome {
	s.say("nothing of the team's memory was told to this session: %v", why)
	return outcome{answer: answer{Message: lines(s.messages)}, remember: s.forget}
}

// forget drops what was told and need not be told again.
func (s *session) forget() error {
	s.Hooks.notes.forget(s.notes)
	return s.state.tidy()
}

// tell pulls, and makes the index of what is known then.
func (s *session) tell(ctx context.Context) outcome {
	start, _ := eventOf(SessionStart)
	err := s.pull(ctx, s.left(start)-answerTime-indexTime)
	if isHold(err) {
		return s.held(err)
	}
	known, knownErr := s.Dirs.Known(s.link)
	if knownErr != nil {
		return s.held(knownErr)
	}
	now := s.Clock()
	asOf := now
	if err != nil {
		asOf = known.LastSync
		s.say("%s; this session was told what was known %s", s.because(err), since(known.LastSync))
	}
	reading, cancel := context.WithTimeout(ctx, s.left(start)-answerTime)
	defer cancel()
	before, _ := load(s.state.linkFile(s.link))
	told := s.toldEntries(reading, known, before)
	news := s.news(known, before, told)
	entries := indexLines(known, told)
	text := memory.TeamIndex(memory.IndexInput{
		Project: s.link.Slug, Folder: filepath.Join(s.link.MemoryDir, tree.FolderName), Total: len(entries),
		AsOf: asOf, Now: now, Notices: notices(known, news.gone), Changes: news.changes, Entries: entries, Delta: s.goesOn(),
	}, memory.MaxTeamIndex)
	a := answer{Message: lines(s.messages)}
	if text != "" {
		a.Specific = &specific{Event: SessionStart, Context: text}
	}
	return outcome{answer: a, remember: func() error {
		s.state.settle(s.state.owed(s.in.Session)) // it is among the notices
		return errors.Join(news.remember(), s.forget())
	}}
}

// pull syncs within the limit.
func (s *session) pull(ctx context.Context, limit time.Duration) error {
	syncer, err := s.Syncer(s.link)
	if err != nil {
		return err
	}
	_, err = s.sync(ctx, syncer, limit)
	return err
}

// isHold reports whether the tree may not be the linked one.
func isHold(err error) bool {
	return errors.Is(err, client.ErrMarker) || errors.Is(err, tree.ErrUnsafe) || errors.Is(err, tree.ErrReplaced)
}

// because says in a few words why there was no sync.
func (s *session) because(err error) string {
	if c, ok := errors.AsType[*client.ConnectError](err); ok {
		return c.Message + " (" + c.Hint + ")"
	}
	switch {
	case errors.Is(err, errLate):
		return fmt.Sprintf("the server at %s did not answer in time", s.link.Server)
	case errors.Is(err, client.ErrOffline):
		return fmt.Sprintf("the server at %s could not be reached", s.link.Server)
	case errors.Is(err, client.ErrLocked):
		return "another sync was at work"
	}
	why := strings.TrimSuffix(err.Error(), ".")
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Code == memory.CodeUnauthenticated && e.Hint != "" {
		why += " (" + e.Hint + ")"
	}
	return why
}

func since(t time.Time) string {
	if t.IsZero() {
		return "before the first sync"
	}
	return "on " + t.UTC().Format("2006-01-02 15:04 UTC")
}
