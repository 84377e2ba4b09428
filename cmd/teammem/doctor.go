package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/client/claude/hook"
)

// doctorPatience is how long doctor waits for a server.
const doctorPatience = 2 * time.Second

func (a *app) newDoctorCommand() *cobra.Command {
	var asJSON bool
	var server databaseOptions
	c := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Examine everything that memory passes through; changes nothing",
		Long: `Examine what lies between an agent's notes in a folder (default: the current
one) and the team: the memory folder and what decided it, the link, the server
and the login, second memories of the same repository, the agent and its hooks,
the indexes, and what waits. Each line ends with where that is decided; what is
not well is followed by what to do. Works without a link, a login or a server,
and never shows a token.
With --data or --database-url, examine the server's side instead: its Postgres
and data folder, the schema, its keys, and whether digests, feeds and audits of
all projects are what they must be. Works beside a running server; without one,
the private Postgres is started for the time it takes.
Exit 0: all is well; 1: there is something to do; 2: no such folder;
130: interrupted.`,
		Example: "  teammem doctor\n  teammem doctor --data /srv/teammem",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if server != (databaseOptions{}) {
				if len(args) > 0 {
					return usageError{errors.New("a folder's memory and a server are examined one at a time"), c.CommandPath()}
				}
				return a.runServerDoctor(c.Context(), server, asJSON)
			}
			return a.runDoctor(c.Context(), folderArg(args), asJSON)
		},
	}
	// Not from the environment: a member's doctor stays one where a server is set up as well.
	c.Flags().StringVar(&server.data, "data", "", "examine the server whose folder this is")
	c.Flags().StringVar(&server.url, "database-url", "", "examine the server whose database this is")
	c.Flags().StringVar(&server.password, "database-password-file", "", "file with the password for the database URL")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each check")
	return c
}

func (a *app) runDoctor(ctx context.Context, folder string, asJSON bool) error {
	dirs, err := client.UserDirs(a.getenv)
	if err != nil {
		return err
	}
	c, err := claude.NewCase(dirs, folder, a.getenv)
	if err != nil {
		return err
	}
	for _, e := range hook.Events() {
		c.Events = append(c.Events, e.Name)
	}
	servers := make(chan []client.Check, 1) // they answer while the rest is looked at
	go func() { servers <- a.checkServers(ctx, dirs, c) }()
	place, agent, state := c.Place(), append(c.Stores(), c.Agent(ctx)...), a.checkState(dirs, c)
	checks := append(append(append(place, <-servers...), agent...), state...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.printExamined(checks, asJSON)
}

// checkServers asks the server of the link, or all those that the member is
// logged in to.
func (a *app) checkServers(ctx context.Context, dirs client.Dirs, c *claude.Case) []client.Check {
	ctx, cancel := context.WithTimeout(ctx, doctorPatience)
	defer cancel()
	logins, err := dirs.Logins()
	if err != nil {
		logins = nil
	}
	if c.Linked {
		login, missing := dirs.Login(c.Link.Server)
		if missing != nil {
			login = client.Login{Server: c.Link.Server}
		}
		login.Instance = c.Link.Instance
		logins = []client.Login{login}
	}
	var checks []client.Check
	switch {
	case err != nil:
		checks = append(checks, client.Check{Name: "login", Grade: client.Wrong, Detail: err.Error(), Source: dirs.Config, Fix: "do that, then teammem login"})
	case len(logins) == 0:
		checks = append(checks, client.Check{Name: "login", Grade: client.Wrong, Detail: "not logged in to any server", Source: dirs.Config, Fix: "teammem login URL --token TOKEN"})
	}
	for _, login := range logins {
		s, err := a.serverOf(dirs, login)
		if err != nil {
			checks = append(checks, client.Check{Name: "server", Grade: client.Wrong, Detail: err.Error(), Source: login.Server, Fix: "log in and link again"})
			continue
		}
		checks = append(checks, s.CheckServer(ctx, c.Link.Slug, a.now)...)
	}
	return checks
}

// checkState tells what the last syncs left behind, and what hooks noted.
func (a *app) checkState(dirs client.Dirs, c *claude.Case) []client.Check {
	var checks []client.Check
	if c.Linked {
		checks = dirs.CheckState(c.Link, a.now())
	}
	failed, err := hook.Failures(dirs)
	if err != nil {
		return append(checks, client.Check{Name: "hook failures", Grade: client.Look, Detail: err.Error(), Source: dirs.State, Fix: "check who may read that folder"})
	}
	for _, f := range failed {
		checks = append(checks, client.Check{Name: "hook failures", Grade: client.Look, Detail: f.String(), Source: dirs.State, Fix: "see to it if it comes back; the next session is told, and then it is forgotten"})
	}
	return checks
}

// examinedLine is one check in --json.
type examinedLine struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Source string `json:"source,omitzero"`
	Fix    string `json:"fix,omitzero"`
}

func (a *app) printExamined(checks []client.Check, asJSON bool) error {
	todo := 0
	for _, c := range checks {
		if c.Grade != client.Well {
			todo++
		}
		if asJSON {
			if err := a.printJSON(examinedLine{c.Name, c.Grade == client.Well, c.Detail, c.Source, c.Fix}); err != nil {
				return err
			}
			continue
		}
		if err := a.printOne(c, widestName(checks)); err != nil {
			return err
		}
	}
	if !asJSON {
		summary := "all is well"
		if todo > 0 {
			summary = plural(todo, "thing", "things") + " to do"
		}
		fmt.Fprintln(a.stdout, summary)
	}
	if todo > 0 {
		return outcome(exitRetry)
	}
	return nil
}

func widestName(checks []client.Check) (width int) {
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	return width
}

func (a *app) printOne(c client.Check, width int) error {
	detail := c.Detail
	if c.Source != "" {
		detail += " (" + c.Source + ")"
	}
	if _, err := fmt.Fprintf(a.stdout, "%s  %-*s  %s\n", a.colored(c.Grade, markOf(c.Grade)), width, c.Name, inOneLine(detail)); err != nil {
		return err
	}
	if c.Fix != "" {
		fmt.Fprintf(a.stdout, "%*s→ %s\n", width+len("! wrong")+4, "", inOneLine(c.Fix))
	}
	return nil
}

// markOf says it in a sign and in a word: not everybody sees the colour, or
// hears the sign.
func markOf(g client.Grade) string {
	sign := map[client.Grade]string{client.Well: "✓", client.Look: "!", client.Wrong: "✗"}[g]
	return fmt.Sprintf("%s %-5s", sign, g)
}

// colored adds colour on a terminal.
func (a *app) colored(g client.Grade, text string) string {
	f, ok := a.stdout.(*os.File)
	if !ok || a.getenv("NO_COLOR") != "" || !term.IsTerminal(int(f.Fd())) {
		return text
	}
	color := map[client.Grade]string{client.Well: "32", client.Look: "33", client.Wrong: "31"}[g]
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
