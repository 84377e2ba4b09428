package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// reportPrinter says what a run did: results on stdout, problems on stderr.
type reportPrinter struct {
	*app
	link    client.Link
	run     client.Mode // of this run; "": as linked
	bar     *progressBar
	asJSON  bool
	quiet   bool
	planned bool // what is done is only planned
	lines   *few // of ops so far
	whole   bool // names every problem, however many there are
}

// done prints one op, as soon as it is done.
func (p reportPrinter) done(d client.Done) {
	if p.asJSON {
		// A stdout that is closed shows at the summary.
		_ = p.printJSON(opLine{"op", string(d.Kind), d.Path.String(), d.From.String(), d.Rev, string(d.Verdict)})
		return
	}
	line := describeDone(d, p.planned)
	if line == "" || p.quiet {
		return
	}
	if p.lines.take("") {
		p.bar.finish()
		fmt.Fprintln(p.stdout, line)
	}
}

// print says the rest, when the run has ended.
func (p reportPrinter) print(r *client.Report, code int) error {
	p.bar.finish()
	if p.asJSON {
		return p.json(r, code)
	}
	p.problems(r)
	if p.quiet {
		return nil
	}
	if more := p.lines.more(""); more > 0 {
		fmt.Fprintf(p.stdout, "… and %d more\n", more)
	}
	p.waiting(r)
	_, err := fmt.Fprintln(p.stdout, p.summary(r))
	return err
}

// summary is the one line that most people read.
func (p reportPrinter) summary(r *client.Report) string {
	switch {
	case r.DryRun && r.Pending > 0:
		return fmt.Sprintf("%s would change in %s", plural(r.Pending, "thing", "things"), p.link.Slug)
	case !r.Proven && r.DryRun && r.Requests == 0:
		return "the server was not asked, so whether you are in sync is not known"
	case !r.Proven:
		return "not in sync with " + p.link.Slug
	}
	var apart []string
	if n := notShared(r); n > 0 {
		apart = append(apart, plural(n, "file", "files")+" not shared")
	}
	if n := len(pending(r.Waiting)); n > 0 {
		apart = append(apart, plural(n, "change", "changes")+" waiting for review")
	}
	apart = append(apart, apartHeld(r)...)
	apart = append(apart, p.apartScope(r)...)
	line := fmt.Sprintf("in sync with %s: %s", p.link.Slug, plural(r.Entries, "entry", "entries"))
	if len(apart) > 0 {
		line += ", and " + strings.Join(apart, ", ")
	}
	return line
}

// problems lists what was not done, with the reason.
func (p reportPrinter) problems(r *client.Report) {
	refused := newsFirst(r.Refused)
	p.tellFew(len(refused), "files not shared", func(i int) (what, hint string) {
		return describeRefused(refused[i]), refused[i].Problem.Hint
	})
	over := ended(r.Waiting)
	p.tellFew(len(over), "changes not shared", func(i int) (what, hint string) { return describeEnded(over[i]) })
	p.tellFew(len(r.Conflicts), "conflicts", func(i int) (what, hint string) {
		c := r.Conflicts[i]
		return fmt.Sprintf("conflict %s: the server's text is in the tree, yours is in %s", shown(c.Path.String()), shown(c.File)),
			fmt.Sprintf("see teammem conflicts show %s, then teammem conflicts resolve %s", c.ID, c.ID)
	})
	p.held(r)
	p.tellFew(len(r.Notices), "notices", func(i int) (what, hint string) { return r.Notices[i], "" })
}

// tellFew tells of the first n problems of a sort, and how many more there are.
func (p reportPrinter) tellFew(n int, sort string, describe func(i int) (what, hint string)) {
	most := maxLines
	if p.whole {
		most = n
	}
	for i := range min(n, most) {
		what, hint := describe(i)
		p.tell("%s", what)
		if hint != "" {
			p.tell("  %s", hint)
		}
	}
	if n > most {
		p.tell("… and %d more %s: teammem status --json lists all", n-most, sort)
	}
}

// newsFirst lets what is known already not hide what is new.
func newsFirst(all []client.Refused) []client.Refused {
	var fresh, known []client.Refused
	for _, f := range all {
		if f.New {
			fresh = append(fresh, f)
		} else {
			known = append(known, f)
		}
	}
	return append(fresh, known...)
}

func describeRefused(f client.Refused) string {
	where := "not shared"
	if f.Remote {
		where = "not taken from the server"
	}
	reason := string(f.Problem.Code)
	if f.Problem.Layer != "" {
		reason += fmt.Sprintf(", %s at byte %d", f.Problem.Layer, f.Problem.Position)
	}
	return fmt.Sprintf("%s: %s (%s): %s", where, shown(f.File), reason, f.Problem.Message)
}

func describeDone(d client.Done, planned bool) string {
	path := shown(d.Path.String())
	if d.Verdict != "" && d.Verdict != memory.RulingPublished && d.Verdict != memory.RulingSame {
		return ""
	}
	verbs, ok := doneVerbs()[d.Kind]
	if !ok {
		return ""
	}
	verb := verbs[0]
	if planned {
		verb = "would " + verbs[1]
	}
	if !d.From.IsZero() && d.From != d.Path {
		return fmt.Sprintf("%s %s to %s", verb, shown(d.From.String()), path)
	}
	return verb + " " + path
}

