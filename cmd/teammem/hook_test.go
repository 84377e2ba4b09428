package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// reply is what a hook told the agent.
type reply struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
	Message  string `json:"systemMessage"`
	Specific struct {
		Event      string `json:"hookEventName"`
		Permission string `json:"permissionDecision"`
		Reason     string `json:"permissionDecisionReason"`
		Context    string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`

	raw string
}

// hung is longer than a busy machine makes anything take that has a time limit
// of its own; without one it would go on for as long as the server is silent.
// How fast things are is for benchmarks to say.
const hung = 15 * time.Second

// hook runs a hook as the agent does.
func (m *member) hook(t *testing.T, event, stdin string) (r reply) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := program(ctx, m.home, "hook", event)
	var stdout, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &stdout, &stderr
	began := time.Now()
	if err := c.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("hook %s: %v\n%s", event, err, &stderr)
	}
	if took := time.Since(began); took > hung {
		t.Errorf("hook %s took %s", event, took)
	}
	if r.raw = stdout.String(); r.raw == "" {
		return r
	}
	if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || r.raw[0] != '{' {
		t.Fatalf("hook %s: the agent cannot read %q: %v", event, r.raw, err)
	}
	return r
}

// recorded is an event as the agent sent it, in the member's folders.
func (m *member) recorded(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "client", "claude", "hook", "testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("$FOLDER", m.work(), "$TEAM", m.tree()).Replace(string(b))
}

// writes is a call of the agent's tool: the guard, the file, the hand-over.
func (m *member) writes(t *testing.T, id, path, text string) (before, after reply) {
	t.Helper()
	event := func(name string) string {
		b, err := json.Marshal(map[string]any{
			"session_id": m.agent(), "cwd": m.work(), "hook_event_name": name, "tool_name": "Write", "tool_use_id": id,
			"tool_input": map[string]any{"file_path": filepath.Join(m.tree(), filepath.FromSlash(path)), "content": text},
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before = m.hook(t, "PreToolUse", event("PreToolUse"))
	m.write(t, path, text)
	return before, m.hook(t, "PostToolUse", event("PostToolUse"))
}

// agent is the id of the session of the member's agent.
func (m *member) agent() string { return "session of " + filepath.Base(m.home) }

// starts is a session that starts.
func (m *member) starts(t *testing.T, session, source string) reply {
	t.Helper()
	return m.hook(t, "SessionStart", fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"SessionStart","source":%q}`, session, m.work(), source))
}

func mentions(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want %q in it", text, want)
		}
	}
}

// about is an entry on which there is nothing to hint at.
func about(what string) string {
	return "---\ndescription: " + what + "\ntype: reference\n---\n\n" + what + "\n"
}

// verdict is what the agent hears of a write: at once, or on a busy machine with
// the session's next call.
func (m *member) verdict(t *testing.T, after reply, code int) string {
	t.Helper()
	m.sync(t, code)
	if after.raw == "" {
		after = m.hook(t, "PostToolUse", m.elsewhere())
	}
	return after.Reason + after.Specific.Context
}

// elsewhere is a call that is about a file of the member's code.
func (m *member) elsewhere() string {
	return fmt.Sprintf(`{"session_id":%q,"cwd":%q,"hook_event_name":"PostToolUse","tool_name":"Write","tool_use_id":"elsewhere",`+
		`"tool_input":{"file_path":%q,"content":"x"}}`, m.agent(), m.work(), filepath.Join(m.work(), "main.go"))
}

