package hook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize/secrets"
)

const (
	instance  = "ins_hookhookhookhookhookhook"
	project   = memory.ProjectID("prj_hookhookhookhookhookhook")
	sessionID = "3f1c9f1e-6c1d-4b7e-9a53-0d4b8b3c1a77"
)

// scanner is the real one, which takes a while to build.
var scanner = sync.OnceValues(func() (memory.Scanner, error) { return secrets.New() })

// member has a linked folder whose server is at any address.
type member struct {
	testing.TB

	home    string
	dirs    client.Dirs
	link    client.Link
	env     map[string]string
	flush   error
	hurried bool // limits are what they are; else a busy machine has a minute more

	running []*Hooks

	mu      sync.Mutex
	flushed []string
}

func newMember(t testing.TB, server string) *member {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &member{TB: t, home: home, env: map[string]string{"HOME": home}}
	m.dirs = client.Dirs{Config: m.at("config"), State: m.at("state"), Data: m.at("data")}
	m.mkdir(m.at("app"))
	m.mkdir(m.at("memory"))
	m.link = m.linked(m.at("app"), m.at("memory"), server)
	m.must(m.dirs.SaveLogin(client.Login{Server: server, Instance: instance, Member: "mem_x", Name: "mara", Device: "dev_x", Token: "none"}))
	return m
}

// linked links a folder as the command does, without asking the server.
func (m *member) linked(folder, dir, server string) client.Link {
	m.Helper()
	t, err := tree.Open(dir, tree.Options{
		Clock: time.Now, Create: true, Keep: func(context.Context, tree.Old) error { return errors.New("nothing is replaced") },
	})
	m.must(err)
	defer t.Close()
	marker, err := t.WriteMarker(instance, project)
	m.must(err)
	l := client.Link{
		Folder: folder, Repository: "dir:" + folder, Server: server, Instance: instance, Project: project, Slug: "acme/app",
		MemoryDir: dir, MemoryReal: dir, Source: "--memory-dir", RootID: marker.Root,
	}
	m.must(m.dirs.SaveLink(l))
	return l
}

func (m *member) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

func (m *member) at(parts ...string) string {
	return filepath.Join(append([]string{m.home}, parts...)...)
}

func (m *member) team(parts ...string) string {
	return m.at(append([]string{"memory", tree.FolderName}, parts...)...)
}

func (m *member) mkdir(dir string) {
	m.Helper()
	m.must(os.MkdirAll(dir, 0o700))
}

func (m *member) write(file, text string) {
	m.Helper()
	m.mkdir(filepath.Dir(file))
	m.must(os.WriteFile(file, []byte(text), 0o600))
}

// hooks are those of a program that has just begun.
func (m *member) hooks() *Hooks {
	m.Helper()
	start := time.Now()
	if !m.hurried {
		start = start.Add(time.Minute)
	}
	h := New(Options{
		Dirs: m.dirs, Getenv: func(name string) string { return m.env[name] }, Clock: time.Now, Start: start, Scanner: scanner,
		Syncer: func(l client.Link) (*client.Syncer, error) {
			s, err := client.NewServer(l.Server, client.ServerOptions{Token: "none", Instance: l.Instance})
			if err != nil {
				return nil, err
			}
			return client.NewSyncer(m.dirs, l, s, client.SyncerOptions{
				Device: "dev_x", Scanner: scanner, RuleSet: secrets.RuleSet, Clock: time.Now, Home: m.home,
			}), nil
		},
		Flush: func(folder string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.flushed = append(m.flushed, folder)
			return m.flush
		},
	})
	m.Cleanup(h.Wait)
	m.running = append(m.running, h)
	return h
}

// wait waits for what the hooks of this member left running.
func (m *member) wait() {
	for _, h := range m.running {
		h.Wait()
	}
}

// reply is an answer as the agent reads it.
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
const hung = 15 * time.Second

// run answers an event, and holds every answer to what all have in common.
func (m *member) run(event string, stdin io.Reader) (r reply) {
	m.Helper()
	var out bytes.Buffer
	began := time.Now()
	m.must(m.hooks().Run(m.Context(), event, stdin, &out))
	if took := time.Since(began); m.hurried && took > hung {
		m.Errorf("%s took %s", event, took)
	}
	r.raw = out.String()
	if r.raw == "" {
		return r
	}
	if !strings.HasPrefix(r.raw, "{") || strings.ContainsAny(r.raw, "<>") {
		m.Errorf("%s: the agent does not take %q for an answer", event, r.raw)
	}
	m.must(json.Unmarshal(out.Bytes(), &r, json.RejectUnknownMembers(true)))
	for _, s := range []string{r.Reason, r.Message, r.Specific.Reason, r.Specific.Context} {
		if units(s) > memory.MaxTeamIndex {
			m.Errorf("%s: a text of %d units is put aside by the agent", event, units(s))
		}
	}
	return r
}

// recorded is an event of testdata in the member's folders.
func (m *member) recorded(name string) string {
	m.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	m.must(err)
	return strings.NewReplacer("$FOLDER", m.at("app"), "$TEAM", m.team()).Replace(string(b))
}

func (m *member) replay(event, name string) reply {
	m.Helper()
	return m.run(event, strings.NewReader(m.recorded(name)))
}

// tool is an event of a tool's call.
func (m *member) tool(event, tool string, input map[string]any) reply {
	m.Helper()
	b, err := json.Marshal(map[string]any{
		"session_id": sessionID, "cwd": m.at("app"), "hook_event_name": event, "tool_name": tool, "tool_input": input,
		"tool_use_id": "toolu_" + string(rune('a'+rand.IntN(26))) + time.Now().Format("150405.000000000"),
	})
	m.must(err)
	return m.run(event, bytes.NewReader(b))
}

// put is a Write that is about to happen.
func (m *member) put(file, text string) reply {
	m.Helper()
	return m.tool(PreToolUse, "Write", map[string]any{"file_path": file, "content": text})
}

// started is a session that starts.
func (m *member) started(id, source string) reply {
	m.Helper()
	b, err := json.Marshal(map[string]any{"session_id": id, "cwd": m.at("app"), "hook_event_name": SessionStart, "source": source})
	m.must(err)
	return m.run(SessionStart, bytes.NewReader(b))
}

func (m *member) failures() (texts []string) {
	m.Helper()
	all, err := Failures(m.dirs)
	m.must(err)
	for _, f := range all {
		texts = append(texts, f.String())
	}
	return texts
}

// noted is what a hook noted that may have ended before it was written.
func (m *member) noted() (texts []string) {
	m.Helper()
	for deadline := time.Now().Add(time.Minute); len(texts) == 0 && time.Now().Before(deadline); {
		texts = m.failures()
	}
	return texts
}

// token is a credential that no source may hold.
func token() string {
	random := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for range 36 {
		b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"[random.IntN(62)])
	}
	return "gh" + "p_" + b.String()
}
