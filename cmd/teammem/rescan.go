package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
)

type rescanOptions struct {
	start  bool
	asJSON bool
}

func (a *app) newRescanCommand(db *databaseOptions) *cobra.Command {
	var o rescanOptions
	c := &cobra.Command{
		Use:   "rescan",
		Short: "Show what newer rules found in stored texts, or look again",
		Long: `Show how far the server is with looking at stored texts again: whenever its rules
for secrets and hidden text are new ones, it scans every entry, its history, proposals
and conflicts in the background. An entry that says a secret now, or holds what nobody
sees, is quarantined, an older text is hidden from all but reviewers, and a proposal is
closed. In notes, reasons and names of computers and agents a mask takes the place of
the secret, for good, and what nobody sees is spelled out.

For each secret nobody has settled yet, it prints which computers may have got it, and
where it has to be rotated. --start scans everything once more, from the start; a
server has to be running.
Exit 0: done, also if there are findings; 2: wrong usage.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.administer(c.Context(), *db, func(s *memory.Service, _ *database) error { return a.runRescan(c.Context(), s, o) })
		},
	}
	c.Flags().BoolVar(&o.start, "start", false, "scan everything again, also what today's rules let pass")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object a line")
	return c
}

func (a *app) runRescan(ctx context.Context, s *memory.Service, o rescanOptions) error {
	if o.start {
		if err := s.ForceRescan(ctx, operator()); err != nil {
			return err
		}
	}
	r, err := s.RescanReport(ctx, operator())
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.printRescanJSON(r)
	}
	if _, err := fmt.Fprintf(a.stdout, "rules %s, since %s\n", r.RuleSet, instant(r.At)); err != nil {
		return err
	}
	for _, p := range r.Projects {
		a.printRescanned(p)
	}
	named := newFew(maxListed)
	for _, l := range r.Findings {
		if named.take("") {
			a.printLeak(l)
		}
	}
	return a.rest(named)
}

func (a *app) printRescanned(p memory.RescanProgress) {
	state := fmt.Sprintf("at change %d of %d", p.Seq, p.Head)
	if !p.EndedAt.IsZero() {
		state = "done " + instant(p.EndedAt)
	}
	fmt.Fprintf(a.stdout, "%s: %s, %s scanned, %s, %s, %s, %s\n", shown(p.Slug), state, plural(p.Texts, "text", "texts"),
		plural(p.Findings, "secret", "secrets"), plural(p.Rejected, "hidden text", "hidden texts"), plural(p.Withdrawn, "entry quarantined", "entries quarantined"),
		plural(p.Hidden, "older text hidden", "older texts hidden"))
	if p.Unscanned > 0 {
		fmt.Fprintf(a.stdout, "  %s could not be scanned to the end, and stay as they are: %s\n",
			plural(p.Unscanned, "text", "texts"), strings.Join(p.UnscannedSome, " "))
	}
}

func (a *app) printLeak(l memory.Leak) {
	text, told := l.Held, "  those who decide there can read it\n"
	switch {
	case l.Withheld != "":
		text, told = l.Withheld, "  everybody in the project could read it\n"
	case l.Stored.Rev > 0:
		text, told = fmt.Sprintf("%s@%d", l.Stored.EntryID, l.Stored.Rev), describeReceivers(l.Receivers, l.Restored)
	}
	fmt.Fprintf(a.stdout, "%s  %s  %s  %s in %s:%d by %s (%s)\n", l.ID, l.State, shown(l.Slug), l.Rule, shown(l.Path.String()), l.Line,
		shown(l.Author.Name), text)
	fmt.Fprint(a.stdout, told+describeRotation(memory.RotationOf(l.Rule)))
}

// describeReceivers says which computers may have got a stored text. After the
// server was restored nobody knows of all.
func describeReceivers(all []memory.Receiver, restored time.Time) string {
	var names []string
	for _, r := range all[:min(len(all), maxLines)] {
		computer := shown(r.Device.Name)
		if r.Computers > 0 {
			computer = plural(r.Computers, "computer", "computers")
		}
		names = append(names, computer+" of "+shown(r.Owner.Name))
	}
	if more := len(all) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more: --json lists all", more))
	}
	if len(names) == 0 {
		names = []string{"no computer that is known, but where it was written"}
	}
	if !restored.IsZero() {
		names = append(names, "and others if they got it before the server was restored on "+day(restored)+" and are not in its backup")
	}
	return fmt.Sprintf("  may have got it: %s\n", strings.Join(names, ", "))
}

func describeRotation(r memory.Rotation) (text string) {
	for i, step := range r.Steps {
		text += fmt.Sprintf("  %d. %s\n", i+1, shown(step))
	}
	return text
}

// The lines of admin rescan --json.
type (
	rescanLine struct {
		Type    string    `json:"type"`
		RuleSet string    `json:"rule_set"`
		Round   int64     `json:"round"`
		At      time.Time `json:"at"`
	}

	rescannedLine struct {
		Type          string    `json:"type"`
		Project       string    `json:"project"`
		Seq           int64     `json:"seq"`
		Head          int64     `json:"head"`
		Texts         int       `json:"texts"`
		Findings      int       `json:"findings"`
		Rejected      int       `json:"rejected"`
		Withdrawn     int       `json:"withdrawn"`
		Hidden        int       `json:"hidden"`
		Unscanned     int       `json:"unscanned"`
		UnscannedSome []string  `json:"unscanned_some"`
		BeganAt       time.Time `json:"began_at,omitzero"`
		EndedAt       time.Time `json:"ended_at,omitzero"`
	}

	leakLine struct {
		Type      string         `json:"type"`
		ID        string         `json:"id"`
		Project   string         `json:"project"`
		State     string         `json:"state"`
		Rule      string         `json:"rule"`
		Severity  string         `json:"severity"`
		RuleSet   string         `json:"rule_set"`
		Path      string         `json:"path"`
		Line      int            `json:"line"`
		Column    int            `json:"column"`
		EntryID   string         `json:"entry_id"`
		Rev       int64          `json:"rev"`
		Held      string         `json:"held,omitzero"`
		Withheld  string         `json:"withheld,omitzero"`
		Author    string         `json:"author"`
		At        time.Time      `json:"at"`
		Receivers []receiverLine `json:"receivers"`
		Restored  time.Time      `json:"restored,omitzero"`
		Provider  string         `json:"provider"`
		Rotate    []string       `json:"rotate"`
	}

	receiverLine struct {
		Device string    `json:"device"`
		Name   string    `json:"name"`
		Owner  string    `json:"owner"`
		At     time.Time `json:"at"`
	}
)

func (a *app) printRescanJSON(r memory.RescanReport) error {
	if err := a.printJSON(rescanLine{"rescan", r.RuleSet, r.Round, r.At}); err != nil {
		return err
	}
	for _, p := range r.Projects {
		err := a.printJSON(rescannedLine{
			"project", p.Slug, p.Seq, p.Head, p.Texts, p.Findings, p.Rejected, p.Withdrawn, p.Hidden, p.Unscanned, p.UnscannedSome, p.BeganAt,
			p.EndedAt,
		})
		if err != nil {
			return err
		}
	}
	for _, l := range r.Findings {
		if err := a.printJSON(newLeakLine(l)); err != nil {
			return err
		}
	}
	return nil
}

func newLeakLine(l memory.Leak) leakLine {
	rotation := memory.RotationOf(l.Rule)
	line := leakLine{
		Type: "finding", ID: string(l.ID), Project: l.Slug, State: string(l.State), Rule: l.Rule, Severity: string(l.Severity), RuleSet: l.RuleSet,
		Path: l.Path.String(), Line: l.Line, Column: l.Column, EntryID: string(l.Stored.EntryID), Rev: l.Stored.Rev, Held: l.Held, Withheld: l.Withheld, Author: l.Author.Name,
		At: l.At, Receivers: []receiverLine{}, Restored: l.Restored, Provider: rotation.Provider, Rotate: rotation.Steps,
	}
	for _, r := range l.Receivers {
		line.Receivers = append(line.Receivers, receiverLine{string(r.Device.ID), r.Device.Name, r.Owner.Name, r.At})
	}
	return line
}
