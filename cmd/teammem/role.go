package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

// presetHelp explains the flag --review.
const presetHelp = "review preset: open, guarded (which publishes like open for now) or strict (a reviewer sees every change first)"

func (a *app) newProjectSetCommand(db *databaseOptions) *cobra.Command {
	var review string
	c := &cobra.Command{
		Use:   "set SLUG --review PRESET",
		Short: "Change a project; what waits for review goes on waiting",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			preset, err := memory.ParsePreset(review)
			if err != nil {
				return err
			}
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				project, err := db.projectBySlug(c.Context(), args[0])
				if err != nil {
					return err
				}
				if err := s.SetReview(c.Context(), operator(), project.ID, preset); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "project %s is reviewed by the preset %s\n", project.Slug, preset)
				return err
			})
		},
	}
	c.Flags().StringVar(&review, "review", "", presetHelp)
	require(c, "review")
	return c
}

func (a *app) newRoleSetCommand(db *databaseOptions) *cobra.Command {
	var slug, name, role string
	c := &cobra.Command{
		Use:   "set --project SLUG --member NAME --role ROLE",
		Short: "Give a member a role in a project, in place of the one before",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			parsed, err := memory.ParseRole(role)
			if err != nil {
				return err
			}
			return a.administer(c.Context(), *db, func(s *memory.Service, db *database) error {
				project, err := db.projectBySlug(c.Context(), slug)
				if err != nil {
					return err
				}
				member, err := db.store.MemberByName(c.Context(), name)
				if err != nil {
					return err
				}
				if err := s.SetRole(c.Context(), operator(), project.ID, member.ID, parsed); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stdout, "the role of %s in %s is %s\n", member.Name, project.Slug, parsed)
				return err
			})
		},
	}
	c.Flags().StringVar(&slug, "project", "", "slug of the project")
	c.Flags().StringVar(&name, "member", "", "name of the member")
	c.Flags().StringVar(&role, "role", "", "none, viewer, contributor, reviewer or maintainer; none hides the project")
	require(c, "project", "member", "role")
	return c
}

// require makes flags of the command required.
func require(c *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag was added before
		}
	}
}

// projectBySlug finds a project by its slug.
func (d *database) projectBySlug(ctx context.Context, slug string) (memory.Project, error) {
	found, err := d.store.Projects(ctx, slug, "")
	if err != nil {
		return memory.Project{}, err
	}
	if slug == "" || len(found) == 0 {
		return memory.Project{}, memory.NotFound(fmt.Sprintf("project %q", slug))
	}
	return found[0], nil
}
