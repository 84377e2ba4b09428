package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
)

// keptOptions say which lists of kept texts are meant.
type keptOptions struct {
	all    bool
	asJSON bool
}

func (o *keptOptions) addFlags(c *cobra.Command) {
	c.Flags().BoolVar(&o.all, "all", false, "of all linked folders")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print JSON lines")
}

// keptLine is one kept text in --json.
type keptLine struct {
	Type    string    `json:"type"`
	ID      string    `json:"id"`
	Project string    `json:"project"`
	Path    string    `json:"path"`
	File    string    `json:"file"`
	At      time.Time `json:"at"`
	Device  string    `json:"device"`

	// Of a conflict: whether the server has it, too, and if it never will by
	// itself, why.
	Mirrored *bool  `json:"mirrored,omitzero"`
	Alone    string `json:"alone,omitzero"`
}

func newKeptLine(kind string, k client.Kept, l client.Link) keptLine {
	line := keptLine{Type: kind, ID: k.ID, Project: l.Slug, Path: k.Path.String(), File: k.File, At: k.At.UTC(), Device: k.Device}
	if kind == conflictKind {
		line.Mirrored, line.Alone = &k.Mirrored, k.Alone
	}
	return line
}

// conflictKind is what lines of conflicts are called.
const conflictKind = "conflict"

// printKept lists what is kept outside of the tree of a folder, or of all, and
// returns how many texts that are.
func (a *app) printKept(kind, folder string, o keptOptions, list func(client.Dirs, client.Link) ([]client.Kept, error)) (n int, err error) {
	dirs, links, err := a.linksOf(folder, o.all)
	if err != nil {
		return 0, err
	}
	named := newFew(maxListed)
	for _, l := range links {
		kept, err := list(dirs, l)
		if err != nil {
			return n, err
		}
		for _, k := range kept {
			n++
			if o.asJSON {
				err = a.printJSON(newKeptLine(kind, k, l))
			} else if named.take("") {
				_, err = fmt.Fprintln(a.stdout, describeKept(kind, k, l, o.all))
			}
			if err != nil {
				return n, err
			}
		}
	}
	return n, a.rest(named)
}

func describeKept(kind string, k client.Kept, l client.Link, all bool) string {
	path := shown(k.Path.String())
	if all {
		path = shown(l.Slug) + " " + path
	}
	text := fmt.Sprintf("%-8s  %s  dev_%s  %s\n          %s", k.ID, minute(k.At), k.Device, path, shown(k.File))
	if kind == conflictKind {
		text += "\n          " + whereElse(k)
	}
	return text
}

// whereElse says whether others can see a conflict, and resolve it.
func whereElse(k client.Kept) string {
	switch {
	case k.Mirrored:
		return "also at the server: it can be resolved in the console"
	case k.Alone != "":
		return "on this computer only: " + shown(k.Alone)
	}
	return "on this computer only, until the next sync"
}

func minute(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 UTC") }

// linksOf returns the link of a folder, or one for each project that is linked:
// its trees share what is kept.
func (a *app) linksOf(folder string, all bool) (client.Dirs, []client.Link, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return dirs, nil, err
	}
	if !all {
		l, err := claude.LinkOf(dirs, folder, a.getenv)
		return dirs, []client.Link{l}, err
	}
	found, err := dirs.Links()
	if err != nil {
		return dirs, nil, err
	}
	seen := map[string]bool{}
	var links []client.Link
	for _, l := range found {
		if project := string(l.Project); !seen[project] {
			seen[project], links = true, append(links, l)
		}
	}
	return dirs, links, nil
}

// chooseKept returns the kept text that a person means.
func (a *app) chooseKept(folder, name string, list func(client.Dirs, client.Link) ([]client.Kept, error)) (client.Kept, error) {
	dirs, links, err := a.linksOf(folder, false)
	if err != nil {
		return client.Kept{}, err
	}
	kept, err := list(dirs, links[0])
	if err != nil {
		return client.Kept{}, err
	}
	return client.Choose(kept, name)
}

// completeKept offers the IDs of what is kept for the first argument.
func (a *app) completeKept(list func(client.Dirs, client.Link) ([]client.Kept, error)) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
		dirs, links, err := a.linksOf(c.Flag("folder").Value.String(), false)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		kept, err := list(dirs, links[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []cobra.Completion
		for _, k := range kept {
			if strings.HasPrefix(k.ID, start) {
				ids = append(ids, cobra.CompletionWithDesc(k.ID, shown(k.Path.String())))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
