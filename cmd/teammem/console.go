package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

func (a *app) newConsoleLinkCommand(db *databaseOptions) *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "console-link NAME",
		Short: "Print a link that signs a member in to the console, once",
		Long: `Print a link that signs a member in to the console. It works once and for 10
minutes, and whoever has it is that member: hand it over as you would a
password. It leads to the server that started last on this database; name
another address with --url. Exit 0: the link is on stdout; 2: no such member,
or no server has started yet.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				return a.printConsoleLink(c.Context(), s, db, args[0], address)
			})
		},
	}
	c.Flags().StringVar(&address, "url", "", "address of the console, such as https://memory.example.com")
	return c
}

func (a *app) printConsoleLink(ctx context.Context, s *memory.Service, db *database, name, address string) error {
	base, err := consoleAddress(ctx, db, address)
	if err != nil {
		return err
	}
	member, err := db.store.MemberByName(ctx, name)
	if err != nil {
		return err
	}
	token := auth.MintLinkToken()
	if _, err := s.AddConsoleLink(ctx, operator(), member, auth.HashToken(token)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s/login?token=%s\n", base, token)
	return err
}

// consoleAddress is where a link leads to: what was said, or else where the
// server that started last is reached.
func consoleAddress(ctx context.Context, db *database, said string) (string, error) {
	if said != "" {
		return publicURL(said)
	}
	known, err := db.store.URL(ctx)
	if err == nil && known == "" {
		err = &memory.Error{
			Code: memory.CodeInvalid, Field: "url", Message: "no server has started on this database yet",
			Hint: "start teammem serve first, or name its address with --url",
		}
	}
	return known, err
}

// publicURL checks the address at which members reach the server. It has no
// path, since the console lives at the top, and is encrypted unless it stays on
// this machine: a browser would not keep the session's cookie otherwise.
func publicURL(s string) (string, error) {
	u, err := url.Parse(s)
	bare := err == nil && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
	if !bare || (u.Scheme != "https" && u.Scheme != "http") {
		return "", memory.Invalid("url", "an address reads https://HOST or https://HOST:PORT")
	}
	if u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return "", &memory.Error{
			Code: memory.CodeInvalid, Field: "url", Message: "browsers keep no session on an address that is neither https nor this machine",
			Hint: "put a proxy with TLS in front, and name its https address",
		}
	}
	return u.Scheme + "://" + u.Host, nil
}
