package main

import "github.com/spf13/cobra"

// newRootCommand holds the command that args begin with, or all commands if
// they begin with something else: to build those that are not asked for would
// take as long as many a command itself.
func (a *app) newRootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "teammem",
		Short: "Share what your team's coding agents have learned",
		Long: `teammem mirrors the team/ part of your agent's memory between all members of a
team, through a server that the team runs itself. The server refuses unsafe
names and secrets, and keeps every version.`,
		PersistentPreRunE: a.environment,
		SilenceUsage:      true,
		SilenceErrors:     true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{err, c.CommandPath()} })
	root.AddGroup(&cobra.Group{ID: "member", Title: "For members:"}, &cobra.Group{ID: "server", Title: "For whoever runs the server:"})
	about, completing := completed(args)
	if completing && len(about) > 1 { // the command's name is complete
		args = about
	}
	for _, c := range asked(a.commands(), args) {
		command := c.build()
		command.GroupID = c.group
		if completing {
			a.addCompletions(command)
		}
		root.AddCommand(command)
	}
	return root
}

// buildable is a command that is not built yet.
type buildable struct {
	name, group string
	build       func() *cobra.Command
}

func (a *app) commands() []buildable {
	return []buildable{
		{"login", "member", a.newLoginCommand},
		{"link", "member", a.newLinkCommand},
		{"install", "member", a.newInstallCommand},
		{"sync", "member", a.newSyncCommand},
		{"watch", "member", a.newWatchCommand},
		{"status", "member", a.newStatusCommand},
		{"pause", "member", a.newPauseCommand},
		{"resume", "member", a.newResumeCommand},
		{"diff", "member", a.newDiffCommand},
		{"log", "member", a.newLogCommand},
		{"show", "member", a.newShowCommand},
		{"blame", "member", a.newBlameCommand},
		{"conflicts", "member", a.newConflictsCommand},
		{"trash", "member", a.newTrashCommand},
		{"restore", "member", a.newRestoreTextCommand},
		{"forget", "member", a.newForgetCommand},
		{"findings", "member", a.newFindingsCommand},
		{"allow", "member", a.newAllowCommand},
		{"quarantine", "member", a.newQuarantineCommand},
		{"doctor", "member", a.newDoctorCommand},
		{"import", "member", a.newImportCommand},
		{"share", "member", a.newShareCommand},
		{"check", "member", a.newCheckCommand},
		{"unlink", "member", a.newUnlinkCommand},
		{"uninstall", "member", a.newUninstallCommand},
		{"install-service", "member", a.newInstallServiceCommand},
		{"uninstall-service", "member", a.newUninstallServiceCommand},
		{"hook", "member", a.newHookCommand},
		{"logout", "member", a.newLogoutCommand},
		{"whoami", "member", a.newWhoamiCommand},
		{"devices", "member", a.newDevicesCommand},
		{"serve", "server", a.newServeCommand},
		{"admin", "server", a.newAdminCommand},
		{"health", "server", a.newHealthCommand},
		{"version", "", a.newVersionCommand},
		{"environment", "", a.newEnvironmentCommand},
		{"man", "", a.newManCommand},
	}
}

// asked returns the one of all that args begin with, or all.
func asked(all []buildable, args []string) []buildable {
	for i, c := range all {
		if len(args) > 0 && args[0] == c.name {
			return all[i : i+1]
		}
	}
	return all
}
