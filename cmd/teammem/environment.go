package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

//go:generate sh -c "go run . environment >../../docs/environment.md"

// variable is one that stands in for no flag of the server.
type variable struct {
	name  string
	usage string
}

// otherVariables are those that settings does not hold.
func otherVariables() []variable {
	return []variable{
		{"TEAMMEM_TOKEN", "`login`: the API token, in place of `--token`"},
		{"TEAMMEM_CA_FILE", "`login`: certificates to trust besides the system's, in place of `--ca-file`"},
		{"TEAMMEM_MEMORY_DIR", "`link`, hooks: the agent's memory folder, in place of `--memory-dir`"},
		{"TEAMMEM_PG_BIN", "`serve`, `admin`: folder of `postgres` and `initdb`, for a private cluster"},
		{"XDG_CONFIG_HOME", "client: credentials and which folders are linked are below it, in `teammem`"},
		{"XDG_STATE_HOME", "client: what was agreed with the server is below it, in `teammem`"},
		{"XDG_DATA_HOME", "client: trash and conflict copies are below it, in `teammem`"},
		{"TEAMMEM_TEST_DATABASE_URL", "tests: a server that they may fill with databases"},
		{"TEAMMEM_SOAK", "tests: set, those that search at random do so for long"},
	}
}

// newEnvironmentCommand prints the reference from which docs/environment.md is made.
func (a *app) newEnvironmentCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "environment",
		Short:  "Print the reference of settings and variables, in Markdown",
		Long:   "Print the reference of settings and variables, in Markdown.\nExit 0: it is on stdout; 2: wrong usage.",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.stdout, a.reference())
			return err
		},
	}
}

// reference is all settings and variables, in Markdown.
func (a *app) reference() string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	fmt.Fprint(w, referenceHead)
	commands := []*cobra.Command{a.newServeCommand(), a.newAdminCommand(), a.newHealthCommand()}
	for _, s := range settings() {
		names := "`" + s.variable() + "`"
		if s.secret {
			names += " or `" + s.fileVariable() + "`"
		}
		initial := ""
		if s.initial != "" {
			initial = "`" + s.initial + "`"
		}
		var of []string
		for _, c := range commands {
			if c.Flags().Lookup(s.flag) != nil || c.PersistentFlags().Lookup(s.flag) != nil {
				of = append(of, c.Name())
			}
		}
		fmt.Fprintf(w, "| %s | `--%s` %s | %s | %s | %s |\n", names, s.flag, s.takes, initial, strings.Join(of, ", "), s.usage)
	}
	fmt.Fprint(w, otherHead)
	for _, v := range otherVariables() {
		fmt.Fprintf(w, "| `%s` | %s |\n", v.name, v.usage)
	}
	_ = w.Flush() // into memory
	return b.String()
}

const referenceHead = `<!-- Made by teammem environment. Change the table in cmd/teammem/settings.go and run make generate. -->

# Environment

Every setting of the server is a flag, and a variable that stands in for it. A flag beats the variable, and an empty
variable counts as none. A secret can also be in a file that the variable with ` + "`_FILE`" + ` names: one line, which others
should not be able to read. Naming both is an error. ` + "`serve`" + ` warns of variables that begin with ` + "`TEAMMEM_`" + ` and
are not known.

| variable | flag | default | of | meaning |
|---|---|---|---|---|
`

const otherHead = `
## Other variables

| variable | meaning |
|---|---|
`
