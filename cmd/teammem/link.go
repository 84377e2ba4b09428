package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

type linkOptions struct {
	server    string
	project   string
	memoryDir string
	rebuild   bool
	bothWays  bool
	oneWay
}

func (a *app) newLinkCommand() *cobra.Command {
	var o linkOptions
	c := &cobra.Command{
		Use:   "link [DIR]",
		Short: "Link a working folder with a project of the server",
		Long: `Link a working folder (default: the current one) with a project. The project is
found by the folder's git remote, or named with --project. The memory folder is
the one your agent uses for the repository, or --memory-dir; only its team/
folder is ever read or written. With --pull-only or --push-only things go one way
until --both-ways is given; that shows what the next sync would do, and does
nothing of it. Linking again changes only what is said. Exit 0: linked; 2: no such project;
4: the tree was copied or replaced; 6: not logged in; 8: the server cannot be
reached.`,
		Example: "  teammem link\n  teammem link ~/src/app --project acme/app --memory-dir ~/notes/app",
		Args:    cobra.MaximumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.runLink(c.Context(), folderArg(args), o) },
	}
	c.Flags().StringVar(&o.project, "project", "", "slug of the project, such as acme/app")
	c.Flags().StringVar(&o.memoryDir, "memory-dir", "", "memory folder whose team/ is mirrored")
	c.Flags().StringVar(&o.server, "server", "", "URL of the server, if you are logged in to several")
	c.Flags().BoolVar(&o.rebuild, "rebuild", false, "start anew with this copy of the tree; compares everything, deletes nothing")
	o.oneWay.addFlags(c, "until linked otherwise")
	c.Flags().BoolVar(&o.bothWays, "both-ways", false, "send and receive again")
	c.MarkFlagsMutuallyExclusive("pull-only", "push-only", "both-ways")
	return c
}

func (o linkOptions) mode() client.Mode {
	if o.bothWays {
		return client.BothWays
	}
	return o.oneWay.mode()
}

func folderArg(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

func (a *app) runLink(ctx context.Context, folder string, o linkOptions) error {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return err
	}
	place, err := claude.Locate(folder, o.memoryDir, a.getenv)
	if err != nil {
		return err
	}
	if o.project == "" && claude.NeedsProject(place.Folder, a.getenv) {
		return memory.Invalid("project", fmt.Sprintf("%s is no project by itself: name one with --project SLUG", place.Folder))
	}
	place.Mode = o.mode()
	login, err := chooseLogin(dirs, o.server)
	if err != nil {
		return err
	}
	server, err := a.serverOf(dirs, login)
	if err != nil {
		return err
	}
	project, err := findProject(ctx, server, o.project, place.Remote)
	if err != nil {
		return err
	}
	if err := claude.MakeMemoryDir(place); err != nil {
		return err
	}
	before, err := dirs.LinkOf(place.Folder)
	if err != nil && !errors.Is(err, client.ErrNotLinked) {
		return err
	}
	linked, err := dirs.LinkTo(ctx, place, server, project, login.Instance, o.rebuild, tree.Options{Clock: a.now, Home: a.getenv("HOME")})
	if err != nil {
		return err
	}
	verb := "linked"
	if linked.Already {
		verb = "already linked:"
	}
	way := linked.Source
	if linked.Mode != "" {
		way += ", " + string(linked.Mode)
	}
	_, err = fmt.Fprintf(a.stdout, "%s %s with %s at %s\nmirrors %s (%s)\n", verb, linked.Folder, linked.Slug, linked.Server,
		filepath.Join(linked.MemoryDir, tree.FolderName), way)
	for _, n := range a.placeNotices(linked.Link, folder) {
		a.tell("%s", n)
	}
	if err == nil && before.Mode != "" && linked.Mode == "" {
		return a.showPlan(ctx, folder)
	}
	return err
}

// showPlan shows what the next sync would do, and does nothing of it.
func (a *app) showPlan(ctx context.Context, folder string) error {
	s, out, err := a.openLink(folder, syncOptions{SyncOptions: client.SyncOptions{DryRun: true}})
	if err != nil {
		return err
	}
	report, err := s.Sync(ctx, client.SyncOptions{DryRun: true})
	return errors.Join(out.print(report, exitOK), err)
}

// placeNotices tells what is special about where the memory of a link is.
func (a *app) placeNotices(l client.Link, folder string) []string {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return nil // nothing could be linked
	}
	notices, err := claude.Notices(dirs, l, folder, a.getenv)
	if err != nil {
		notices = append(notices, fmt.Sprintf("whether there is a second memory of this repository is not known: %v", err))
	}
	return notices
}

func chooseLogin(dirs client.Dirs, address string) (client.Login, error) {
	if address != "" {
		return dirs.Login(strings.TrimSuffix(address, "/"))
	}
	logins, err := dirs.Logins()
	switch {
	case err != nil:
		return client.Login{}, err
	case len(logins) == 0:
		return client.Login{}, fmt.Errorf("%w: run teammem login URL --token TOKEN first", client.ErrNotLoggedIn)
	case len(logins) > 1:
		return client.Login{}, memory.Invalid("server", "you are logged in to several servers: name one with --server URL")
	}
	return logins[0], nil
}

func (a *app) serverOf(dirs client.Dirs, l client.Login) (*client.Server, error) {
	return dirs.Connect(l, client.ServerOptions{Version: version, Clock: a.now})
}

// findProject asks the server for the one project that is meant.
func findProject(ctx context.Context, s *client.Server, slug, remote string) (memory.ProjectView, error) {
	if slug == "" && remote == "" {
		return memory.ProjectView{}, memory.Invalid("project", "this folder has no git remote: name the project with --project SLUG")
	}
	if slug != "" {
		remote = ""
	}
	found, err := s.Projects(ctx, slug, remote)
	switch {
	case err != nil:
		return memory.ProjectView{}, err
	case len(found) == 0 && slug != "":
		return memory.ProjectView{}, memory.NotFound(fmt.Sprintf("project %q", slug))
	case len(found) == 0:
		return memory.ProjectView{}, memory.NotFound(fmt.Sprintf("a project for the git remote %q", remote))
	case len(found) > 1:
		return memory.ProjectView{}, memory.Invalid("project", "several projects have this git remote: name one with --project SLUG")
	}
	return found[0], nil
}
