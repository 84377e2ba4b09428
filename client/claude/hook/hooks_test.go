package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// nobody has no linked folder.
func nobody(t *testing.T) *member {
	t.Helper()
	m := newMember(t, "http://127.0.0.1:1")
	m.must(os.RemoveAll(m.dirs.Config))
	return m
}

// noise are inputs that no agent would send, and that must not matter.
func noise() map[string]string {
	deep := strings.Repeat("[", 100_000)
	return map[string]string{
		"nothing":       "",
		"blank":         " \n",
		"no JSON":       "hello",
		"half":          `{"session_id":"x","cwd":"`,
		"a list":        `[]`,
		"null":          `null`,
		"two":           `{}{}`,
		"wrong types":   `{"session_id":5,"cwd":{},"hook_event_name":[],"tool_input":7}`,
		"deep":          `{"tool_input":` + deep,
		"deep, closed":  `{"tool_input":` + deep + strings.Repeat("]", 100_000) + `}`,
		"too large":     `{"tool_input":"` + strings.Repeat("x", 9<<20) + `"}`,
		"bad UTF-8":     "{\"cwd\":\"\xff\xfe\"}",
		"another event": `{"hook_event_name":"Notification"}`,
		"NUL":           "\x00",
	}
}

// What cannot be read has no answer, never ends in an error, and is noted where
// something is linked.
func TestRun_Noise(t *testing.T) {
	t.Parallel()
	for name, stdin := range noise() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, none := newMember(t, "http://127.0.0.1:1"), nobody(t)
			for _, event := range []string{SessionStart, PreToolUse, PostToolUse, Stop, PreCompact, SessionEnd, "UserPromptSubmit", "Unheard", ""} {
				for _, who := range []*member{m, none} {
					if r := who.run(event, strings.NewReader(stdin)); r.raw != "" {
						t.Errorf("%s: got %s", event, r.raw)
					}
				}
			}
			if len(m.flushed) > 0 {
				t.Errorf("it started %d syncs", len(m.flushed))
			}
			if n := len(m.failures()); n != 6 {
				t.Errorf("noted %d failures, want one an event", n)
			}
			if _, err := os.Stat(none.dirs.State); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("something was written where nothing is linked: %v", err)
			}
		})
	}
}

// The events as the agent sends them, in a folder that is not linked.
func TestRun_Unbound(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.mkdir(m.at("elsewhere"))
	for event, name := range map[string]string{
		SessionStart: "session_start", PreToolUse: "pre_write", PostToolUse: "post_write", Stop: "stop", PreCompact: "pre_compact",
		SessionEnd: "session_end", "UserPromptSubmit": "user_prompt",
	} {
		stdin := strings.NewReplacer(m.at("app"), m.at("elsewhere"), m.team(), m.at("elsewhere")).Replace(m.recorded(name))
		if r := m.run(event, strings.NewReader(stdin)); r.raw != "" {
			t.Errorf("%s: got %s", event, r.raw)
		}
	}
	if _, err := os.Stat(m.dirs.State); !errors.Is(err, fs.ErrNotExist) || len(m.flushed) > 0 {
		t.Errorf("an event that concerns nobody left something behind: %v, %d syncs", err, len(m.flushed))
	}
}

// What an agent of tomorrow sends as well changes nothing.
func TestRun_UnknownFields(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	stdin := strings.Replace(m.recorded("pre_write"), "{", `{"new":{"deep":[1,{"x":null}]},"new":2,"half":"\ud800",`, 1)
	stdin = strings.Replace(stdin, "a real database.", token(), 1)
	if r := m.run(PreToolUse, strings.NewReader(stdin)); r.Specific.Permission != "deny" {
		t.Errorf("got %s, want a denial", r.raw)
	}
	if f := m.failures(); f != nil {
		t.Errorf("noted %q", f)
	}
}

// Flushing events start one sync that nobody waits for, and say nothing.
func TestRun_Flush(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	for event, name := range map[string]string{Stop: "stop", PreCompact: "pre_compact", SessionEnd: "session_end"} {
		for range 2 { // the second as if the plugin was there as well
			if r := m.replay(event, name); r.raw != "" {
				t.Errorf("%s: got %s", event, r.raw)
			}
		}
	}
	if want := []string{m.link.Folder, m.link.Folder, m.link.Folder}; fmt.Sprint(m.flushed) != fmt.Sprint(want) {
		t.Errorf("started syncs of %q, want %q", m.flushed, want)
	}
}

// stuck is a pipe that is never closed.
type stuck struct{ until <-chan struct{} }

func (s stuck) Read([]byte) (int, error) {
	<-s.until
	return 0, io.EOF
}

