package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

// completeFiles offers the entries that the last sync saw, by their paths below
// team/, and leaves files to the shell. Nobody is asked for it.
func (a *app) completeFiles(c *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := a.knownFor(c)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var paths []cobra.Completion
	for _, e := range known.Entries {
		if path := e.Path.String(); strings.HasPrefix(path, start) && shown(path) == path {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return paths, cobra.ShellCompDirectiveNoFileComp
}

// knownFor is what is known of the folder that a command is about.
func (a *app) knownFor(c *cobra.Command) (client.Known, error) {
	dirs, links, err := a.linksOf(c.Flag("folder").Value.String(), false)
	if err != nil {
		return client.Known{}, err
	}
	return dirs.Known(links[0])
}
