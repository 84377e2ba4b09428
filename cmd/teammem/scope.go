package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

// oneWay are the flags that let things go one way only.
type oneWay struct{ pull, push bool }

func (o *oneWay) addFlags(c *cobra.Command, until string) {
	c.Flags().BoolVar(&o.pull, "pull-only", false, "receive only, "+until+": nothing is sent, and nothing deleted for others")
	c.Flags().BoolVar(&o.push, "push-only", false, "send only, "+until+": nothing is received, and nothing deleted here")
	c.MarkFlagsMutuallyExclusive("pull-only", "push-only")
}

func (o oneWay) mode() client.Mode {
	switch {
	case o.pull:
		return client.PullOnly
	case o.push:
		return client.PushOnly
	}
	return ""
}

// sameWay refuses to let a run go against what the folder is linked for.
func sameWay(l client.Link, run client.Mode) error {
	if l.Mode == "" || run == "" || run == l.Mode {
		return nil
	}
	return usageError{fmt.Errorf("this folder is linked --%s; teammem link --both-ways changes that", l.Mode), "teammem sync"}
}

// maySend refuses to take in texts that would not be sent.
func maySend(l client.Link) error {
	if l.Mode == client.PullOnly {
		return usageError{errors.New("this folder only receives, so nothing of it would be shared; teammem link --both-ways changes that"), "teammem link"}
	}
	return nil
}

// mode is which way things went.
func (p reportPrinter) mode() client.Mode {
	if p.run != "" {
		return p.run
	}
	return p.link.Mode
}

// apartScope counts for the summary what stays as it is because somebody said so.
func (p reportPrinter) apartScope(r *client.Report) []string {
	var apart []string
	if n := len(r.LeftOut); n > 0 {
		apart = append(apart, plural(n, "entry", "entries")+" left out")
	}
	if n := len(r.Skipped); n > 0 {
		verb := "sent"
		if p.mode() == client.PushOnly {
			verb = "received"
		}
		apart = append(apart, plural(n, "change", "changes")+" not "+verb)
	}
	return apart
}

// scope adds to status what is left out, and what waits for the other way.
func (p reportPrinter) scope(r *client.Report) {
	if p.asJSON {
		return
	}
	if mode := p.mode(); mode != "" {
		fmt.Fprintf(p.stdout, "mode      %s\n", mode)
	}
	if len(r.LeftOut) > 0 {
		fmt.Fprintf(p.stdout, "left out  %s: %s\n", plural(len(r.LeftOut), "entry", "entries"), somePaths(r.LeftOut))
	}
	if len(r.Here) > 0 {
		fmt.Fprintf(p.stdout, "ignored   %s\n", someNames(r.Here))
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(p.stdout, "not done  %s\n", somePaths(r.Skipped))
	}
}

func somePaths(paths []memory.Path) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = path.String()
	}
	return someNames(names)
}

// someNames lists foreign names, as many as fit.
func someNames(names []string) string {
	var some []string
	for _, name := range names[:min(maxHeld, len(names))] {
		some = append(some, shown(name))
	}
	list := strings.Join(some, ", ")
	if more := len(names) - len(some); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// scopeLines are the lines of --json for what stays as it is because somebody
// said so.
func (p reportPrinter) scopeLines(r *client.Report) error {
	for _, path := range r.LeftOut {
		line := refusedLine{
			Type: "blocked", Path: path.String(), Code: "ignored", Message: "left out by team/.teammemignore; it stays as it is, here and there", Known: true,
		}
		if err := p.printJSON(line); err != nil {
			return err
		}
	}
	for _, path := range r.Skipped {
		if err := p.printJSON(textLine{Type: "skipped", Path: path.String(), Message: string(p.mode())}); err != nil {
			return err
		}
	}
	return nil
}
