package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// teammem is the program itself, or a variant of it.
type teammem struct {
	title    string
	program  string
	dir      string
	round    int
	url      string
	server   *server
	postgres int
	profiles string // folder of the profiles that a variant writes; "": none
}

func (t *teammem) name() string { return t.title }

func (t *teammem) at(names ...string) string {
	return filepath.Join(append([]string{t.dir}, names...)...)
}

// as returns a command that a member runs.
func (t *teammem) as(member string, args ...string) *exec.Cmd {
	c := exec.Command(t.program, args...)
	c.Env = []string{"HOME=" + t.at(member), "PATH=" + os.Getenv("PATH"), profileEnv + "=" + t.profiles}
	return c
}

func (t *teammem) admin(args ...string) (string, error) {
	return said(t.as("admin", append([]string{"admin", "--data", t.at("data")}, args...)...))
}

func said(c *exec.Cmd) (string, error) {
	var out, problems strings.Builder
	c.Stdout, c.Stderr = &out, &problems
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, problems.String())
	}
	return strings.TrimSpace(out.String()), nil
}

func (t *teammem) start(ctx context.Context, dir string) error {
	t.dir = dir
	for _, member := range []string{"A", "B", "admin"} {
		if err := os.Mkdir(t.at(member), 0o700); err != nil {
			return err
		}
	}
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	t.url = "http://" + address
	c := exec.CommandContext(ctx, t.program, "serve", "--data", t.at("data"), "--listen", address)
	c.Env = append(os.Environ(), profileEnv+"="+t.profiles)
	if t.server, err = launch(ctx, c, port); err != nil {
		return err
	}
	if t.postgres, err = t.findPostgres(); err != nil {
		return err
	}
	for _, member := range []string{"A", "B"} {
		if _, err := t.admin("member", "add", member); err != nil {
			return err
		}
	}
	return nil
}

// findPostgres returns the process of the private cluster, which has written
// its number into the first line of a file in its data.
func (t *teammem) findPostgres() (pid int, err error) {
	err = filepath.WalkDir(t.at("data"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "postmaster.pid" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(string(b), "\n")
		if pid, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
			return err
		}
		return fs.SkipAll
	})
	if err == nil && pid == 0 {
		err = errors.New("the server's Postgres cannot be found")
	}
	return pid, err
}

// work and notes are a member's folder and its memory in this round.
func (t *teammem) work(member string) string { return t.at(member, "work"+strconv.Itoa(t.round)) }

func (t *teammem) memory(member string) string {
	return t.at(member, "memory"+strconv.Itoa(t.round))
}

func (t *teammem) fresh(_ context.Context, tree string) error {
	t.round++
	if _, err := t.admin("project", "add", t.slug()); err != nil {
		return err
	}
	for _, member := range []string{"A", "B"} {
		if err := t.join(member); err != nil {
			return err
		}
	}
	a, _ := t.replicas()
	return os.CopyFS(a, os.DirFS(tree))
}

// slug is the project of this round.
func (t *teammem) slug() string { return "round" + strconv.Itoa(t.round) }

// join has a member take part in this round.
func (t *teammem) join(member string) error {
	token, err := t.admin("token", "create", "--member", member, "--project", t.slug(), "--scope", "sync:read,sync:write")
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(t.work(member), 0o700), os.Mkdir(t.memory(member), 0o700)); err != nil {
		return err
	}
	if _, err := said(t.as(member, "login", t.url, "--token", token)); err != nil {
		return err
	}
	_, err = said(t.as(member, "link", t.work(member), "--project", t.slug(), "--memory-dir", t.memory(member)))
	return err
}

func (t *teammem) commands(op operation) *exec.Cmd {
	switch op {
	case firstDownload, editDown:
		return t.as("B", "sync", "--quiet", t.work("B"))
	case noNewsHashed:
		return t.as("A", "sync", "--quiet", "--verify", t.work("A"))
	case firstUpload, noNews, editUp:
	}
	return t.as("A", "sync", "--quiet", t.work("A"))
}

func (t *teammem) replicas() (a, b string) {
	return filepath.Join(t.memory("A"), "team"), filepath.Join(t.memory("B"), "team")
}

func (t *teammem) processes() (server, database []int) {
	return []int{t.server.pid()}, []int{t.postgres}
}

func (t *teammem) stop() error { return t.server.stop() }