// What one member's agent writes, the other's next session is told: with its
// author and its age.
func TestHook_FromAgentToAgent(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara, ben := tm.join(t, "mara"), tm.join(t, "ben")
	mentions(t, ben.starts(t, "b1", "startup").Specific.Context, "There are no entries yet.")
	ben.sync(t, exitOK)
	ben.starts(t, "b1", "clear")
	if r := mara.hook(t, "PreToolUse", mara.recorded(t, "pre_write")); r.raw != "" {
		t.Errorf("got %s", r.raw)
	}
	mara.write(t, "database.md", "---\nname: database\ndescription: Tests run on a real database\ntype: feedback\n---\n\nTests run on a real database.\n\n"+
		"**Why:** On 2026-03-12 a mock hid a fault.\n")
	if r := mara.hook(t, "PostToolUse", mara.recorded(t, "post_write")); r.raw != "" {
		t.Errorf("got %s", r.raw)
	}
	mara.sync(t, exitOK) // on a busy machine the hook left that to a program that goes on
	ben.sync(t, exitOK)
	mentions(t, ben.starts(t, "b2", "startup").Specific.Context, "Team memory of acme/app: 1 entry in "+ben.tree(),
		"- database.md · added by mara, today", "feedback (1 of 1):", "- database.md · mara, today · Tests run on a real database")
	equalTrees(t, mara, ben)

	_, after := ben.writes(t, "w1", "style/errors.md", about("Wrap errors once"))
	if after.raw != "" {
		t.Errorf("got %s", after.raw)
	}
	ben.sync(t, exitOK)
	mara.sync(t, exitOK)
	mentions(t, mara.starts(t, "m1", "startup").Specific.Context, "2 entries", "- style/errors.md · ben, today · Wrap errors once")
	ben.writes(t, "w2", "style/errors.md", about("Wrap errors twice"))
	ben.sync(t, exitOK)
	mara.sync(t, exitOK)
	r := mara.starts(t, "m1", "resume")
	mentions(t, r.Specific.Context, "- style/errors.md · changed by ben, today")
	if strings.Contains(r.Specific.Context, "database.md") {
		t.Errorf("a session that goes on is told all again: %q", r.Specific.Context)
	}
	if r := mara.starts(t, "m1", "fork"); r.Specific.Context != "" {
		t.Errorf("nothing is new, and it says %s", r.raw)
	}
}

// What the server or the engine says of a write reaches the agent that wrote.
func TestHook_Verdicts(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara, ben := tm.join(t, "mara"), tm.join(t, "ben")
	mara.write(t, "plan.md", "one\n")
	mara.sync(t, exitOK)
	ben.sync(t, exitOK)
	mara.write(t, "plan.md", "two\n")
	mara.sync(t, exitOK)
	_, after := ben.writes(t, "w1", "plan.md", about("mine"))
	mentions(t, ben.verdict(t, after, exitConflicts), "A teammate changed team/plan.md as well: ", "the one from here in "+ben.home)
	if ben.read(t, "plan.md") != "two\n" {
		t.Errorf("the tree has %q", ben.read(t, "plan.md"))
	}
	mentions(t, ben.starts(t, "b1", "startup").Specific.Context, "For this member:", "- A teammate changed team/plan.md as well: ")

	secret := credentials()["github"]
	before, after := ben.writes(t, "w2", "access.md", "# Access\n\nThe token is "+secret+".\n")
	if before.Specific.Permission != "deny" {
		t.Errorf("got %s, want a denial", before.raw)
	}
	for _, reason := range []string{before.Specific.Reason, ben.verdict(t, after, exitConflicts)} {
		mentions(t, reason, "team/access.md is not shared", "line 3")
	}
	r := ben.starts(t, "b1", "compact")
	mentions(t, r.Specific.Context, "- team/access.md is not shared")
	if strings.Contains(before.raw+after.raw+r.raw, secret) {
		t.Error("a refusal quotes the secret")
	}
	mara.sync(t, exitOK)
	if _, err := os.Stat(filepath.Join(mara.tree(), "access.md")); err == nil {
		t.Error("the secret reached the other member")
	}
}

