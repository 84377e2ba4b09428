package hook

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// The ways in which a server does not answer. Each is a real listener.
func badServers() map[string]func(t *testing.T) string {
	return map[string]func(t *testing.T) string{
		// A port that was free a moment ago may be another test's by now; nobody is
		// given this one.
		"down": func(*testing.T) string { return "http://127.0.0.1:1" },
		"black hole": func(t *testing.T) string {
			return serving(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
		},
		"slow": func(t *testing.T) string {
			return serving(t, func(c net.Conn) {
				answer := []byte("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + strings.Repeat(" ", 1000))
				tick := time.NewTicker(50 * time.Millisecond)
				defer tick.Stop()
				for range tick.C {
					if _, err := c.Write(answer[:1]); err != nil || len(answer) == 1 {
						return
					}
					answer = answer[1:]
				}
			})
		},
		"nonsense": func(t *testing.T) string {
			return serving(t, func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n") })
		},
		"a page of somebody's": func(t *testing.T) string {
			return serving(t, func(c net.Conn) {
				_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\nConnection: close\r\n\r\n<html>log in</html>\n")
			})
		},
		"resets": func(t *testing.T) string {
			return serving(t, func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) })
		},
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serving answers each connection until the test ends.
func serving(t *testing.T, answer func(c net.Conn)) string {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			closing := context.AfterFunc(t.Context(), func() { _ = c.Close() })
			go func() {
				defer c.Close()
				defer closing()
				answer(c)
			}()
		}
	}()
	t.Cleanup(func() { _ = l.Close() })
	return "http://" + l.Addr().String()
}

// F49 and F50: no server holds a session up, whatever it does instead of
// answering, and one line says so. Writing goes on as well.
func TestField_F49_F50_ServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, server := range badServers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMember(t, server(t))
			m.hurried = true
			r := m.replay(SessionStart, "session_start")
			if lines := strings.Split(r.Message, "\n"); len(lines) != 1 || !strings.Contains(r.Message, "this session was told what was known before the first sync") {
				t.Errorf("the member is told %q, want one line", r.Message)
			}
			if r.Specific.Event != SessionStart || !strings.HasPrefix(r.Specific.Context, "Team memory of acme/app: 0 entries") {
				t.Errorf("the agent is told %q", r.Specific.Context)
			}
			if r := m.replay(PreToolUse, "pre_write"); r.raw != "" {
				t.Errorf("PreToolUse: got %s", r.raw)
			}
			m.write(m.team("database.md"), "Tests run on a real database.\n")
			if r := m.replay(PostToolUse, "post_write"); r.raw != "" {
				t.Errorf("PostToolUse: got %s", r.raw)
			}
			for event, name := range map[string]string{Stop: "stop", SessionEnd: "session_end"} {
				if r := m.replay(event, name); r.raw != "" {
					t.Errorf("%s: got %s", event, r.raw)
				}
			}
		})
	}
}

// F51: a hook after each write never waits for a slow server; the file waits on
// disk, and a sync goes on behind the session.
func TestField_F51_EachWriteReturnsAtOnce(t *testing.T) {
	t.Parallel()
	m := newMember(t, badServers()["black hole"](t))
	m.hurried = true
	m.write(m.team("a.md"), "a\n")
	for range 3 {
		began := time.Now()
		r := m.tool(PostToolUse, "Write", map[string]any{"file_path": m.team("a.md"), "content": "a\n"})
		if took := time.Since(began); r.raw != "" || took > hung {
			t.Errorf("took %s: %s", took, r.raw)
		}
	}
	m.wait()
	if len(m.flushed) != 3 || m.flushed[0] != m.link.Folder {
		t.Errorf("started syncs of %q, want three of the folder", m.flushed)
	}
	if owed := m.hooks().state.owed(sessionID); len(owed) != 1 || owed[0].Disk != "a.md" {
		failures, err := Failures(m.dirs)
		t.Errorf("owes the verdicts on %+v; noted: %+v, %v", owed, failures, err)
	}
}