// An agent that never ends its event does not hold itself up, and a limit that
// has passed already is kept, too.
func TestRun_Limit(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.hurried = true
	if r := m.run(PreToolUse, stuck{t.Context().Done()}); r.raw != "" {
		t.Errorf("got %s", r.raw)
	}
	if f := m.noted(); len(f) != 1 || !strings.Contains(f[0], "the hook for PreToolUse did not work") || !strings.Contains(f[0], "not done within 2s") {
		t.Errorf("noted %q", f)
	}
	h := m.hooks()
	h.Start = time.Now().Add(-time.Hour)
	var out strings.Builder
	m.must(h.Run(t.Context(), Stop, stuck{t.Context().Done()}, &out))
	if out.Len() > 0 || len(m.failures()) != 1 {
		t.Errorf("got %q and %q", out.String(), m.failures())
	}
}

// A hook that the agent ends is no failure.
func TestRun_Ended(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	m.must(m.hooks().Run(ctx, PreToolUse, stuck{t.Context().Done()}, &out))
	if f := m.failures(); out.Len() > 0 || f != nil {
		t.Errorf("got %q, noted %q", out.String(), f)
	}
}

// A crash is noted with its place, and without what it was about.
func TestRun_Crash(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	h := m.hooks()
	h.Flush = func(string) error { panic("secret words") }
	var out strings.Builder
	m.must(h.Run(t.Context(), Stop, strings.NewReader(m.recorded("stop")), &out))
	f := m.failures()
	if out.Len() > 0 || len(f) != 1 || !strings.Contains(f[0], "hooks_test.go:") || strings.Contains(f[0], "words") {
		t.Errorf("got %q, noted %q", out.String(), f)
	}
	h = m.hooks()
	h.Flush = func(string) error { none := make([]int, 0); _ = none[len(m.home)]; return nil }
	m.must(h.Run(t.Context(), SessionEnd, strings.NewReader(m.recorded("session_end")), &out))
	if f := m.failures(); len(f) != 2 || !strings.Contains(f[1], "index out of range") {
		t.Errorf("noted %q", f)
	}
}

// What went wrong is told once, when the next session starts.
func TestFailures_ToldOnce(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["down"](t))
	m.flush = errors.New("no process can be started <here>")
	m.replay(Stop, "stop")
	m.run(PreToolUse, strings.NewReader("{"))
	m.run(PreToolUse, strings.NewReader("{"))
	r := m.started("one", "startup")
	for _, want := range []string{"the hook for Stop did not work (last on ", "no process can be started ‹here›", "the hook for PreToolUse did not work, 2 times"} {
		if !strings.Contains(r.Message, want) {
			t.Errorf("told %q, want %q in it", r.Message, want)
		}
	}
	if f := m.failures(); f != nil {
		t.Errorf("still kept: %q", f)
	}
	if r := m.started("two", "startup"); strings.Contains(r.Message, "did not work") {
		t.Errorf("told again: %q", r.Message)
	}
}

// closed is a pipe that the agent has closed.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// An answer that did not arrive counts as not given.
func TestRun_AnswerLost(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["down"](t))
	m.run(Stop, strings.NewReader("{"))
	err := m.hooks().Run(t.Context(), SessionStart, strings.NewReader(m.recorded("session_start")), closed{})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if f := m.failures(); len(f) != 1 {
		t.Errorf("kept %q, want the failure that nobody heard of", f)
	}
}

// Of many kinds of failures the first are kept, and hooks do not fill a disk.
func TestFailures_Bounded(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	for n := range 2 * maxFailures {
		m.hooks().notes.add(Event{Name: Stop}, fmt.Errorf("number %d", n))
	}
	if n := len(m.failures()); n != maxFailures {
		t.Errorf("kept %d", n)
	}
}

// FuzzRun holds every input to the same: no error, no crash, and an answer that
// the agent can read or none.
func FuzzRun(f *testing.F) {
	m := newMember(f, "http://127.0.0.1:1")
	for _, name := range []string{"session_start", "pre_write", "pre_edit", "post_write", "post_edit", "stop", "session_end"} {
		f.Add(m.recorded(name))
	}
	for _, stdin := range noise() {
		if len(stdin) < 1000 {
			f.Add(stdin)
		}
	}
	f.Fuzz(func(t *testing.T, stdin string) {
		m.TB = t
		for _, event := range []string{PreToolUse, Stop} {
			m.run(event, strings.NewReader(stdin))
			for _, failure := range m.failures() {
				if strings.Contains(failure, "crash") {
					t.Errorf("%s: %s", event, failure)
				}
			}
		}
	})
}
