package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/emulation"
	clog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const root = "../.."

// pictures is where screenshots go; without it none are taken.
var pictures = flag.String("pictures", "", "folder for pictures of every page")

// What all tests of the package share.
var (
	program string          // the program under test
	browser context.Context // one browser, in which each tab keeps its own cookies
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// run starts what the tests share, and ends it after them.
func run(m *testing.M) (code int, err error) {
	executable, err := findBrowser()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "teammem-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program = filepath.Join(dir, "teammem")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", program, "./cmd/teammem")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), flags(executable)...)
	defer stop()
	var end context.CancelFunc
	browser, end = chromedp.NewContext(allocator)
	defer end()
	if err := chromedp.Run(browser); err != nil {
		return 0, fmt.Errorf("start %s: %w", executable, err)
	}
	code = m.Run()
	return code, chromedp.Cancel(browser)
}

// findBrowser returns the browser itself, from the places where scripts/setup
// looks. In /usr/bin Debian has a shell script of the name
// chromium-headless-shell, which would leave the browser running when it is
// killed.
func findBrowser() (string, error) {
	if path := os.Getenv("TEAMMEM_CHROMIUM"); path != "" {
		return exec.LookPath(path)
	}
	for _, dir := range []string{"/usr/lib/chromium", "/usr/lib64/chromium-browser", "/usr/lib/chromium-browser"} {
		for _, name := range []string{"chromium-headless-shell", "headless_shell"} {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium on this machine; to install it, run: scripts/setup chromium")
}

// flags make pictures the same everywhere, and keep the browser to this
// machine: every other host has no address.
func flags(executable string) []chromedp.ExecAllocatorOption {
	return append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(executable), chromedp.NoSandbox, // as root it would not start otherwise
		chromedp.DisableGPU,
		chromedp.WindowSize(1440, 900),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("no-pings", true),
		chromedp.Flag("no-first-run", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("lang", "en-GB"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"),
		chromedp.Env("TZ=UTC"),
	)
}

// tab is one window of somebody's browser.
type tab struct {
	t      testing.TB
	ctx    context.Context
	origin string // where everything must come from

	mu       sync.Mutex
	faults   []string
	expected map[int64]bool // statuses of 400 and above that the next page may have
}

// patience is for the slowest machine; nothing waits for it to pass.
const patience = time.Minute

// newTab opens a window that shares nothing with others.
func newTab(t testing.TB, origin string) *tab {
	t.Helper()
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	tb := &tab{t: t, ctx: ctx, origin: origin, expected: map[int64]bool{}}
	t.Cleanup(func() {
		tb.conclude()
		cancel()
		closeTab()
	})
	chromedp.ListenTarget(ctx, tb.observe)
	tb.run(network.Enable(), clog.Enable(), audits.Enable(), emulation.SetTimezoneOverride("UTC"))
	return tb
}

// withoutScripts switches scripts off, as some people do.
func (tb *tab) withoutScripts() *tab {
	tb.t.Helper()
	tb.run(emulation.SetScriptExecutionDisabled(true))
	return tb
}

// observe collects what no page of ours may do.
func (tb *tab) observe(event any) {
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		tb.fault("console.%s", e.Type)
	case *runtime.EventExceptionThrown:
		tb.fault("exception: %s", e.ExceptionDetails.Text)
	case *clog.EventEntryAdded:
		told := e.Entry.Level == clog.LevelWarning || e.Entry.Level == clog.LevelError
		if told && e.Entry.Source != clog.SourceNetwork { // answers are judged by their status below
			tb.fault("log: %s: %s", e.Entry.Source, e.Entry.Text)
		}
	case *audits.EventIssueAdded:
		if e.Issue.Code == audits.InspectorIssueCodeContentSecurityPolicyIssue {
			tb.fault("content security policy: %s", e.Issue.Details.ContentSecurityPolicyIssueDetails.ViolatedDirective)
		}
	case *network.EventRequestWillBeSent:
		if u, err := url.Parse(e.Request.URL); err != nil || (u.Scheme != "data" && u.Scheme+"://"+u.Host != tb.origin) {
			tb.fault("a request to %s", e.Request.URL)
		}
	case *network.EventResponseReceived:
		tb.mu.Lock()
		expected := tb.expected[e.Response.Status] && e.Type == network.ResourceTypeDocument
		tb.mu.Unlock()
		if e.Response.Status >= 400 && !expected {
			tb.fault("status %d of %s", e.Response.Status, e.Response.URL)
		}
	case *page.EventJavascriptDialogOpening:
		tb.fault("a dialog: %s", e.Message)
	}
}

func (tb *tab) fault(format string, args ...any) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.faults = append(tb.faults, fmt.Sprintf(format, args...))
}

// conclude fails the test for what was observed; of a failed one it keeps
// picture and page.
func (tb *tab) conclude() {
	tb.mu.Lock()
	for _, fault := range tb.faults {
		tb.t.Errorf("the page did what it must not: %s", fault)
	}
	tb.mu.Unlock()
	if !tb.t.Failed() {
		return
	}
	var picture []byte
	var html string
	if err := chromedp.Run(tb.ctx, chromedp.FullScreenshot(&picture, 100), chromedp.OuterHTML("html", &html)); err != nil {
		tb.t.Logf("no picture: %v", err)
		return
	}
	name := filepath.Join(root, "dist", "e2e", strings.NewReplacer("/", "_", " ", "_").Replace(tb.t.Name()))
	must(tb.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(tb.t, os.WriteFile(name+".png", picture, 0o644))
	must(tb.t, os.WriteFile(name+".html", []byte(html), 0o644))
	tb.t.Logf("picture and page are %s.{png,html}", name)
}

func (tb *tab) run(actions ...chromedp.Action) {
	tb.t.Helper()
	if err := chromedp.Run(tb.ctx, actions...); err != nil {
		tb.t.Fatal(err)
	}
}

// goes carries out actions that lead to another page, and waits for it. Its
// status is the only one of 400 and above that is not a fault.
func (tb *tab) goes(status int64, actions ...chromedp.Action) *tab {
	tb.t.Helper()
	tb.mu.Lock()
	tb.expected = map[int64]bool{status: true}
	tb.mu.Unlock()
	ctx, cancel := context.WithTimeout(tb.ctx, patience)
	defer cancel()
	r, err := chromedp.RunResponse(ctx, actions...)
	if err != nil {
		tb.t.Fatalf("no page came: %v; at %s", err, tb.address())
	}
	if r.Status != status {
		tb.t.Fatalf("status %d of %s, want %d", r.Status, r.URL, status)
	}
	return tb
}

// open goes to an address of the site.
func (tb *tab) open(path string) *tab { tb.t.Helper(); return tb.goes(200, navigate(tb.origin+path)) }

// refused goes to an address that is answered with an error page.
func (tb *tab) refused(status int64, path string) *tab {
	tb.t.Helper()
	return tb.goes(status, navigate(tb.origin+path))
}

// navigate is chromedp's Navigate without its own waiting.
func navigate(address string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, text, _, err := page.Navigate(address).Do(ctx)
		if err == nil && text != "" {
			err = errors.New(text)
		}
		return err
	})
}

