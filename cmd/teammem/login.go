package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/teammem/teammem/client"
)

type loginOptions struct {
	token  string
	keep   bool
	caFile string
	caSet  bool // else an earlier login's authorities stay
}

func (a *app) newLoginCommand() *cobra.Command {
	var o loginOptions
	c := &cobra.Command{
		Use:   "login URL --token TOKEN",
		Short: "Log in to a server",
		Long: `Register this computer with a server, and keep what it is known by in a file that
only you can read. An administrator makes tokens with "teammem admin token
create"; yours is only used once here and not kept. With --token - it is read
from stdin, so neither other accounts nor the shell's history see it. Instead of
--token, TEAMMEM_TOKEN can hold it.

For a job that starts on a fresh machine each time, --keep-token keeps the token
itself, and makes the server remember no login.

A server whose certificate is signed by an authority of your own is trusted with
--ca-file, or TEAMMEM_CA_FILE: a file with one or more PEM certificates. Sync
and hooks use it from then on. Certificates are always verified.
Exit 0: logged in; 2: wrong usage, or no such file; 6: the token is not accepted;
7: too many of your computers are logged in; 8: the server cannot be reached, or
cannot prove that it is the server.`,
		Example: "  teammem login https://memory.example.com --token - < token.txt\n" +
			"  teammem login https://memory.example.com --token tmp_… --ca-file /etc/ssl/team.pem",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o.caSet = c.Flags().Changed("ca-file")
			return a.runLogin(c.Context(), args[0], o, c.CommandPath())
		},
	}
	c.Flags().StringVar(&o.token, "token", "", "API token, or - to read it from stdin")
	c.Flags().BoolVar(&o.keep, "keep-token", false, "keep the API token instead of registering this computer for good")
	c.Flags().StringVar(&o.caFile, "ca-file", "", "PEM file with certificate authorities to trust beside the system's; \"\" trusts no others")
	return c
}

func (a *app) runLogin(ctx context.Context, address string, o loginOptions, command string) error {
	token, err := a.tokenOf(o.token, command)
	if err != nil {
		return err
	}
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return err
	}
	authorities, err := a.authoritiesOf(dirs, address, o)
	if err != nil {
		return err
	}
	login, err := dirs.LogIn(ctx, address, client.LoginOptions{
		Token: token, KeepToken: o.keep, CAFile: authorities, Version: version, Clock: a.now,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "logged in to %s as %s\n", login.Server, login.Name)
	return err
}

// tokenOf returns the token that was said, or the first line of stdin.
func (a *app) tokenOf(said, command string) (string, error) {
	switch said {
	case "":
		said = a.getenv("TEAMMEM_TOKEN")
	case "-":
		var err error
		if said, err = a.readToken(); err != nil {
			return "", fmt.Errorf("read the token from stdin: %w", err)
		}
	}
	if said == "" {
		return "", usageError{errors.New("a token is needed: --token TOKEN, --token - to read it from stdin, or TEAMMEM_TOKEN"), command}
	}
	return said, nil
}

// readToken reads one line from stdin; at a terminal it is not shown.
func (a *app) readToken() (string, error) {
	if f, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(a.stderr, "teammem: token: ")
		b, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(a.stderr)
		return strings.TrimSpace(string(b)), err
	}
	const most = 1 << 10 // bytes; a token is shorter
	line, err := bufio.NewReader(io.LimitReader(a.stdin, most)).ReadString('\n')
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return strings.TrimSpace(line), err
}

// authoritiesOf returns the absolute path of the file with authorities: hooks
// run in other folders. Who logs in again does not have to name it again.
func (a *app) authoritiesOf(dirs client.Dirs, address string, o loginOptions) (string, error) {
	file := o.caFile
	if !o.caSet {
		file = a.getenv("TEAMMEM_CA_FILE")
	}
	switch {
	case file != "":
		return filepath.Abs(file)
	case o.caSet:
		return "", nil
	}
	before, err := dirs.Login(strings.TrimSuffix(strings.TrimSpace(address), "/"))
	if errors.Is(err, client.ErrNotLoggedIn) {
		return "", nil
	}
	return before.CAFile, err
}
