package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

func (a *app) newLogoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout [URL]",
		Short: "Log this computer out; no file of yours is touched",
		Long: `End the login of this computer at a server (default: the only one that you are
logged in to), and forget it here. Links and files stay as they are, and nothing
is sent or received until you log in again. If the server cannot be reached, the
login is forgotten here all the same; the server then lists this computer until
you end it elsewhere: teammem devices revoke ID.
Exit 0: logged out; 1: the settings could not be written; 2: you are logged in to
several servers; 6: you are not logged in; 8: forgotten here, and the server
could not be told.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runLogout(c.Context(), args) },
	}
}

func (a *app) runLogout(ctx context.Context, args []string) error {
	dirs, login, err := a.loginOf(args)
	if err != nil {
		return err
	}
	told := a.revoke(ctx, dirs, login)
	if err := dirs.RemoveLogin(login.Server); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.stdout, "logged out from %s\n", login.Server); err != nil {
		return err
	}
	switch {
	case login.Refresh == "":
		a.tell("the API token is good until it ends, or until an administrator revokes it")
	case told != nil:
		a.tell("the server could not be told: %v", told)
		a.tell("  it lists this computer until you end it elsewhere: teammem devices revoke %s", login.Device)
		return outcome(mostUrgent(exitCode(ctx, told), exitOffline))
	}
	return nil
}

// revoke ends the device of a login at its server.
func (a *app) revoke(ctx context.Context, dirs client.Dirs, login client.Login) error {
	if login.Refresh == "" {
		return nil
	}
	server, err := a.serverOf(dirs, login)
	if err != nil {
		return err
	}
	return server.Revoke(ctx, login)
}

// loginOf returns the login that is meant: that of the server that is named, or
// the only one.
func (a *app) loginOf(args []string) (client.Dirs, client.Login, error) {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return client.Dirs{}, client.Login{}, err
	}
	address := ""
	if len(args) > 0 {
		address = args[0]
	}
	login, err := chooseLogin(dirs, address)
	return dirs, login, err
}
