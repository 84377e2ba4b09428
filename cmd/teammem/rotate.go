package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

func (a *app) newKeyRotateCommand(db *databaseOptions) *cobra.Command {
	var file string
	var now bool
	c := &cobra.Command{
		Use:   "rotate",
		Short: "Add the next key that signs access tokens",
		Long: `Add the next key that signs access tokens. All servers read it within 30 seconds
and sign with it after 60; what the key before it signed stays good to its end,
12 hours at most.

With --now the keys before it are forgotten: for one that leaked, or for a
master key that is lost, which is then made anew. Servers that run refuse what
they signed within 30 seconds; clients renew their access tokens by themselves.
Servers that have another copy of the master key need the new one.
Exit 0: the key is published; 2: there is no master key, or it is not the one.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, opened *database) error {
				return a.rotateKey(c.Context(), s, opened, masterOptions{file, db.data}, now)
			})
		},
	}
	bind(c.Flags(), &file, "master-key-file")
	c.Flags().BoolVar(&now, "now", false, "forget the keys before it at once")
	return c
}

func (a *app) rotateKey(ctx context.Context, s *memory.Service, db *database, o masterOptions, now bool) error {
	stored, err := db.store.SigningKeys(ctx)
	if err != nil {
		return err
	}
	alone := now || len(stored) == 0
	master, err := o.read()
	if isMissing(err) && alone {
		master, err = o.create()
	}
	if err != nil {
		return o.explain(err)
	}
	if !alone {
		// A key under another master key would stop every server.
		if _, err := auth.OpenKeys(ctx, db.store, master, db.clock.Now); memory.CodeOf(err) == memory.CodeForbidden {
			return o.foreign(err)
		} else if err != nil {
			return err
		}
	}
	key, err := auth.NewSigningKey(master, db.clock.Now(), alone)
	if err != nil {
		return err
	}
	if err := s.AddSigningKey(ctx, operator(), key, alone); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "published the key %s, which signs from %s on\n", key.ID, instant(key.SignsFrom))
	return err
}