// back presses the back button of the browser.
func (tb *tab) back(status int64) *tab {
	tb.t.Helper()
	return tb.goes(status, chromedp.ActionFunc(func(ctx context.Context) error {
		at, entries, err := page.GetNavigationHistory().Do(ctx)
		if err != nil {
			return err
		}
		return page.NavigateToHistoryEntry(entries[at-1].ID).Do(ctx)
	}))
}

// follow clicks a link, by a part of its text.
func (tb *tab) follow(text string) *tab {
	tb.t.Helper()
	return tb.goes(200, click("a", text))
}

// press clicks a button, by a part of its text, which sends a form.
func (tb *tab) press(text string) *tab {
	tb.t.Helper()
	return tb.goes(200, click("button", text))
}

// click clicks with the mouse, where people would.
func click(element, text string) chromedp.Action {
	return chromedp.Click(find(element, text), chromedp.BySearch, chromedp.NodeVisible)
}

// find names the elements that hold a text, in any case of letters and with any
// spacing.
func find(element, text string) string {
	return fmt.Sprintf(`//%s[contains(normalize-space(.), %q)]`, element, text)
}

// text is what a person can read on the page.
func (tb *tab) text() (text string) {
	tb.t.Helper()
	tb.run(chromedp.Evaluate(`document.body.innerText`, &text))
	return text
}

// address is the path and query of the page.
func (tb *tab) address() string {
	tb.t.Helper()
	var href string
	tb.run(chromedp.Location(&href))
	return strings.TrimPrefix(href, tb.origin)
}

// count returns how many elements match.
func (tb *tab) count(selector string) (n int) {
	tb.t.Helper()
	tb.run(chromedp.Evaluate(fmt.Sprintf(`document.querySelectorAll(%q).length`, selector), &n))
	return n
}

// shows checks that a person can read all of these texts.
func (tb *tab) shows(texts ...string) *tab {
	tb.t.Helper()
	got := squeeze(tb.text())
	for _, want := range texts {
		if !strings.Contains(got, squeeze(want)) {
			tb.t.Errorf("%s does not show %q:\n%s", tb.address(), want, got)
		}
	}
	return tb
}

// hides checks that a person can read none of them.
func (tb *tab) hides(texts ...string) *tab {
	tb.t.Helper()
	got := squeeze(tb.text())
	for _, not := range texts {
		if strings.Contains(got, squeeze(not)) {
			tb.t.Errorf("%s shows %q", tb.address(), not)
		}
	}
	return tb
}

// squeeze makes all white space alike.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// cookies returns the cookies of the site.
func (tb *tab) cookies() (all map[string]*network.Cookie) {
	tb.t.Helper()
	all = map[string]*network.Cookie{}
	tb.run(chromedp.ActionFunc(func(ctx context.Context) error {
		found, err := network.GetCookies().WithURLs([]string{tb.origin}).Do(ctx)
		for _, c := range found {
			all[c.Name] = c
		}
		return err
	}))
	return all
}

// choose sets a field of a form, by its name.
func (tb *tab) choose(name, value string) {
	tb.t.Helper()
	tb.run(chromedp.SetValue(fmt.Sprintf(`[name=%q]`, name), value, chromedp.ByQuery))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
