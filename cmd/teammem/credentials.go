package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

func (a *app) newTokenListCommand(db *databaseOptions) *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "list",
		Short: "List API tokens, newest first",
		Long: `List API tokens, newest first: id, member, last four characters, scopes, the only
project that it reaches or "-" for all, end, and "revoked" with the time if it
was. Exit 0: they are on stdout; 2: no such member.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				return a.listTokens(c.Context(), s, db, name)
			})
		},
	}
	c.Flags().StringVar(&name, "member", "", "only those of the member with this name")
	return c
}

func (a *app) listTokens(ctx context.Context, s *memory.Service, db *database, name string) error {
	names, member, err := db.people(ctx, name)
	if err != nil {
		return err
	}
	tokens, err := s.APITokens(ctx, operator(), member)
	if err != nil {
		return err
	}
	return table(a.stdout, func(w io.Writer) error {
		for _, t := range tokens {
			state := "ends " + instant(t.ExpiresAt)
			if !t.RevokedAt.IsZero() {
				state = "revoked " + instant(t.RevokedAt)
			}
			who, err := names(t.Member)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "%s\t%s\t…%s\t%s\t%s\t%s\n", t.ID, who, t.Last4, orDash(scopeList(t.Scopes, ",")), orDash(string(t.Project)), state)
		}
		return nil
	})
}

func (a *app) newTokenRevokeCommand(db *databaseOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke TOKEN-ID",
		Short: "End an API token, and every device that was logged in with it",
		Long: `End an API token, and every device that was logged in with it, at once and for
good. The id reads tok_…, see "teammem admin token list". Exit 0: it has ended;
2: there is no such token.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, _ *database) error {
				if err := s.RevokeAPIToken(c.Context(), operator(), memory.TokenID(args[0])); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.stdout, "revoked %s\n", inOneLine(args[0]))
				return err
			})
		},
	}
}

func (a *app) newDeviceListCommand(db *databaseOptions) *cobra.Command {
	var name string
	c := &cobra.Command{
		Use:   "list",
		Short: "List the computers of all members, newest first",
		Long: `List the computers of all members, newest first: id, member, name, scopes, the
only project that it reaches or "-" for all, when it was seen last, and when and
why it was logged out. Exit 0: they are on stdout; 2: no such member.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				return a.listDevices(c.Context(), s, db, name)
			})
		},
	}
	c.Flags().StringVar(&name, "member", "", "only those of the member with this name")
	return c
}

func (a *app) listDevices(ctx context.Context, s *memory.Service, db *database, name string) error {
	names, member, err := db.people(ctx, name)
	if err != nil {
		return err
	}
	return table(a.stdout, func(w io.Writer) error {
		q := memory.DeviceQuery{Member: member}
		for {
			page, err := s.AllDevices(ctx, operator(), q)
			if err != nil || len(page) == 0 {
				return err
			}
			for _, d := range page {
				who, err := names(d.Member)
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", d.ID, who, inOneLine(d.Name), orDash(scopeList(d.Scopes, ",")), orDash(string(d.Project)), deviceState(d))
			}
			q.After = page[len(page)-1].ID
		}
	})
}

// deviceState is when a device was seen last, and how it ended.
func deviceState(d memory.Device) string {
	switch {
	case !d.RevokedAt.IsZero():
		return fmt.Sprintf("ended %s: %s", instant(d.RevokedAt), d.RevokedFor)
	case d.LastSeen.IsZero():
		return "never seen"
	}
	return "seen " + instant(d.LastSeen)
}

func (a *app) newDeviceRevokeCommand(db *databaseOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke DEVICE-ID",
		Short: "Log a member's computer out",
		Long: `Log a member's computer out, at once and for good: all its tokens end. The id
reads dev_…, see "teammem admin device list". Exit 0: it is logged out; 2: there
is no such device.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, _ *database) error {
				if err := s.RevokeDevice(c.Context(), operator(), memory.DeviceID(args[0])); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.stdout, "revoked %s\n", inOneLine(args[0]))
				return err
			})
		},
	}
}

// people returns what members are called, and the one with the name; "" is
// nobody in particular.
func (d *database) people(ctx context.Context, name string) (names func(memory.MemberID) (string, error), member memory.MemberID, err error) {
	known := map[memory.MemberID]string{}
	names = func(id memory.MemberID) (string, error) {
		if _, asked := known[id]; !asked {
			m, err := d.store.Member(ctx, id)
			if err != nil {
				return "", err
			}
			known[id] = m.Name
		}
		return known[id], nil
	}
	if name == "" {
		return names, "", nil
	}
	m, err := d.store.MemberByName(ctx, name)
	return names, m.ID, err
}