// doneVerbs are the words for what was done, and for what would be.
func doneVerbs() map[msync.Kind][2]string {
	return map[msync.Kind][2]string{
		msync.Create:       {"sent", "send"},
		msync.Upload:       {"sent", "send"},
		msync.Merge:        {"merged", "merge"},
		msync.MoveRemote:   {"renamed for all", "rename for all"},
		msync.DeleteRemote: {"deleted for all", "delete for all"},
		msync.Download:     {"received", "receive"},
		msync.Conflict:     {"received (conflict)", "receive (conflict)"},
		msync.MoveLocal:    {"renamed", "rename"},
		msync.Rename:       {"renamed", "rename"},
		msync.DeleteLocal:  {"moved to the trash", "move to the trash"},
	}
}

// heading tells what status is about.
func (p reportPrinter) heading(st client.Status) {
	if p.asJSON {
		return
	}
	last := "never"
	if !st.LastSync.IsZero() {
		last = st.LastSync.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	fmt.Fprintf(p.stdout, "project   %s at %s\n", st.Link.Slug, st.Link.Server)
	fmt.Fprintf(p.stdout, "folder    %s\n", st.Link.Folder)
	fmt.Fprintf(p.stdout, "memory    %s (%s)\n", st.Link.MemoryDir, st.Link.Source)
	fmt.Fprintf(p.stdout, "last sync %s\n", last)
	fmt.Fprintf(p.stdout, "entries   %d, at change %d\n", st.Entries, st.Cursor.Seq)
}

// Lines of --json. The last one is a summary.
type (
	opLine struct {
		Type    string `json:"type"`
		Op      string `json:"op"`
		Path    string `json:"path"`
		From    string `json:"from,omitzero"`
		Rev     int64  `json:"rev,omitzero"`
		Verdict string `json:"verdict,omitzero"`
	}
	refusedLine struct {
		Type     string        `json:"type"`
		Path     string        `json:"path"`
		Code     string        `json:"code"`
		Layer    string        `json:"layer,omitzero"`
		Position *int          `json:"position,omitzero"`
		Findings []findingLine `json:"findings,omitzero"`
		Message  string        `json:"message"`
		Hint     string        `json:"hint,omitzero"`
		Known    bool          `json:"known"`
		Remote   bool          `json:"remote,omitzero"`
	}
	findingLine struct {
		Rule     string `json:"rule"`
		Severity string `json:"severity"`
		Line     int    `json:"line"`
		Column   int    `json:"column"`
	}
	textLine struct {
		Type    string `json:"type"`
		ID      string `json:"id,omitzero"`
		Path    string `json:"path,omitzero"`
		File    string `json:"file,omitzero"`
		Message string `json:"message,omitzero"`
	}
	summaryLine struct {
		Type    string         `json:"type"`
		Exit    int            `json:"exit"`
		Project string         `json:"project"`
		Cursor  string         `json:"cursor"`
		Digest  string         `json:"digest"`
		InSync  bool           `json:"in_sync"`
		Entries int            `json:"entries"`
		Pending int            `json:"pending"`
		Counts  map[string]int `json:"counts"`
	}
)

func (p reportPrinter) json(r *client.Report, code int) error {
	for _, f := range r.Refused {
		if err := p.printJSON(newRefusedLine(f)); err != nil {
			return err
		}
	}
	for _, w := range r.Waiting {
		if err := p.printJSON(newWaitingLine(w)); err != nil {
			return err
		}
	}
	for _, c := range r.Conflicts {
		if err := p.printJSON(textLine{Type: "conflict", ID: c.ID, Path: c.Path.String(), File: c.File}); err != nil {
			return err
		}
	}
	for _, h := range r.Held {
		if err := p.printJSON(newHeldLine(h)); err != nil {
			return err
		}
	}
	if err := p.scopeLines(r); err != nil {
		return err
	}
	for _, n := range r.Notices {
		if err := p.printJSON(textLine{Type: "notice", Message: n}); err != nil {
			return err
		}
	}
	counts := map[string]int{"refused": len(r.Refused), "waiting": len(r.Waiting), "conflicts": len(r.Conflicts), "held": countHeld(r), "left_out": len(r.LeftOut), "skipped": len(r.Skipped), "ignored": r.Ignored, "requests": r.Requests}
	for kind, n := range r.Counts() {
		counts[strings.ReplaceAll(string(kind), "-", "_")] = n
	}
	return p.printJSON(summaryLine{"summary", code, p.link.Slug, r.Cursor.String(), r.Digest.String(), r.Proven && len(r.Held)+len(r.Skipped) == 0, r.Entries, r.Pending, counts})
}

// notBegun is the last line of --json for a run that cannot even begin.
func (a *app) notBegun(ctx context.Context, err error, o syncOptions) error {
	if !o.asJSON {
		return nil
	}
	return a.printJSON(summaryLine{Type: "summary", Exit: exitCode(ctx, err), Counts: map[string]int{}})
}

func newRefusedLine(f client.Refused) refusedLine {
	l := refusedLine{
		Type: "refused", Path: f.File, Code: string(f.Problem.Code), Layer: f.Problem.Layer, Message: f.Problem.Message, Hint: f.Problem.Hint,
		Known: !f.New, Remote: f.Remote,
	}
	if slices.Contains(client.BlockedCodes(), f.Problem.Code) {
		l.Type = "blocked"
	}
	if f.Problem.Layer != "" {
		l.Position = &f.Problem.Position
	}
	for _, found := range f.Problem.Findings {
		l.Findings = append(l.Findings, findingLine{found.Rule, string(found.Severity), found.Line, found.Column})
	}
	return l
}
