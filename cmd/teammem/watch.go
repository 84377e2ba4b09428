package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/watch"
	"github.com/teammem/teammem/sanitize/secrets"
)

func (a *app) newWatchCommand() *cobra.Command {
	var once, asJSON bool
	c := &cobra.Command{
		Use:   "watch [DIR]",
		Short: "Keep the team memory in sync, until it is stopped",
		Long: `Keep the team memory of all linked folders in sync, or that of DIR alone: what
you write is with the others in a moment, and what they write is here. A delete
is sent when the file has been gone for ten seconds. Folders that are linked, and
logins that are renewed meanwhile, are noticed. It prints one line for each thing
that happens; teammem status shows how it stands, teammem pause makes it wait.
To have it run in the background: teammem install-service.

An interrupt (or SIGTERM) lets the change in hand be finished and ends with 130,
a second one ends at once.

Exit codes:
  0   all done (--once)
  1   something temporary: run it again
  2   wrong usage
  5   another process watches
  130 interrupted
With --once also those of teammem sync, the most urgent of all folders.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			dirs, err := client.UserDirs(a.getenv)
			if err != nil {
				return err
			}
			links := dirs.Links
			if len(args) > 0 {
				links = a.linkFor(dirs, args[0])
			}
			if once {
				return a.watchOnce(c.Context(), dirs, links, asJSON)
			}
			return a.runWatch(c.Context(), dirs, links, len(args) > 0, asJSON)
		},
	}
	c.Flags().BoolVar(&once, "once", false, "sync all of them once, and end")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON lines")
	return c
}

// linkFor returns the one link of a folder, as it is at the time.
func (a *app) linkFor(dirs client.Dirs, folder string) func() ([]client.Link, error) {
	return func() ([]client.Link, error) {
		l, err := claude.LinkOf(dirs, folder, a.getenv)
		return []client.Link{l}, err
	}
}

// watchOnce syncs each tree once, and goes on to the next one whatever happens.
func (a *app) watchOnce(ctx context.Context, dirs client.Dirs, list func() ([]client.Link, error), asJSON bool) error {
	links, err := list()
	if err != nil {
		return err
	}
	codes := []int{exitOK}
	for i, l := range links {
		if sameTreeBefore(dirs, links, i) || a.isPaused(l) {
			continue
		}
		err := a.syncLink(ctx, dirs, l, asJSON)
		a.explain(err)
		codes = append(codes, exitCode(ctx, err))
		if ctx.Err() != nil {
			break
		}
	}
	return finalError(nil, mostUrgent(codes...))
}

// sameTreeBefore reports whether a link before mirrors the same tree, as that of
// a worktree's repository does.
func sameTreeBefore(dirs client.Dirs, links []client.Link, i int) bool {
	for _, l := range links[:i] {
		if dirs.SameTree(l, links[i]) {
			return true
		}
	}
	return false
}

func (a *app) syncLink(ctx context.Context, dirs client.Dirs, l client.Link, asJSON bool) error {
	o := syncOptions{asJSON: asJSON}
	s, out, err := a.openLinked(dirs, l, o)
	if err != nil {
		return errors.Join(err, a.notBegun(ctx, err, o))
	}
	report, err := s.Sync(ctx, o.SyncOptions)
	code := codeOfRun(ctx, report, err, false)
	return errors.Join(out.print(report, code), finalError(err, code))
}

func (a *app) runWatch(ctx context.Context, dirs client.Dirs, links func() ([]client.Link, error), single, asJSON bool) error {
	if all, err := links(); single && err != nil {
		return err
	} else if err == nil && len(all) == 0 {
		a.tell("no folder is linked yet; one that is will be watched from then on")
	}
	out := &watchPrinter{app: a, asJSON: asJSON, lines: newFew(maxLines), told: map[string]map[string]bool{}}
	scanner := lazyScanner()
	w := watch.New(watch.Options{
		Dirs: dirs, Links: links, Single: single, Clock: a.now, Tell: out.happened, Cycled: out.cycled, Runtime: runtimeDir(a.getenv),
		Connect: func(l client.Login) (*client.Server, error) { return a.serverOf(dirs, l) },
		Syncer: func(l client.Link, s *client.Server, login client.Login) (*client.Syncer, error) {
			if err := claude.Recheck(l, a.getenv); err != nil {
				return nil, err
			}
			return client.NewSyncer(dirs, l, s, client.SyncerOptions{
				Device: login.Device, Member: login.Name, Clock: a.now, Home: a.getenv("HOME"), Scanner: scanner, RuleSet: secrets.RuleSet,
				Done: func(d client.Done) { out.done(l, d) },
			}), nil
		},
	})
	return w.Run(ctx)
}

// runtimeDir is the folder for sockets. Their paths may have about a hundred
// bytes.
func runtimeDir(getenv func(string) string) string {
	const most = 80
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && len(dir) <= most {
		return filepath.Join(dir, "teammem")
	}
	temp := os.TempDir()
	if len(temp) > most {
		temp = "/tmp"
	}
	return filepath.Join(temp, "teammem-"+strconv.Itoa(os.Getuid()))
}

// watchPrinter tells what happens, one line for each thing. What is still as it
// was is not told again.
type watchPrinter struct {
	*app

	asJSON bool

	mu    sync.Mutex
	lines *few                       // printed in the cycle of a folder
	told  map[string]map[string]bool // of the problems of a folder
}

// Lines of --json.
type (
	watchedLine struct {
		Type    string `json:"type"`
		Project string `json:"project"`
		Op      string `json:"op"`
		Path    string `json:"path"`
		From    string `json:"from,omitzero"`
		Rev     int64  `json:"rev,omitzero"`
		Verdict string `json:"verdict,omitzero"`
	}
	noticeLine struct {
		Type    string `json:"type"`
		Project string `json:"project,omitzero"`
		Message string `json:"message"`
	}
)

func (p *watchPrinter) done(l client.Link, d client.Done) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asJSON {
		// A stdout that is closed shows nowhere; the work goes on.
		_ = p.printJSON(watchedLine{"op", l.Slug, string(d.Kind), d.Path.String(), d.From.String(), d.Rev, string(d.Verdict)})
		return
	}
	line := describeDone(d, false)
	if line == "" {
		return
	}
	if p.lines.take(l.Folder) {
		fmt.Fprintf(p.stdout, "%s: %s\n", l.Slug, line)
	}
}

// happened tells of anything else.
func (p *watchPrinter) happened(l client.Link, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(l, text)
}

func (p *watchPrinter) line(l client.Link, text string) {
	switch {
	case p.asJSON:
		_ = p.printJSON(noticeLine{"notice", l.Slug, text})
	case l.Slug == "":
		p.tell("%s", text)
	default:
		p.tell("%s: %s", l.Slug, text)
	}
}

// cycled tells of the problems that are new.
func (p *watchPrinter) cycled(l client.Link, r *client.Report, _ error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if more := p.lines.more(l.Folder); more > 0 {
		fmt.Fprintf(p.stdout, "%s: … and %d more\n", l.Slug, more)
	}
	p.lines.done(l.Folder)
	before := p.told[l.Folder]
	p.told[l.Folder] = map[string]bool{}
	fresh := newFew(maxLines)
	for _, line := range p.problemLines(l, r) {
		p.told[l.Folder][line] = true
		if !before[line] && (p.asJSON || fresh.take("")) {
			p.line(l, line)
		}
	}
	if more := fresh.more(""); more > 0 {
		p.line(l, fmt.Sprintf("… and %d more lines: teammem status --json lists all", more))
	}
}

// problemLines are the words in which sync tells of problems.
func (p *watchPrinter) problemLines(l client.Link, r *client.Report) []string {
	var b bytes.Buffer
	quiet := *p.app
	quiet.stderr = &b
	reportPrinter{app: &quiet, link: l, whole: true}.problems(r)
	var lines []string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, "\n"), "teammem: "))
	}
	return lines
}
