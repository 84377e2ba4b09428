package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
)

func (a *app) newLoginCommand() *cobra.Command {
	var token string
	c := &cobra.Command{
		Use:   "login URL --token TOKEN",
		Short: "Log in to a server",
		Long: `Check a token with the server, register this computer, and keep both in a file
that only you can read. An administrator makes tokens with "teammem admin token
create". Instead of --token, TEAMMEM_TOKEN can hold the token.
Exit 0: logged in; 6: the token is not accepted; 8: the server cannot be
reached.`,
		Example: "  teammem login https://memory.example.com --token tmp_…",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if token == "" {
				token = a.getenv("TEAMMEM_TOKEN")
			}
			if token == "" {
				return usageError{fmt.Errorf("a token is needed: --token TOKEN, or TEAMMEM_TOKEN"), c.CommandPath()}
			}
			dirs, err := client.UserDirs(a.getenv)
			if err != nil {
				return err
			}
			server, err := client.NewServer(args[0], client.ServerOptions{Token: token, Version: version})
			if err != nil {
				return err
			}
			login, err := dirs.LogIn(c.Context(), server, token)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(a.stdout, "logged in to %s as %s\n", login.Server, login.Name)
			return err
		},
	}
	c.Flags().StringVar(&token, "token", "", "API token")
	return c
}
