package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/internal/testdisk"
)

// guestHome makes the test binary sync once as the member who lives there.
const guestHome = "TEAMMEM_CLIENT_TEST_HOME"

// outcome is what a sync in another process has to say.
type outcome struct {
	Done    []string          // kind and path
	Refused map[string]string // why, by file
	Notices []string
	Proven  bool
	Err     string
}

// playGuest syncs once, under the eyes of the test that started it.
func playGuest(home string) {
	o, err := syncAsGuest(context.Background(), home)
	if err != nil {
		o.Err = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func syncAsGuest(ctx context.Context, home string) (o outcome, err error) {
	m := &member{home: home, now: time.Now, dirs: dirsIn(home)}
	links, err := m.dirs.Links()
	if err != nil {
		return o, err
	}
	m.link = links[0]
	if m.id, err = m.dirs.Login(m.link.Server); err != nil {
		return o, err
	}
	if m.http, err = m.dirs.Connect(m.id, client.ServerOptions{Clock: time.Now}); err != nil {
		return o, err
	}
	if err := testdisk.Submit(); err != nil {
		return o, err
	}
	r, err := m.try(ctx)
	if r == nil {
		return o, err
	}
	o.Proven, o.Refused, o.Notices = r.Proven, map[string]string{}, r.Notices
	for _, d := range r.Done {
		o.Done = append(o.Done, fmt.Sprintf("%s %s", d.Kind, d.Path))
	}
	for _, f := range r.Refused {
		o.Refused[f.File] = string(f.Problem.Code)
	}
	return o, err
}

func dirsIn(home string) client.Dirs {
	return client.Dirs{
		Config: filepath.Join(home, "config"), State: filepath.Join(home, "state"), Data: filepath.Join(home, "data"),
	}
}
