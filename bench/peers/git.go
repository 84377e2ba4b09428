package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// gitPeer has a bare repository as its hub, and runs what people put into a
// hook: add everything, commit if there is anything, pull --rebase, push.
type gitPeer struct {
	dir    string
	round  int
	port   int
	server *server
}

const gitCycle = `git add -A && { git diff --cached --quiet || git commit -qm sync; } && git pull -q --rebase && git push -q`

func (g *gitPeer) name() string { return "git" }

func (g *gitPeer) start(ctx context.Context, dir string) error {
	g.dir = dir
	config := "[user]\nname = m\nemail = m@example.invalid\n[init]\ndefaultBranch = main\n[gc]\nauto = 0\n[safe]\ndirectory = *\n" +
		"[http]\npostBuffer = 67108864\n" // one request with a length instead of a push in chunks
	if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if g.port, err = freePort(ctx); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, "serve-git", "127.0.0.1:"+strconv.Itoa(g.port), dir)
	c.Env, c.Stderr = g.env(), os.Stderr
	g.server, err = launch(ctx, c, g.port)
	return err
}

func (g *gitPeer) env() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL="+filepath.Join(g.dir, "config"), "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
}

func (g *gitPeer) at(name string) string { return filepath.Join(g.dir, strconv.Itoa(g.round), name) }

func (g *gitPeer) url() string {
	return fmt.Sprintf("http://127.0.0.1:%d/%d/hub.git", g.port, g.round)
}

func (g *gitPeer) fresh(ctx context.Context, tree string) error {
	g.round++
	if err := os.CopyFS(g.at("A"), os.DirFS(tree)); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "sh", "-c", `git init -q --bare "$1" && git init -q "$2" && git -C "$2" remote add origin "$3"`, "sh", g.at("hub.git"), g.at("A"), g.url())
	c.Env = g.env()
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git: %w: %s", err, out)
	}
	return nil
}

func (g *gitPeer) commands(op operation) *exec.Cmd {
	script, dir := gitCycle, g.at("A")
	switch op {
	case firstUpload:
		script = "git add -A && git commit -qm first && git push -q -u origin main"
	case firstDownload:
		script, dir = "git clone -q "+g.url()+" B", g.at("")
	case editDown:
		dir = g.at("B")
	case noNewsHashed: // its index stands for the files
		return nil
	case noNews, editUp:
	}
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = dir, g.env()
	return c
}

func (g *gitPeer) replicas() (a, b string) { return g.at("A"), g.at("B") }

func (g *gitPeer) processes() (server, database []int) { return []int{g.server.pid()}, nil }

func (g *gitPeer) stop() error { return g.server.stop() }

// serveGit serves the bare repositories below a folder through git's own CGI
// program. Whoever reaches it may push, and it listens on loopback only.
func serveGit(ctx context.Context, address, root string) error {
	out, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	if err != nil {
		return err
	}
	backend := &cgi.Handler{
		Path:       filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"),
		Env:        []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=m"},
		InheritEnv: []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "PATH"},
	}
	s := &http.Server{Addr: address, ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength < 0 { // a CGI program has to be told
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		}
		backend.ServeHTTP(w, r)
	})}
	defer context.AfterFunc(ctx, func() { _ = s.Close() })()
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
