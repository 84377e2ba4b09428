package e2e

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Every page in both themes, on a screen and on a phone: nothing makes it
// scroll sideways, nothing is heavier than its budget. With -pictures it is
// also kept as a picture.
func TestPages(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	entry := s.entry("refunds-after-90-days.md")
	lost := s.mara.lose(payments, "dashboards.md", s.text("dashboards.md")+"\nThe board \"Payouts\" moved.\n", s.verdicts["dashboards.md"])
	s.mara.report(payments, map[string]any{
		"holds": []any{map[string]any{"hold": "h1", "deletes": 30, "direction": "incoming"}}, "conflicts": 1, "waiting": 2, "mode": "both-ways",
		"refused": []any{map[string]any{"path": "deploy/keys.md", "code": "secret_found"}, map[string]any{"code": "path_rejected", "layer": "reserved"}},
		"blocked": []any{map[string]any{"path": "notes/dashboards-of-the-payments-team-and-their-links.md", "kind": "symlink"}},
	})
	s.jo.report(payments, map[string]any{"mode": "pull-only"})
	s.ines.report(platform, map[string]any{"mode": "both-ways"})
	asked, leaked, own := s.find()
	conflicts := strings.TrimSuffix(s.entries(), "entries") + "conflicts"
	pages := []struct {
		name, path string
		who        *member
		status     int64
	}{
		{"sign-in", s.jo.link(), nil, 200},
		{"home", "/", s.jo, 200},
		{"projects", "/projects", s.jo, 200},
		{"entries", s.entries(), s.jo, 200},
		{"entries-folder", s.entries() + "?prefix=testing%2F", s.jo, 200},
		{"entry", entry, s.jo, 200},
		{"entry-rendered", s.entry("providers/northpay-quirks.md") + "?view=rendered", s.jo, 200},
		{"history", entry + "/history", s.jo, 200},
		{"diff", entry + "/diff", s.jo, 200},
		{"restore", entry + "/restore?rev=" + fmt.Sprint(s.firsts["refunds-after-90-days.md"]), s.jo, 200},
		{"review", "/review", s.jo, 200},
		{"proposal", s.page(s.waiting[0]), s.jo, 200},
		{"proposal-new", s.page(s.waiting[1]), s.jo, 200},
		{"proposal-delete", s.page(s.waiting[2]), s.ines, 200},
		{"proposal-own", s.page(s.waiting[3]), s.ines, 200},
		{"proposal-overtaken", s.page(s.waiting[4]), s.jo, 200},
		{"mine", "/review?tab=mine", s.mara, 200},
		{"conflicts", conflicts, s.jo, 200},
		{"conflict", conflicts + "/" + lost["id"].(string), s.jo, 200},
		{"findings", "/findings", s.jo, 200},
		{"finding", asked, s.jo, 200},
		{"finding-stored", leaked, s.jo, 200},
		{"finding-own", own, s.mara, 200},
		{"findings-done", "/findings?tab=done", s.ines, 200},
		{"exceptions", strings.TrimSuffix(conflicts, "conflicts") + "exceptions", s.jo, 200},
		{"sync", "/sync", s.jo, 200},
		{"sync-own", "/sync", s.mara, 200},
		{"not-found", "/p/prj_none/entries", s.jo, 404},
	}
	tabs := map[*member]*tab{nil: newTab(t, s.url)}
	for _, m := range []*member{s.mara, s.jo, s.ines} {
		tabs[m] = m.browse(t)
	}
	for _, p := range pages {
		tb := tabs[p.who]
		tb.refused(p.status, p.path)
		tb.weigh(p.name)
		for _, theme := range []string{"light", "dark"} {
			for _, width := range []int64{1440, 390} {
				tb.dress(theme, width)
				tb.fits(p.name, width)
				tb.picture(fmt.Sprintf("%s-%s-%d", p.name, theme, width))
			}
		}
		tb.dress("light", 320) // what 1280 pixels are at a zoom of 400 %
		tb.fits(p.name, 320)
	}
}

// dress gives the page a theme and a width.
func (tb *tab) dress(theme string, width int64) {
	tb.t.Helper()
	height := int64(900)
	if width < 720 {
		height = 844
	}
	tb.run(
		emulation.SetDeviceMetricsOverride(width, height, 1, width < 720),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}, // or colours would be on their way
		}),
	)
}

// fits fails if the page can be scrolled sideways.
func (tb *tab) fits(name string, width int64) {
	tb.t.Helper()
	var wide int64
	tb.run(chromedp.Evaluate(`document.scrollingElement.scrollWidth`, &wide))
	if wide > width {
		tb.t.Errorf("%s: %d pixels wide on a screen of %d", name, wide, width)
	}
}

// weigh holds a page to its budget.
func (tb *tab) weigh(name string) {
	tb.t.Helper()
	const mostHTML, mostNodes, mostCSS = 60 << 10, 1500, 15 << 10
	var weight struct {
		HTML, Nodes int
		CSS         string
	}
	tb.run(chromedp.Evaluate(`({
		HTML: document.documentElement.outerHTML.length,
		Nodes: document.querySelectorAll("*").length,
		CSS: [...document.styleSheets].flatMap(s => [...s.cssRules].map(r => r.cssText)).join(""),
	})`, &weight))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(weight.CSS))
	must(tb.t, err)
	must(tb.t, w.Close())
	if weight.HTML > mostHTML || weight.Nodes > mostNodes || packed.Len() > mostCSS || packed.Len() == 0 {
		tb.t.Errorf("%s weighs %d bytes of HTML, %d nodes, %d bytes of CSS", name, weight.HTML, weight.Nodes, packed.Len())
	}
}

// picture keeps what is on the screen, if pictures are wanted.
func (tb *tab) picture(name string) {
	tb.t.Helper()
	if *pictures == "" {
		return
	}
	var png []byte
	tb.run(chromedp.CaptureScreenshot(&png))
	must(tb.t, os.MkdirAll(*pictures, 0o755))
	must(tb.t, os.WriteFile(filepath.Join(*pictures, name+".png"), png, 0o644))
}

// entries returns the address of the list of entries.
func (s *story) entries() string {
	s.t.Helper()
	return "/p/" + s.mara.project(payments)["id"].(string) + "/entries"
}

// entry returns the address of an entry's page.
func (s *story) entry(path string) string {
	s.t.Helper()
	return strings.TrimSuffix(s.entries(), "entries") + "e/" + s.verdicts[path]["entry_id"].(string)
}
