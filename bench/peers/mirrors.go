package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// mirror is a peer whose one command brings both replicas in step.
type mirror struct {
	dir    string
	round  int
	port   int
	server *server
}

func (m *mirror) at(name string) string { return filepath.Join(m.dir, strconv.Itoa(m.round), name) }

// serve starts the daemon that owns replica B.
func (m *mirror) serve(ctx context.Context, dir string, env []string, program string, args func(port string) []string) (err error) {
	m.dir = dir
	if m.port, err = freePort(ctx); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, program, args(strconv.Itoa(m.port))...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	m.server, err = launch(ctx, c, m.port)
	return err
}

// fresh makes both replicas anew.
func (m *mirror) fresh(_ context.Context, tree string) error {
	m.round++
	return errors.Join(os.MkdirAll(m.at("B"), 0o755), os.CopyFS(m.at("A"), os.DirFS(tree)))
}

func (m *mirror) replicas() (a, b string) { return m.at("A"), m.at("B") }

func (m *mirror) processes() (server, database []int) { return []int{m.server.pid()}, nil }

func (m *mirror) stop() error { return m.server.stop() }

// unison syncs both ways, with A here and B behind its own server.
type unison struct{ mirror }

func (u *unison) name() string { return "unison" }

func (u *unison) env() []string {
	return []string{"UNISON=" + filepath.Join(u.dir, "archive"), "UNISONLOCALHOSTNAME=localhost"}
}

func (u *unison) start(ctx context.Context, dir string) error {
	u.dir = dir
	if err := os.Mkdir(filepath.Join(dir, "archive"), 0o700); err != nil {
		return err
	}
	return u.serve(ctx, dir, u.env(), "unison", func(port string) []string { return []string{"-socket", port, "-listen", "127.0.0.1"} })
}

func (u *unison) commands(op operation) *exec.Cmd {
	args := []string{
		u.at("A"), fmt.Sprintf("socket://127.0.0.1:%d/%s", u.port, u.at("B")),
		"-batch", "-ui", "text", "-silent", "-confirmbigdel=false", "-log=false",
	}
	switch op {
	case firstDownload, editDown:
		return nil // done with the upload
	case noNewsHashed:
		args = append(args, "-fastcheck", "false")
	case firstUpload, noNews, editUp:
	}
	c := exec.Command("unison", args...)
	c.Dir, c.Env = u.dir, append(os.Environ(), u.env()...)
	return c
}

// rsync makes B what A is.
type rsync struct{ mirror }

func (r *rsync) name() string { return "rsync" }

func (r *rsync) start(ctx context.Context, dir string) error {
	config := fmt.Sprintf("use chroot = no\nreverse lookup = no\nlock file = %s\n", filepath.Join(dir, "lock"))
	if os.Getuid() == 0 {
		config += "uid = root\ngid = root\n"
	}
	config += fmt.Sprintf("[replica]\npath = %s\nread only = no\n", dir)
	file := filepath.Join(dir, "conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return err
	}
	return r.serve(ctx, dir, nil, "rsync", func(port string) []string {
		return []string{"--daemon", "--no-detach", "--address=127.0.0.1", "--port=" + port, "--config=" + file}
	})
}

func (r *rsync) commands(op operation) *exec.Cmd {
	args := []string{"-a", "--delete", r.at("A") + "/", fmt.Sprintf("rsync://127.0.0.1:%d/replica/%d/B/", r.port, r.round)}
	switch op {
	case firstDownload, editDown:
		return nil
	case noNewsHashed:
		args = append(args, "--checksum")
	case firstUpload, noNews, editUp:
	}
	return exec.Command("rsync", args...)
}
