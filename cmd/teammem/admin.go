package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

func (a *app) newAdminCommand() *cobra.Command {
	var db databaseOptions
	c := &cobra.Command{
		Use:   "admin",
		Short: "Administer members, projects, roles, tokens and backups; works beside a running server",
		RunE:  showHelp,
	}
	db.addFlags(c)
	member := &cobra.Command{Use: "member", Short: "Members of the instance", RunE: showHelp}
	member.AddCommand(a.newMemberAddCommand(&db))
	project := &cobra.Command{Use: "project", Short: "Projects of the instance", RunE: showHelp}
	project.AddCommand(a.newProjectAddCommand(&db), a.newProjectSetCommand(&db))
	role := &cobra.Command{Use: "role", Short: "What members may do in projects", RunE: showHelp}
	role.AddCommand(a.newRoleSetCommand(&db))
	token := &cobra.Command{Use: "token", Short: "API tokens", RunE: showHelp}
	token.AddCommand(a.newTokenCreateCommand(&db), a.newTokenListCommand(&db), a.newTokenRevokeCommand(&db))
	device := &cobra.Command{Use: "device", Short: "Computers on which members are logged in", RunE: showHelp}
	device.AddCommand(a.newDeviceListCommand(&db), a.newDeviceRevokeCommand(&db))
	key := &cobra.Command{Use: "key", Short: "Keys that sign access tokens", RunE: showHelp}
	key.AddCommand(a.newKeyRotateCommand(&db))
	c.AddCommand(member, project, role, token, device, key, a.newConsoleLinkCommand(&db))
	c.AddCommand(a.newBackupCommand(&db), a.newRestoreCommand(&db), a.newExportCommand(&db), a.newRescanCommand(&db))
	return c
}

// operator is whoever can open the database from the command line. There is no
// member behind it; the audit shows an empty actor and this client.
func operator() memory.Principal {
	return memory.Principal{Name: "operator", Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}, Client: "teammem admin"}
}

// administer runs an action on the instance's database.
func (a *app) administer(ctx context.Context, o databaseOptions, action func(*memory.Service, *database) error) (err error) {
	db, err := a.adminDatabase(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	if db.cluster != nil && db.cluster.Made() {
		// A mistyped folder would otherwise look like an instance that lost its members.
		if _, err := fmt.Fprintf(a.stderr, "made a new instance in %s\n", o.data); err != nil {
			return err
		}
	}
	// Administration writes no entries, so it needs no scanner and no hints.
	return action(memory.NewService(db.store, nil, nil, db.clock.Now, memory.Limits{}), db)
}

func (a *app) newMemberAddCommand(db *databaseOptions) *cobra.Command {
	var admin bool
	c := &cobra.Command{
		Use:   "add NAME",
		Short: "Add a member",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, _ *database) error {
				m, err := s.AddMember(c.Context(), operator(), args[0], admin)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "added member %s (%s)\n", m.Name, m.ID)
				return err
			})
		},
	}
	c.Flags().BoolVar(&admin, "admin", false, "may administer the instance, and is maintainer of every project")
	return c
}

func (a *app) newProjectAddCommand(db *databaseOptions) *cobra.Command {
	var remotes []string
	var review string
	c := &cobra.Command{
		Use:   "add SLUG",
		Short: "Add a project",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			preset, err := memory.ParsePreset(review)
			if err != nil {
				return err
			}
			return a.administer(c.Context(), *db, func(s *memory.Service, _ *database) error {
				p, err := s.AddProject(c.Context(), operator(), args[0], remotes, preset)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "added project %s (%s)\n", p.Slug, p.ID)
				return err
			})
		},
	}
	c.Flags().StringArrayVar(&remotes, "remote", nil, "git remote of the repository; may be repeated")
	c.Flags().StringVar(&review, "review", string(memory.PresetOpen), presetHelp)
	return c
}

type tokenOptions struct {
	member  string
	project string
	scopes  string
	ttl     time.Duration
}

func (a *app) newTokenCreateCommand(db *databaseOptions) *cobra.Command {
	var o tokenOptions
	c := &cobra.Command{
		Use:   "create --member NAME --scope sync:read,sync:write",
		Short: "Make an API token; it is shown once, on stdout",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				return a.createToken(c.Context(), s, db, o)
			})
		},
	}
	const month = 30 * 24 * time.Hour
	c.Flags().StringVar(&o.member, "member", "", "name of the member whom the token speaks for")
	c.Flags().StringVar(&o.project, "project", "", "slug of the only project that the token reaches; default all of the member's")
	c.Flags().StringVar(&o.scopes, "scope", "", "comma-separated: sync:read, sync:write")
	c.Flags().DurationVar(&o.ttl, "ttl", month, "how long the token lives, at most 8760h")
	require(c, "member", "scope")
	return c
}

func (a *app) createToken(ctx context.Context, s *memory.Service, db *database, o tokenOptions) error {
	member, err := db.store.MemberByName(ctx, o.member)
	if err != nil {
		return err
	}
	var project memory.ProjectID
	if o.project != "" {
		found, err := db.projectBySlug(ctx, o.project)
		if err != nil {
			return err
		}
		project = found.ID
	}
	var scopes []memory.Scope
	for scope := range strings.SplitSeq(o.scopes, ",") {
		scopes = append(scopes, memory.Scope(strings.TrimSpace(scope)))
	}
	token := auth.MintAPIToken()
	_, err = s.AddAPIToken(ctx, operator(), memory.APIToken{
		Hash: auth.HashToken(token), Last4: auth.Last4(token), Member: member.ID, Project: project, Scopes: scopes, ExpiresAt: db.clock.Now().Add(o.ttl),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.stdout, token)
	return err
}
