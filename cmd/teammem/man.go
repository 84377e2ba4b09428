package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManCommand writes the manual. The library for it would make every start
// slower, and brings Markdown along.
func (a *app) newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual into a folder, a page for each command",
		Long:   "Write the manual into a folder, a page for each command.\nExit 0: it is there; 1: a page cannot be written; 2: wrong usage.",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // a manual is for everybody
				return fmt.Errorf("write the manual: %w", err)
			}
			return writeManual(a.newRootCommand(nil), args[0])
		},
	}
}

func writeManual(c *cobra.Command, dir string) error {
	file := filepath.Join(dir, pageName(c)+".1")
	if err := os.WriteFile(file, []byte(manual(c)), 0o644); err != nil { //nolint:gosec // a manual is for everybody
		return fmt.Errorf("write the manual: %w", err)
	}
	for _, sub := range pagesBelow(c) {
		if err := writeManual(sub, dir); err != nil {
			return err
		}
	}
	return nil
}

// pagesBelow are the subcommands that people may know of.
func pagesBelow(c *cobra.Command) []*cobra.Command {
	var subs []*cobra.Command
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			subs = append(subs, sub)
		}
	}
	return subs
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manual is the page of one command. It has no date, so that the same program
// has the same manual.
func manual(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"teammem %s\" \"teammem\"\n", roff(strings.ToUpper(pageName(c))), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	long := c.Long
	if long == "" {
		long = c.Short
	}
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s", verbatim(long))
	options(&b, "OPTIONS", c.NonInheritedFlags())
	options(&b, "OPTIONS OF ALL THESE COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n%s", verbatim(c.Example))
	}
	also := pagesBelow(c)
	if c.HasParent() {
		also = append([]*cobra.Command{c.Parent()}, also...)
	}
	for i, other := range also {
		if i == 0 {
			b.WriteString(".SH SEE ALSO\n")
		}
		fmt.Fprintf(&b, ".BR %s (1)\n", roff(pageName(other)))
	}
	return b.String()
}

func options(b *strings.Builder, heading string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", heading)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if value != "" {
			name += " " + value
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
}

// verbatim keeps the lines of a text as they are.
func verbatim(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}

// roff writes a text so that nothing in it is a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", "...").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
