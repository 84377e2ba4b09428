package main

import (
	"context"
	"fmt"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/watch"
)

// liveLine is what status --json says of the process that watches a tree.
type liveLine struct {
	Type        string     `json:"type"`
	Running     bool       `json:"running"`
	PausedUntil *time.Time `json:"paused_until,omitzero"` // only while it is paused for a time
	PID         int        `json:"pid,omitzero"`
	Since       time.Time  `json:"since,omitzero"`
	Mode        watch.Mode `json:"mode"` // "none" if nobody watches

	Why          string        `json:"why,omitzero"`
	News         watch.Hearing `json:"news,omitzero"`
	OfflineSince time.Time     `json:"offline_since,omitzero"`
	LastPull     time.Time     `json:"last_pull,omitzero"`
	Queue        int           `json:"queue"`
	Failure      string        `json:"failure,omitzero"`
}

// live asks whoever watches a tree how it stands.
func (a *app) live(ctx context.Context, l client.Link) *liveLine {
	line := &liveLine{Type: "watch", Mode: "none"}
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return line // there is a link, so this cannot be
	}
	if socket := dirs.WatchSocket(l); socket != "" {
		if s, err := watch.Ask(ctx, socket); err == nil {
			line.of(dirs, l, s)
		}
	}
	if p, paused := dirs.Paused(l, a.now()); paused {
		line.Mode = watch.Paused
		if !p.Until.IsZero() {
			line.PausedUntil = &p.Until
		}
	}
	return line
}

func (line *liveLine) of(dirs client.Dirs, l client.Link, s watch.State) {
	for _, p := range s.Projects {
		if p.Tree != dirs.TreeID(l) {
			continue
		}
		line.Running, line.PID, line.Since = true, s.PID, s.Since
		line.Mode, line.Why, line.News, line.Queue, line.Failure = p.Mode, p.Why, p.News, p.Queue, p.Failure
		line.OfflineSince, line.LastPull = p.OfflineSince, p.LastPull
	}
}

// print adds to status how it stands with the watcher.
func (line *liveLine) print(p reportPrinter) error {
	if p.asJSON {
		return p.printJSON(line)
	}
	text := string(line.Mode)
	switch {
	case line.Mode == watch.Paused && line.PausedUntil != nil:
		text += until(client.Pause{Until: *line.PausedUntil})
	case !line.Running && line.Mode != watch.Paused:
		text = "nobody watches; teammem watch does, or teammem install-service"
	case line.Why != "":
		text += ": " + shown(line.Why)
	}
	if line.Running {
		text += fmt.Sprintf(" (process %d)", line.PID)
	}
	fmt.Fprintf(p.stdout, "watch     %s\n", text)
	if !line.Running {
		return nil
	}
	news := fmt.Sprintf("by %s", line.News)
	if !line.LastPull.IsZero() {
		news += ", last heard " + line.LastPull.UTC().Format("15:04:05 UTC")
	}
	if !line.OfflineSince.IsZero() {
		news += ", offline since " + line.OfflineSince.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	if line.Queue > 0 {
		news += fmt.Sprintf(", %d to do", line.Queue)
	}
	_, err := fmt.Fprintf(p.stdout, "news      %s\n", news)
	return err
}
