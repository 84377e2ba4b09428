package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func (a *app) newWhoamiCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "whoami [URL]",
		Short: "Show as whom this computer is logged in, and until when",
		Long: `Ask a server (default: the only one that you are logged in to) as whom it knows
this computer, what the login may do, and until when. What is kept here is also
shown if there is no answer. No token is ever shown.
Exit 0: the login is good; 2: you are logged in to several servers; 6: not logged
in, or the login has ended; 8: the server cannot be reached.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.runWhoami(c.Context(), args, asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}

// whoamiLine is a login in --json. What only the server knows is left out if
// there is no answer.
type whoamiLine struct {
	Server      string         `json:"server"`
	Instance    string         `json:"instance"`
	Member      string         `json:"member"`
	MemberID    string         `json:"member_id"`
	Device      string         `json:"device"`
	Kind        string         `json:"kind"` // "device" or "api_token"
	Scopes      []memory.Scope `json:"scopes,omitzero"`
	Project     string         `json:"project,omitzero"` // the only one that the login reaches
	AccessEnds  time.Time      `json:"access_ends,omitzero"`
	RefreshEnds time.Time      `json:"refresh_ends,omitzero"`
	CAFile      string         `json:"ca_file,omitzero"`
}

func (a *app) runWhoami(ctx context.Context, args []string, asJSON bool) error {
	dirs, login, err := a.loginOf(args)
	if err != nil {
		return err
	}
	var who memory.Principal
	server, asked := a.serverOf(dirs, login)
	if asked == nil {
		_, who, asked = server.Me(ctx)
	}
	if now, err := dirs.Login(login.Server); err == nil {
		login = now // the question may have renewed it
	}
	if err := a.printWhoami(login, who, asJSON); err != nil {
		return err
	}
	return asked
}

func (a *app) printWhoami(l client.Login, who memory.Principal, asJSON bool) error {
	line := whoamiLine{
		Server: l.Server, Instance: l.Instance, Member: l.Name, MemberID: string(l.Member), Device: string(l.Device), Kind: "device",
		Scopes: who.Scopes, Project: string(who.Project), AccessEnds: l.AccessEnds, RefreshEnds: l.RefreshEnds, CAFile: l.CAFile,
	}
	if l.Refresh == "" {
		line.Kind = "api_token"
	}
	if asJSON {
		return a.printJSON(line)
	}
	rows := [][2]string{{"server", l.Server}, {"instance", l.Instance}, {"member", fmt.Sprintf("%s (%s)", inOneLine(l.Name), l.Member)}}
	if l.Refresh == "" {
		rows = append(rows, [2]string{"device", string(l.Device) + ", by an API token that is kept here"})
	} else {
		rows = append(
			rows, [2]string{"device", string(l.Device)}, [2]string{"access", "until " + inUTC(l.AccessEnds) + ", and is renewed by then"},
			[2]string{"login", "ends on " + inUTC(l.RefreshEnds) + " unless it is used"})
	}
	if len(who.Scopes) > 0 {
		project := "all that you have a role in"
		if who.Project != "" {
			project = "only " + string(who.Project)
		}
		rows = append(rows, [2]string{"scopes", scopeList(who.Scopes, ", ")}, [2]string{"projects", project})
	}
	if l.CAFile != "" {
		rows = append(rows, [2]string{"ca file", l.CAFile})
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(a.stdout, "%-9s %s\n", r[0], r[1]); err != nil {
			return err
		}
	}
	return nil
}
