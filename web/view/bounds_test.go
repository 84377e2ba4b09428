package view_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/teammem/teammem/web/view"
)

func entryOf(content string, mode view.Mode) templ.Component {
	p := entry()
	p.Content, p.Size, p.Lints, p.Mode = content, len(content), nil, mode
	return view.EntryPage(frame(view.SectionProjects), p)
}

func proposalOf(from, to string, mode view.Mode) templ.Component {
	return view.ReviewPage(frame(view.SectionReview), withOpen(func(p *view.Proposal) { p.Old, p.New, p.Lints, p.Mode = from, to, nil, mode }))
}

// What nobody sees makes no large page, whatever there is of it.
func TestPages_InvisibleTextIsSmall(t *testing.T) {
	t.Parallel()
	length := 100_000 // far beyond every bound on chips and lines
	if os.Getenv("TEAMMEM_SOAK") != "" {
		length = 250_000 // about as long as an entry may be
	}
	for name, text := range map[string]string{
		"one control":      strings.Repeat("\x01", length),
		"no-break spaces":  strings.Repeat("\u00a0", length/2),
		"in turns":         strings.Repeat("\x01\x02", length/2),
		"between letters":  strings.Repeat("a\x01", length/2),
		"not UTF-8":        strings.Repeat("\xff\xfe", length/2),
		"on many lines":    strings.Repeat("\u200b\u200c\n", length/7),
		"before a CR LF":   strings.Repeat("a\r\n", length/3),
		"in a frontmatter": "---\nname: " + strings.Repeat("\x01\x02", length/2) + "\n---\n",
	} {
		for form, page := range map[string]templ.Component{
			"raw": entryOf(text, view.ModeRaw), "rendered": entryOf(text, view.ModeRendered), "create": proposalOf("", text, view.ModeUnified),
			"delete": proposalOf(text, "", view.ModeUnified), "proposal raw": proposalOf(text, text+"a", view.ModeRaw),
			"proposal rendered": proposalOf(text, text+"a", view.ModeRendered), "changed": proposalOf(text, text+"a", view.ModeUnified),
		} {
			if n := len(draw(t, page)); n > 5*length/2 {
				t.Errorf("%s, %s: %d bytes make a page of %d", name, form, len(text), n)
			}
		}
	}
}

// A run is one chip with its count.
func TestPages_CountsInvisibleRuns(t *testing.T) {
	t.Parallel()
	source := "a" + strings.Repeat("\x01", 250) + "b\n"
	for form, page := range map[string]templ.Component{
		"raw": entryOf(source, view.ModeRaw), "rendered": entryOf(source, view.ModeRendered), "changed": proposalOf("", source, view.ModeUnified),
	} {
		got := text(drawn(t, page))
		if !strings.Contains(got, "U+0001 ×250") {
			t.Errorf("%s shows no count: %s", form, got)
		}
	}
}

// A text that is not shown says so and can be downloaded; one chip less and it
// is shown.
func TestPages_SaysWhatIsNotShown(t *testing.T) {
	t.Parallel()
	most, more := strings.Repeat("a\x01", 5000), strings.Repeat("a\x01", 5001)
	for form, draw := range map[string]func(string) templ.Component{
		"raw": func(s string) templ.Component { return entryOf(s, view.ModeRaw) }, "rendered": func(s string) templ.Component { return entryOf(s, view.ModeRendered) },
		"proposal raw":      func(s string) templ.Component { return proposalOf("", s, view.ModeRaw) },
		"proposal rendered": func(s string) templ.Component { return proposalOf("", s, view.ModeRendered) },
	} {
		if root := drawn(t, draw(most)); strings.Contains(text(root), "This text is not shown") {
			t.Errorf("%s: 5000 chips are not shown", form)
		}
		root := drawn(t, draw(more))
		raw := view.RawURL(project.ID, "ent_2")
		if strings.HasPrefix(form, "proposal") {
			raw = view.ProposalRawURL(project.ID, openProposal().ID)
		}
		if !strings.Contains(text(root), "This text is not shown") || with(root, "href", raw) == nil {
			t.Errorf("%s: 5001 chips: no word of it, or no link to %s: %.300s", form, raw, text(root))
		}
	}
}

// Who decides on what cannot be compared is told so, and led to both texts.
func TestReviewPage_DifferenceNotShown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a\n", 6000)
	p := openProposal()
	older, proposed := view.RevisionURL(project.ID, p.EntryID, p.BaseRev), view.ProposalModeURL(project.ID, p.ID, view.ModeRaw)
	for name, tt := range map[string]struct {
		from, to string
		links    []string
	}{
		"long":         {long, long + "b\n", []string{older, proposed}},
		"long create":  {"", long, []string{proposed}},
		"long delete":  {long, "", []string{older}},
		"many a chips": {"a\n", strings.Repeat("a\x01", 5001), []string{older, proposed}},
	} {
		root := drawn(t, proposalOf(tt.from, tt.to, view.ModeUnified))
		sheet := with(root, "class", "sheet")
		got := text(root)
		for _, want := range []string{"The difference could not be shownWhat", "The difference could not be shown. Read", "not compared"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: nothing says %q", name, want)
			}
		}
		var links []string
		for a := range elements(sheet, "a") {
			links = append(links, attribute(a, "href"))
		}
		if fmt.Sprint(links) != fmt.Sprint(tt.links) {
			t.Errorf("%s: leads to %v, want %v", name, links, tt.links)
		}
	}
	if got := text(drawn(t, proposalOf(long, long, view.ModeUnified))); strings.Contains(got, "could not be shown") || !strings.Contains(got, "unchanged") {
		t.Errorf("a long text that only moves: %.300s", got)
	}
}