// Of what could be more useful to teammates the agent that wrote it is told; it
// is shared all the same.
func TestHook_Hints(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	_, after := mara.writes(t, "w1", "a.md", "We deploy tomorrow.\n")
	if after.raw != "" { // on a busy machine there is no time for it
		mentions(t, after.Specific.Context, "Hints on team/a.md, which keep nothing from being shared:", "\n- there is no description", "\n- line 1: ")
	}
	mara.sync(t, exitOK)
	_, after = mara.writes(t, "w2", "MEMORY.md", "- [Gone](gone.md) — no such entry\n")
	if after.raw != "" {
		mentions(t, after.Specific.Context, "Hints on team/MEMORY.md", "\n- line 1: ")
	}
	if after.Decision != "" {
		t.Errorf("got %s, want no reason to stop", after.raw)
	}
	mara.sync(t, exitOK)
}

// A write that waits for a reviewer is called so, and so is a rejection.
func TestHook_Review(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	tm.must(t, append(tm.admin, "project", "set", "acme/app", "--review", "strict")...)
	mara := tm.join(t, "mara")
	_, after := mara.writes(t, "w1", "plan.md", about("one"))
	mentions(t, mara.verdict(t, after, exitOK), "team/plan.md waits for review; teammates do not see it yet.")
	mentions(t, mara.starts(t, "m1", "startup").Specific.Context, "- team/plan.md waits for review", "There are no entries yet.")
}

// F49 with the whole program: the server is gone, or takes connections and
// never answers, and a session still starts with what was known.
func TestField_F49_SessionWithoutServer(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	mara.writes(t, "w1", "plan.md", "# The plan\n")
	mara.sync(t, exitOK)
	address := tm.address()
	tm.stop(syscall.SIGKILL)
	check := func(session, why string) {
		t.Helper()
		r := mara.starts(t, session, "startup")
		mentions(t, r.Message, why, "this session was told what was known on 20")
		mentions(t, r.Specific.Context, "- plan.md · mara, today · The plan", ", as of 20")
		if n := strings.Count(r.Message, "\n"); n > 0 {
			t.Errorf("the member is told %d lines, want one: %q", n+1, r.Message)
		}
	}
	check("down", "could not be reached")
	hole, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	go func() {
		for {
			c, err := hole.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	check("hole", "did not answer in time")
}

// A verdict for which there was no time is told by the session's next hook.
func TestHook_VerdictToldLater(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	address := tm.address()
	tm.stop(syscall.SIGKILL)
	mara.writes(t, "w1", "fine.md", "fine\n")
	_, after := mara.writes(t, "w2", "access.md", "The token is "+credentials()["gitlab"]+".\n")
	if after.raw != "" {
		t.Errorf("without a server it says %s", after.raw)
	}
	tm.start(t, address)
	mara.sync(t, exitRefused)
	r := mara.hook(t, "PostToolUse", mara.elsewhere())
	mentions(t, r.Specific.Context, "team/access.md is not shared")
	if strings.Contains(r.raw, "fine.md") {
		t.Errorf("got %s, want nothing on what is shared", r.raw)
	}
	if r := mara.hook(t, "PostToolUse", mara.elsewhere()); r.raw != "" {
		t.Errorf("told twice: %s", r.raw)
	}
}

// A program that ends leaves behind a sync that goes on without it.
func TestHook_FlushOutlivesTheHook(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara, ben := tm.join(t, "mara"), tm.join(t, "ben")
	for event, name := range map[string]string{"Stop": "stop", "SessionEnd": "session_end"} {
		mara.write(t, name+".md", "written by a shell\n")
		if r := mara.hook(t, event, mara.recorded(t, name)); r.raw != "" {
			t.Errorf("%s: got %s", event, r.raw)
		}
		const patience = 2 * time.Minute
		for end, arrived := time.Now().Add(patience), false; !arrived; { // each look is a sync of ben's
			if time.Now().After(end) {
				t.Fatalf("%s: the sync brought nothing", event)
			}
			ben.run(t, "sync", ben.work())
			_, arrived = ben.files(t)[name+".md"]
		}
	}
}
