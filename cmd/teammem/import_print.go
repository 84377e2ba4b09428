package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/memory"
)

// importPrinter says what an import or its undo would do, and did.
type importPrinter struct{ reportPrinter }

// Lines of --json. Each name in the source has one of type file; the parts of a
// file that is split follow it.
type (
	itemLine struct {
		Type        string        `json:"type"` // file or part
		File        string        `json:"file"`
		Part        int           `json:"part,omitzero"`
		Folder      bool          `json:"folder,omitzero"`
		Verdict     string        `json:"verdict"`
		Path        string        `json:"path,omitzero"`
		Renamed     bool          `json:"renamed,omitzero"`
		Suggested   string        `json:"suggested,omitzero"`
		Kind        string        `json:"kind,omitzero"`
		Name        string        `json:"name,omitzero"`
		Description string        `json:"description,omitzero"`
		Reason      string        `json:"reason,omitzero"`
		Code        string        `json:"code,omitzero"`
		Layer       string        `json:"layer,omitzero"`
		Position    *int          `json:"position,omitzero"`
		Hint        string        `json:"hint,omitzero"`
		Findings    []findingLine `json:"findings,omitzero"`
		Lints       []lintLine    `json:"lints,omitzero"`
		Lines       int           `json:"lines,omitzero"`
		NotTaken    []int         `json:"not_taken,omitzero"`
	}
	lintLine struct {
		Rule    string `json:"rule"`
		Line    int    `json:"line,omitzero"`
		Message string `json:"message"`
	}
	planLine struct {
		Type    string         `json:"type"`
		Layout  string         `json:"layout"`
		Project string         `json:"project"`
		Counts  map[string]int `json:"counts"`
		Takes   int            `json:"takes"`
		Preview bool           `json:"preview"`
		Exit    int            `json:"exit"`
	}
	resultLine struct {
		Type     string        `json:"type"`
		File     string        `json:"file"`
		Part     int           `json:"part,omitzero"`
		Path     string        `json:"path"`
		Outcome  string        `json:"outcome"`
		Reason   string        `json:"reason,omitzero"`
		Code     string        `json:"code,omitzero"`
		Findings []findingLine `json:"findings,omitzero"`
	}
	stepLine struct {
		Type    string `json:"type"`
		Path    string `json:"path"`
		Undoing string `json:"undoing"`
		Reason  string `json:"reason,omitzero"`
		Lines   int    `json:"lines,omitzero"`
	}
	actLine struct {
		Type    string `json:"type"` // imported, undo or undone
		ID      string `json:"id"`
		Files   int    `json:"files"`
		Preview bool   `json:"preview,omitzero"`
		Exit    int    `json:"exit"`
	}
)

// plan shows what would become of each file.
func (p importPrinter) plan(plan *adopt.Plan, code int, preview bool) error {
	p.bar.finish()
	if p.asJSON {
		return p.planJSON(plan, code, preview)
	}
	fold := folder{p.app, newFew(maxListed)}
	for i := range plan.Items {
		fold.item(&plan.Items[i])
	}
	fold.rest()
	fmt.Fprintln(p.stdout, countsOf(plan))
	if lints := lintsOf(plan); lints != "" {
		fmt.Fprintln(p.stdout, lints)
	}
	if plan.Takes() > 0 && !preview {
		for _, n := range plan.Before.Notices { // that sync is over when the next one reports
			p.tell("%s", n)
		}
	}
	if plan.Offline != nil {
		p.tell("%v", plan.Offline)
		p.tell("  what team-mates have shared meanwhile is not known")
	}
	if plan.Takes() > 0 && preview {
		_, err := fmt.Fprintf(p.stdout, "nothing was imported: --yes imports %s into %s\n", plural(plan.Takes(), "file", "files"), p.link.Slug)
		return err
	}
	return nil
}

// folder prints items one a line. There can be thousands: it names some of each
// sort, and counts the rest, which --json names.
type folder struct {
	*app

	named *few
}

func (f *folder) item(i *adopt.Item) {
	sort := string(i.Verdict)
	if i.Verdict == adopt.Same || i.Verdict == adopt.Skipped {
		sort += " " + i.Reason
	}
	if !f.named.take(sort) {
		return
	}
	line := fmt.Sprintf("%-8s %-9s %s", i.Verdict, kindOf(i), nameOf(i))
	if i.Problem != nil {
		line += ": " + reasonOf(i.Problem)
	} else if i.Reason != "" {
		line += ": " + i.Reason
	}
	fmt.Fprintln(f.stdout, strings.TrimRight(line, " "))
	for _, more := range moreOf(i) {
		fmt.Fprintf(f.stdout, "%-18s %s\n", "", more)
	}
}

// rest counts what was not named.
func (f *folder) rest() {
	for _, sort := range slices.Sorted(maps.Keys(f.named.seen)) {
		if more := f.named.more(sort); more > 0 {
			verdict, reason, _ := strings.Cut(sort, " ")
			fmt.Fprintln(f.stdout, strings.TrimRight(fmt.Sprintf("%-18s … and %d more, see --json: %s", verdict, more, reason), ": "))
		}
	}
}