func TestReviewPage_Counts(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]view.Queue{
		"12 pending": {Pending: 12, Mine: 2, MayReview: true}, "0 pending": {MayReview: true},
		"4 of yours pending": {Mine: 4, Tab: view.TabMine},
	} {
		root := drawn(t, view.ReviewPage(frame(view.SectionReview), view.Review{Queue: q}))
		if got := text(with(root, "class", "pill")); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
	if got := text(with(drawn(t, proposalOf("a\n", "b\n", view.ModeUnified)), "class", "counts")); got != "+1 lines −1 lines" {
		t.Errorf("counts are %q", got)
	}
}

func TestReviewPage_NothingOpen(t *testing.T) {
	t.Parallel()
	for want, rows := range map[string][]view.QueueRow{"Choose a proposal": queue(), "All clear": nil} {
		root := drawn(t, view.ReviewPage(frame(view.SectionReview), view.Review{Queue: view.Queue{Tab: view.TabPending, MayReview: true, Rows: rows}}))
		if got := text(with(root, "class", "choose")); !strings.HasPrefix(got, want) {
			t.Errorf("%d rows: %q, want %q", len(rows), got, want)
		}
	}
}

// Lists that grow with the project have an end, and lead to the rest.
func TestPages_BoundedLists(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 2000 {
		paths = append(paths, fmt.Sprintf("f%04d/a.md", i))
	}
	p := entry()
	p.Folders, p.Below = view.Tree(paths, "f1000/"), 2000
	p.Lints = make([]view.Lint, 3000)
	p.Waiting = make([]view.QueueRow, 200)
	page := draw(t, view.EntryPage(frame(view.SectionProjects), p))
	if len(page) > 80_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	got := text(drawn(t, view.EntryPage(frame(view.SectionProjects), p)))
	for _, want := range []string{"f1000", "1940 more folders", "All 2000 entries", "3000 remarks", "The first 100 are listed", "200 proposals wait", "All that wait"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	start := home()
	start.AllProjects = 300
	if got := text(drawn(t, view.HomePage(frame(view.SectionHome), start))); !strings.Contains(got, "All 300 projects") {
		t.Error("home does not lead to all projects")
	}
}

// What a finding holds of foreign text, as long as it can be, and as many
// computers as there are: a page of bounded size, with an end to its lists.
func TestFindingPage_Bounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("<i>\u202e&", 1000) + strings.Repeat("x", 5000) // 10,000 characters
	page := withFinding(stored)
	p := page.Open
	p.Rule, p.Excerpt, p.Author, p.Device, p.Path, p.RuleSet = long, long, long, long, long, long
	p.Request = &view.AllowRequest{Reason: long, Note: long, Paths: long, Decision: &view.AllowDecision{By: long, Note: long, Rule: "alw_1"}}
	p.Receivers = slices.Repeat([]view.Receiver{{Device: "laptop", Computers: 1}, {Owner: "Tom Okafor", Computers: 2}}, 1500)
	root := drawn(t, view.FindingsPage(frame(view.SectionFindings), page))
	got := text(root)
	if with(root, "class", "content") == nil || strings.Contains(got, "\u202e") || len(slices.Collect(elements(root, "i"))) > 0 {
		t.Error("the page does not stand a long text")
	}
	if !strings.Contains(got, "4500 computers may have got it") || !strings.Contains(got, "2 computers of") || !strings.Contains(got, "and 2950 more") {
		t.Error("the page does not say how many computers are not named")
	}
	list := findingList(view.FindingsOpen)
	for len(list.Rows) < 50 {
		list.Rows = append(list.Rows, findingRows()[1])
	}
	for len(list.Projects) < 100 {
		list.Projects = append(list.Projects, project)
	}
	if n := len(draw(t, view.FindingsPage(frame(view.SectionFindings), view.Findings{List: list}))); n > 60_000 {
		t.Errorf("a whole page of the list has %d bytes", n)
	}
	list.Rescans = make([]view.Rescan, 300)
	if got := text(drawn(t, view.FindingsPage(frame(view.SectionFindings), view.Findings{List: list}))); !strings.Contains(got, "and 295 more projects") {
		t.Error("the list does not say how many projects are looked at again")
	}
}

// A secret that was in words beside a text is told like one that was shared, and
// where it stood.
func TestFindingPage_Words(t *testing.T) {
	t.Parallel()
	page := withFinding(stored)
	page.Open.Stored, page.Open.Receivers, page.Open.Withheld = false, nil, "note of ent_1@7"
	got := text(drawn(t, view.FindingsPage(frame(view.SectionFindings), page)))
	for _, want := range []string{"newer rules found it in the note of ent_1@7", "others may have read it"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	if strings.Contains(got, "never stored") {
		t.Error("it says that the words were refused")
	}
}
