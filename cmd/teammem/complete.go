package main

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

// completed returns the arguments that a shell asks about, if it does.
func completed(args []string) ([]string, bool) {
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		return args[1:], true
	}
	return nil, false
}

// addCompletions says what a shell may offer for a command and those below it.
// All of it is looked up on this computer; no server is asked.
func (a *app) addCompletions(c *cobra.Command) {
	if c.ValidArgsFunction == nil && strings.Contains(c.Use, "[DIR]") {
		c.ValidArgsFunction = completeFolder
	}
	for name, offer := range map[string]cobra.CompletionFunc{
		"project": a.completeProjects, "server": a.completeServers, "folder": completeFolders, "memory-dir": completeFolders, "data": completeFolders,
	} {
		if c.LocalFlags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, offer) // only fails for a flag that is not there
		}
	}
	for _, sub := range c.Commands() {
		a.addCompletions(sub)
	}
}

func completeFolder(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func completeFolders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeProjects offers the projects that folders are linked with.
func (a *app) completeProjects(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var slugs []string
	if dirs, err := client.UserDirs(a.getenv); err == nil {
		links, _ := dirs.Links() // without them there is nothing to offer
		for _, l := range links {
			slugs = append(slugs, l.Slug)
		}
	}
	return offered(slugs), cobra.ShellCompDirectiveNoFileComp
}

// completeServers offers the servers that the member is logged in to.
func (a *app) completeServers(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var addresses []string
	if dirs, err := client.UserDirs(a.getenv); err == nil {
		logins, _ := dirs.Logins() // without them there is nothing to offer
		for _, l := range logins {
			addresses = append(addresses, l.Server)
		}
	}
	return offered(addresses), cobra.ShellCompDirectiveNoFileComp
}

// completeFiles offers the entries that the last sync saw, by their paths below
// team/, and leaves other names to the shell.
func (a *app) completeFiles(c *cobra.Command, args []string, start string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	dirs, links, err := a.linksOf(c.Flag("folder").Value.String(), false)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	known, err := dirs.Known(links[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var paths []string
	for _, e := range known.Entries {
		if path := e.Path.String(); strings.HasPrefix(path, start) {
			paths = append(paths, path)
		}
	}
	if paths = offered(paths); len(paths) == 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return paths, cobra.ShellCompDirectiveNoFileComp
}

// offered leaves out names that mean something to a shell: they are foreign, and
// not every shell's script is careful with them.
func offered(names []string) []cobra.Completion {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		plain := func(r rune) bool {
			return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+:@", r)
		}
		return strings.HasPrefix(name, "-") || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
	})
}