// kindOf is what is shown of entries alone; "index" stands for an index.
func kindOf(i *adopt.Item) memory.Kind {
	const index = "index"
	switch {
	case i.Verdict == adopt.Split || i.Verdict == adopt.Skipped:
		return ""
	case i.Path.IsIndex():
		return index
	}
	return i.Meta.Kind
}

// nameOf is where an item goes, with where it comes from if that differs.
func nameOf(i *adopt.Item) string {
	from := shown(i.File)
	if i.Folder {
		from += "/"
	}
	if i.Part > 0 {
		from = fmt.Sprintf("part %d of %s", i.Part, from)
	}
	if i.Path.IsZero() || i.Path.String() == i.File {
		return from
	}
	return shown(i.Path.String()) + " from " + from
}

func reasonOf(problem *memory.Error) string {
	reason := string(problem.Code)
	if problem.Layer != "" {
		reason += fmt.Sprintf(", %s at byte %d", problem.Layer, problem.Position)
	}
	return reason + ": " + problem.Message
}

// moreOf is what follows an item on lines of their own.
func moreOf(i *adopt.Item) []string {
	var more []string
	if i.Problem != nil && i.Problem.Hint != "" {
		more = append(more, i.Problem.Hint)
	}
	if i.Verdict == adopt.Refused && !i.Suggested.IsZero() {
		more = append(more, "--rename takes it as "+shown(i.Suggested.String()))
	}
	if i.Verdict == adopt.Merged {
		more = append(more, plural(len(i.Lines), "line joins", "lines join"))
	}
	if len(i.NotTaken) > 0 {
		more = append(more, "stays behind: "+ranges(i.NotTaken))
	}
	return more
}

// ranges writes line numbers, such as "lines 1-4, 9".
func ranges(numbers []int) string {
	var parts []string
	for from := 0; from < len(numbers); {
		to := from
		for to+1 < len(numbers) && numbers[to+1] == numbers[to]+1 {
			to++
		}
		part := strconv.Itoa(numbers[from])
		if to > from {
			part += "-" + strconv.Itoa(numbers[to])
		}
		parts = append(parts, part)
		from = to + 1
	}
	if len(numbers) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}

// countsOf is the one line that most people read.
func countsOf(plan *adopt.Plan) string {
	words := map[adopt.Verdict]string{
		adopt.New: "new", adopt.Merged: "merged", adopt.Same: "there already", adopt.Differs: "with another text there",
		adopt.Split: "split", adopt.Skipped: "skipped", adopt.Refused: "refused",
	}
	var parts []string
	counts := plan.Count()
	for _, v := range adopt.Verdicts() {
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[v], words[v]))
		}
	}
	if len(parts) == 0 {
		return "there are no notes"
	}
	return strings.Join(parts, ", ")
}

// lintsOf counts the advice on what is taken.
func lintsOf(plan *adopt.Plan) string {
	rules, files, total := map[string]int{}, 0, 0
	for i := range plan.Items {
		lints := plan.Items[i].Lints
		for _, l := range lints {
			rules[l.Rule]++
		}
		total += len(lints)
		files += min(1, len(lints))
	}
	if total == 0 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return cmp.Or(rules[b]-rules[a], strings.Compare(a, b)) })
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d %s", rules[name], name))
	}
	return fmt.Sprintf("%s on %s, which hinder nothing: %s", plural(total, "remark", "remarks"), plural(files, "file", "files"),
		strings.Join(parts, ", "))
}

func (p importPrinter) planJSON(plan *adopt.Plan, code int, preview bool) error {
	for i := range plan.Items {
		if err := p.printJSON(newItemLine(&plan.Items[i])); err != nil {
			return err
		}
	}
	counts := map[string]int{}
	for verdict, n := range plan.Count() {
		counts[string(verdict)] = n
	}
	return p.printJSON(planLine{"plan", string(plan.Source.Layout), p.link.Slug, counts, plan.Takes(), preview, code})
}

func newItemLine(i *adopt.Item) itemLine {
	l := itemLine{
		Type: "file", File: strings.ToValidUTF8(i.File, "\ufffd"), Part: i.Part, Folder: i.Folder, Verdict: string(i.Verdict),
		Path: i.Path.String(), Renamed: i.Renamed, Suggested: i.Suggested.String(), Reason: i.Reason, NotTaken: i.NotTaken,
	}
	if i.Part > 0 {
		l.Type = "part"
	}
	l.Kind = string(kindOf(i))
	if i.Verdict == adopt.New || i.Verdict == adopt.Same {
		l.Name, l.Description = i.Meta.Name, i.Meta.Description
	}
	if i.Verdict == adopt.Merged {
		l.Lines = len(i.Lines)
	}
	if e := i.Problem; e != nil {
		l.Code, l.Layer, l.Reason, l.Hint, l.Findings = string(e.Code), e.Layer, e.Message, e.Hint, findingLines(e)
		if e.Layer != "" {
			l.Position = &e.Position
		}
	}
	for _, lint := range i.Lints {
		l.Lints = append(l.Lints, lintLine{lint.Rule, lint.Line, lint.Message})
	}
	return l
}

