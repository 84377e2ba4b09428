package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkHook_Deadlines runs every hook of a linked folder while its server
// accepts calls and says nothing, or says it one byte at a time. An agent must
// never wait longer than this for them.
func BenchmarkHook_Deadlines(b *testing.B) {
	program := build(b)
	m := linkedMember(b, program)
	for name, behave := range map[string]func(net.Conn){"silent": silence, "slow": dribble} {
		b.Run(name, func(b *testing.B) {
			l := listen(b, m.address)
			defer l.Close()
			go answer(l, behave)
			for _, hook := range []struct {
				event, recorded string
				limit           time.Duration
			}{
				{"SessionStart", "session_start", 1500 * time.Millisecond},
				{"PreToolUse", "pre_write", 2 * time.Second},
				{"PostToolUse", "post_write", 800 * time.Millisecond},
				{"Stop", "stop", 100 * time.Millisecond},
				{"SessionEnd", "session_end", 300 * time.Millisecond},
			} {
				b.Run(hook.event, func(b *testing.B) {
					stdin, n := m.recorded(b, hook.recorded), 0
					took := measureRuns(b, 10, func() *exec.Cmd {
						n++ // a session is told once, and a call answered once
						c := m.command(b.Context(), "hook", hook.event)
						c.Stdin = strings.NewReader(strings.NewReplacer(session, fmt.Sprintf("%s-%s-%d", name, hook.event, n)).Replace(stdin))
						return c
					})
					b.ReportMetric(float64(hook.limit)/1e6, "limit-ms")
					if took > hook.limit {
						b.Errorf("took %s, may take %s", took, hook.limit)
					}
				})
			}
		})
	}
}

// BenchmarkVersion_Ratio compares the program's start with that of a Go program
// that does nothing, in turns.
func BenchmarkVersion_Ratio(b *testing.B) {
	const most = 4.5
	program, dir := build(b), b.TempDir()
	write(b, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	empty := filepath.Join(dir, "empty")
	c := exec.CommandContext(b.Context(), "go", "build", "-o", empty, filepath.Join(dir, "main.go"))
	if out, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var ours, none []time.Duration
	for b.Loop() {
		for range runs {
			none = append(none, timed(b, exec.CommandContext(b.Context(), empty)))
			ours = append(ours, timed(b, exec.CommandContext(b.Context(), program, "version")))
		}
	}
	ratio := float64(slices.Min(ours)) / float64(slices.Min(none)) // whatever else the machine does
	b.ReportMetric(ratio, "of-empty")
	b.ReportMetric(0, "ns/op")
	if ratio > most {
		b.Errorf("a start takes %.2f times that of an empty program, may take %.1f", ratio, most)
	}
}

// session is the one of the recorded events.
const session = "3f1c9f1e-6c1d-4b7e-9a53-0d4b8b3c1a77"

// linkedHome is a member with a linked folder, whose server is gone.
type linkedHome struct{ program, home, address string }

// linkedMember logs in to a server and links a folder, and then stops the
// server.
func linkedMember(b *testing.B, program string) linkedHome {
	b.Helper()
	m := linkedHome{program: program, home: b.TempDir()}
	mkdir(b, m.work())
	mkdir(b, filepath.Dir(m.team()))
	data := filepath.Join(m.home, "data")
	server := m.command(b.Context(), "serve", "--data", data)
	server.Cancel = func() error { return server.Process.Signal(syscall.SIGTERM) }
	stdout, err := server.StdoutPipe()
	must(b, err)
	must(b, server.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	must(b, err)
	url := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	m.address = strings.TrimPrefix(url, "http://")
	m.said(b, "admin", "--data", data, "member", "add", "ann")
	m.said(b, "admin", "--data", data, "project", "add", "acme/app")
	token := m.said(b, "admin", "--data", data, "token", "create", "--member", "ann", "--project", "acme/app", "--scope", "sync:read,sync:write")
	m.said(b, "login", url, "--token", token)
	m.said(b, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Dir(m.team()))
	write(b, filepath.Join(m.team(), "note.md"), "---\nname: Note\ndescription: A note.\ntype: project\n---\n\nA note.\n")
	m.said(b, "sync", m.work())
	must(b, server.Process.Signal(syscall.SIGTERM))
	must(b, server.Wait())
	return m
}

func (m linkedHome) work() string { return filepath.Join(m.home, "work") }
func (m linkedHome) team() string { return filepath.Join(m.home, "memory", "team") }

func (m linkedHome) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, m.program, args...)
	c.Env = []string{"HOME=" + m.home, "PATH=" + os.Getenv("PATH")}
	return c
}

func (m linkedHome) said(b *testing.B, args ...string) string {
	b.Helper()
	out, err := m.command(b.Context(), args...).CombinedOutput()
	if err != nil {
		b.Fatalf("%s: %v\n%s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// recorded is an event as the agent sends it, in the member's folders.
func (m linkedHome) recorded(b *testing.B, name string) string {
	b.Helper()
	event, err := os.ReadFile(filepath.Join("..", "client", "claude", "hook", "testdata", name+".json"))
	must(b, err)
	return strings.NewReplacer("$FOLDER", m.work(), "$TEAM", m.team()).Replace(string(event))
}

func listen(b *testing.B, address string) net.Listener {
	b.Helper()
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", address)
	must(b, err)
	return l
}

// answer behaves towards everybody who calls, until the listener is closed.
func answer(l net.Listener, behave func(net.Conn)) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			behave(c)
		}()
	}
}

func silence(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

func dribble(c net.Conn) {
	for _, letter := range "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" {
		time.Sleep(100 * time.Millisecond)
		if _, err := io.WriteString(c, string(letter)); err != nil {
			return
		}
	}
}

func write(b *testing.B, file, text string) {
	b.Helper()
	must(b, os.WriteFile(file, []byte(text), 0o600))
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
