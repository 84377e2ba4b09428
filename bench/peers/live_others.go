package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// replicated is two folders that others keep equal.
type replicated struct {
	background
	dir string
}

func (r *replicated) at(names ...string) string {
	return filepath.Join(append([]string{r.dir}, names...)...)
}
func (r *replicated) replicas() (a, b string) { return r.at("A"), r.at("B") }

// patience is less than ours: the others are here for comparison.
func (r *replicated) patience() (edits, idle time.Duration) {
	return 20 * time.Second, 20 * time.Second
}

// fill makes both replicas; what watches them finds A full and B empty.
func (r *replicated) fill(dir, tree string) error {
	r.dir = dir
	return errors.Join(os.Mkdir(r.at("B"), 0o700), os.CopyFS(r.at("A"), os.DirFS(tree)))
}

func (r *replicated) stop() error {
	r.end()
	return nil
}

// syncthing is two instances that know of nobody else. They look at what an
// event told of after a second, which is the least that they take.
type syncthing struct{ replicated }

func (s *syncthing) name() string { return "syncthing" }

func (s *syncthing) start(ctx context.Context, dir, tree string) error {
	if err := s.fill(dir, tree); err != nil {
		return err
	}
	var devices strings.Builder
	var ids []string
	var ports []int
	for _, replica := range []string{"A", "B"} {
		home := s.at("home" + replica)
		if out, err := s.command("generate", "--home", home, "--no-default-folder").CombinedOutput(); err != nil {
			return fmt.Errorf("syncthing generate: %w: %s", err, lastLines(out))
		}
		id, err := said(s.command("--home", home, "--device-id"))
		if err != nil {
			return err
		}
		port, err := freePort(ctx)
		if err != nil {
			return err
		}
		ids, ports = append(ids, id), append(ports, port)
		fmt.Fprintf(&devices, "<device id=%q name=%q><address>tcp://127.0.0.1:%d</address></device>\n", id, replica, port)
	}
	for i, replica := range []string{"A", "B"} {
		home := s.at("home" + replica)
		config := fmt.Sprintf(syncthingConfig, s.at(replica), ids[0], ids[1], devices.String(), ports[i])
		if err := os.WriteFile(filepath.Join(home, "config.xml"), []byte(config), 0o600); err != nil {
			return err
		}
		if err := s.run(s.command("--home", home, "--no-browser", "--no-restart", "--no-upgrade")); err != nil {
			return err
		}
	}
	return nil
}

func (s *syncthing) command(args ...string) *exec.Cmd {
	c := exec.Command("syncthing", args...)
	c.Dir, c.Env = s.dir, append(os.Environ(), "HOME="+s.dir, "STNODEFAULTFOLDER=1")
	return c
}

const syncthingConfig = `<configuration version="35">
<folder id="bench" path=%q type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="1">
<device id=%q></device><device id=%q></device>
</folder>
%s<gui enabled="false"></gui>
<options>
<listenAddress>tcp://127.0.0.1:%d</listenAddress>
<globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
<relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted>
<crashReportingEnabled>false</crashReportingEnabled><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
<reconnectionIntervalS>1</reconnectionIntervalS>
</options>
</configuration>
`

// mutagen is one daemon for both folders, in its mode that loses nothing. It
// looks at all of them every second, which is the most often that it does.
type mutagen struct{ replicated }

func (m *mutagen) name() string { return "mutagen" }

func (m *mutagen) start(_ context.Context, dir, tree string) error {
	if err := errors.Join(m.fill(dir, tree), m.run(m.command("daemon", "run"))); err != nil {
		return err
	}
	time.Sleep(racy)
	_, err := said(m.command("sync", "create", "--name", "bench", "--sync-mode", "two-way-safe",
		"--watch-polling-interval", "1", m.at("A"), m.at("B")))
	return err
}

func (m *mutagen) command(args ...string) *exec.Cmd {
	c := exec.Command("mutagen", args...)
	c.Dir, c.Env = m.dir, append(os.Environ(), "HOME="+m.dir, "MUTAGEN_DATA_DIRECTORY="+m.at("data"))
	return c
}