func findingLines(e *memory.Error) []findingLine {
	var all []findingLine
	for _, f := range e.Findings {
		all = append(all, findingLine{f.Rule, string(f.Severity), f.Line, f.Column})
	}
	return all
}

// imported says what became of each file.
func (p importPrinter) imported(done *adopt.Imported, code int) error {
	p.bar.finish()
	if p.asJSON {
		return p.importedJSON(done, code)
	}
	named := newFew(maxLines)
	for _, r := range done.Results {
		if !named.take(string(r.Outcome)) || r.Outcome == adopt.Declined { // the report names it, with the reason
			continue
		}
		line := fmt.Sprintf("%-11s %s", r.Outcome, shown(r.Path.String()))
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		fmt.Fprintln(p.stdout, line)
	}
	for _, o := range slices.Sorted(maps.Keys(named.seen)) {
		if more := named.more(o); more > 0 && o != string(adopt.Declined) {
			fmt.Fprintf(p.stdout, "%-11s … and %d more\n", o, more)
		}
	}
	if done.ID != "" {
		written := len(done.Results) - named.seen[string(adopt.NotWritten)] - named.seen[string(adopt.Theirs)]
		fmt.Fprintf(p.stdout, "imported %s as %s; teammem import --undo takes %s back\n", plural(written, "file", "files"), done.ID,
			map[bool]string{true: "it", false: "them"}[written == 1])
	}
	return p.synced(done.Report, code)
}

// synced says what the sync behind an act had to say.
func (p importPrinter) synced(r *client.Report, code int) error {
	if r == nil {
		return nil
	}
	p.quiet = false
	return p.print(r, code)
}

func (p importPrinter) importedJSON(done *adopt.Imported, code int) error {
	for _, r := range done.Results {
		l := resultLine{
			Type: "result", File: strings.ToValidUTF8(r.File, "\ufffd"), Part: r.Part, Path: r.Path.String(), Outcome: string(r.Outcome), Reason: r.Reason,
		}
		if r.Problem != nil {
			l.Code, l.Reason, l.Findings = string(r.Problem.Code), r.Problem.Message, findingLines(r.Problem)
		}
		if err := p.printJSON(l); err != nil {
			return err
		}
	}
	if err := p.printJSON(actLine{Type: "imported", ID: done.ID, Files: len(done.Results), Exit: code}); err != nil {
		return err
	}
	return p.synced(done.Report, code)
}

// undo shows what taking an import back would do.
func (p importPrinter) undo(u *adopt.Undo, code int, preview bool) error {
	p.bar.finish()
	if p.asJSON {
		return p.steps(u, actLine{Type: "undo", ID: u.Receipt.ID, Files: u.Acts(), Preview: preview, Exit: code})
	}
	fmt.Fprintf(p.stdout, "import %s of %s from %s\n", u.Receipt.ID, u.Receipt.At.Format("2006-01-02 15:04:05 UTC"), shown(u.Receipt.Source))
	p.printSteps(u)
	if u.Acts() == 0 {
		_, err := fmt.Fprintln(p.stdout, "nothing of it is left to take back")
		return err
	}
	if preview {
		_, err := fmt.Fprintf(p.stdout, "nothing was taken back: --yes takes %s back\n", plural(u.Acts(), "file", "files"))
		return err
	}
	return nil
}

func (p importPrinter) printSteps(u *adopt.Undo) {
	named := newFew(maxLines)
	for _, s := range u.Steps {
		if !named.take(string(s.Undoing)) {
			continue
		}
		line := fmt.Sprintf("%-8s %s", s.Undoing, shown(s.Path.String()))
		if s.Undoing == adopt.Retract {
			line += ": " + plural(s.Lines, "line", "lines")
		}
		if s.Reason != "" {
			line += ": " + s.Reason
		}
		fmt.Fprintln(p.stdout, line)
	}
	for _, undoing := range slices.Sorted(maps.Keys(named.seen)) {
		if more := named.more(undoing); more > 0 {
			fmt.Fprintf(p.stdout, "%-8s … and %d more\n", undoing, more)
		}
	}
}

// undone says what was taken back.
func (p importPrinter) undone(u *adopt.Undo, code int) error {
	p.bar.finish()
	if p.asJSON {
		return p.steps(u, actLine{Type: "undone", ID: u.Receipt.ID, Files: u.Acts(), Exit: code}, u.Report)
	}
	fmt.Fprintf(p.stdout, "took %s of %s back; the server keeps the texts in its history\n", plural(u.Acts(), "file", "files"), u.Receipt.ID)
	return p.synced(u.Report, code)
}

func (p importPrinter) steps(u *adopt.Undo, last actLine, reports ...*client.Report) error {
	for _, s := range u.Steps {
		if err := p.printJSON(stepLine{"step", s.Path.String(), string(s.Undoing), s.Reason, s.Lines}); err != nil {
			return err
		}
	}
	if err := p.printJSON(last); err != nil {
		return err
	}
	for _, r := range reports {
		if err := p.synced(r, last.Exit); err != nil {
			return err
		}
	}
	return nil
}
