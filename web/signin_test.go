package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// Looking at a link does not use it up: programs look at links too.
func TestSignIn_GetChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.link(t, b.admin)
	br := b.browser(t)
	for range 3 {
		r := br.get("/login?token="+token).want(t, http.StatusOK).shows(t, token, `method="post"`)
		if len(r.header.Values("Set-Cookie")) > 0 {
			t.Error("a GET set a cookie")
		}
	}
	br.do(http.MethodHead, "/login?token="+token, "").want(t, http.StatusMethodNotAllowed)
	br.post("/login", "token", token).leads(t, "/")
	br.get("/").want(t, http.StatusOK)
}

func TestSignIn_Cookie(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.browser(t).post("/login", "token", b.link(t, b.admin))
	set := r.header.Values("Set-Cookie")
	if len(set) != 1 {
		t.Fatalf("%d cookies are set", len(set))
	}
	name, rest, _ := strings.Cut(set[0], "=")
	value, flags, _ := strings.Cut(rest, "; ")
	if name != "__Host-tm_session" || len(value) != 43 || flags != "Path=/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("cookie %s of %d characters: %s", name, len(value), flags)
	}
	if n := b.count(t, "select count(*) from console_sessions s where s::text like '%'||$1||'%'", value); n != 0 {
		t.Error("the cookie itself is in the database")
	}
	if b.count(t, "select count(*) from audit where action = 'session.start' and actor = $1 and remote = '127.0.0.1' and client = 'console'", b.admin.ID) != 1 {
		t.Error("the audit does not say who signed in, and from where")
	}
}

// Whatever is wrong with a link, the page is the same, and nobody is signed in.
func TestSignIn_BadLinks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	used := b.link(t, b.admin)
	b.browser(t).signIn(used)
	disabled := b.link(t, b.members[memory.RoleViewer])
	b.sql(t, "update members set disabled = true where member_id = $1", b.members[memory.RoleViewer].ID)
	ended := b.link(t, b.members[memory.RoleReviewer])
	b.sql(t, "update members set session_epoch = session_epoch + 1 where member_id = $1", b.members[memory.RoleReviewer].ID)
	expired := b.link(t, b.admin)
	good := b.link(t, b.admin)
	b.sql(t, "update console_links set created_at = created_at - interval '1 d', expires_at = $1 where hash = $2", b.clock.now(), hashOf(expired))

	pages := map[string]string{}
	for name, token := range map[string]string{
		"used": used, "disabled member": disabled, "sessions were ended": ended, "expired": expired, "unknown": auth.MintLinkToken(),
		"none": "", "cut short": good[:len(good)-1], "mistyped": mistyped(good), "an API token": auth.MintAPIToken(),
		"a session": auth.MintSession(), "words": "let me in", "zero": "tmi_\x00",
	} {
		br := b.browser(t)
		r := br.post("/login", "token", token).want(t, http.StatusUnauthorized)
		if token != "" {
			r.hides(t, token)
		}
		if len(r.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: a cookie is set", name)
		}
		pages[r.body] = name
		br.get("/").want(t, http.StatusUnauthorized)
	}
	if len(pages) != 1 {
		t.Errorf("the page tells apart: %d versions", len(pages))
	}
	// What had the form of a link was looked up, and is on record.
	if n := b.count(t, "select count(*) from audit where action = 'session.start' and decision = 'refused' and actor = ''"); n != 5 {
		t.Errorf("%d refusals are in the audit", n)
	}
	b.browser(t).signIn(good)
}

// mistyped returns a token with another character in it.
func mistyped(token string) string {
	other := "0"
	if token[10] == '0' {
		other = "1"
	}
	return token[:10] + other + token[11:]
}

func hashOf(token string) []byte {
	h := auth.HashToken(token)
	return h[:]
}

// A session that somebody planted is worth nothing, before and after.
func TestSignIn_Fixation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory := b.as(t, memory.RoleViewer)
	planted := mallory.cookies[sessionCookie]
	for _, value := range []string{planted, auth.MintSession(), "x"} {
		victim := b.browser(t)
		victim.cookies = map[string]string{sessionCookie: value}
		victim.signIn(b.link(t, b.admin))
		if victim.cookies[sessionCookie] == value {
			t.Error("the planted session was kept")
		}
		victim.get("/p/"+string(b.other.ID)+"/entries").want(t, http.StatusOK) // the admin's own sight
	}
	mallory.get("/").want(t, http.StatusUnauthorized) // it was replaced, not shared
}

// A second sign-in ends the session that the browser had.
func TestSignIn_Rotates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.as(t, memory.RoleViewer)
	stolen := b.browser(t)
	stolen.cookies = map[string]string{sessionCookie: br.cookies[sessionCookie]}
	stolen.get("/").want(t, http.StatusOK)
	br.signIn(b.link(t, b.members[memory.RoleViewer]))
	stolen.get("/").want(t, http.StatusUnauthorized)
	br.get("/").want(t, http.StatusOK)
}

// A link leads to pages of this console only.
func TestSignIn_Back(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for back, want := range map[string]string{
		"": "/", "/review?tab=mine": "/review?tab=mine", "/p/prj_a/e/ent_b": "/p/prj_a/e/ent_b",
		"https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "javascript:alert(1)": "/",
		"/\t/evil.example": "/", "/%0d%0aSet-Cookie:x=y": "/%0d%0aSet-Cookie:x=y", "/a\r\nb": "/", "review": "/", "/ä": "/", "http:/x": "/",
	} {
		b.browser(t).post("/login", "token", b.link(t, b.admin), "back", back).leads(t, want)
	}
}

// A session ends after twelve hours, with its member, and with all of theirs.
func TestSession_Ends(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		end  func(*bundle)
	}{
		{"after twelve hours", func(b *bundle) { b.clock.advance(12 * time.Hour) }},
		{"disabled member", func(b *bundle) { b.sql(t, "update members set disabled = true") }},
		{"sessions were ended", func(b *bundle) { b.sql(t, "update members set session_epoch = session_epoch + 1") }},
		{"removed", func(b *bundle) { b.sql(t, "delete from console_sessions") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			br := b.as(t, memory.RoleMaintainer)
			b.clock.advance(11 * time.Hour)
			br.get("/").want(t, http.StatusOK)
			tt.end(b)
			br.get("/").want(t, http.StatusUnauthorized).hides(t, "maintainer")
			br.post("/p/"+string(b.open.ID)+"/e/ent_a/restore").want(t, http.StatusUnauthorized)
		})
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.as(t, memory.RoleViewer)
	other := b.as(t, memory.RoleViewer)
	stolen := b.browser(t)
	stolen.cookies = map[string]string{sessionCookie: br.cookies[sessionCookie]}
	br.get("/logout").want(t, http.StatusMethodNotAllowed) // a GET changes nothing
	r := br.post("/logout").leads(t, "/login?out=1")
	if set := r.header.Values("Set-Cookie"); len(set) != 1 || set[0] != "__Host-tm_session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax" {
		t.Errorf("cookies %q", set)
	}
	br.get("/login?out=1").want(t, http.StatusOK)
	stolen.get("/").want(t, http.StatusUnauthorized)
	other.get("/").want(t, http.StatusOK)
	if n := b.count(t, "select count(*) from audit where action = 'session.end' and object like 'ses\\_%'"); n != 1 {
		t.Errorf("%d rows in the audit", n)
	}
}

// Attempts are limited, for everybody behind one address together; looking is
// not an attempt.
func TestSignIn_Limited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.console.signIns = auth.NewLimiter(3, time.Minute)
	good := b.link(t, b.admin)
	br := b.browser(t)
	for range 3 {
		br.post("/login", "token", auth.MintLinkToken()).want(t, http.StatusUnauthorized)
	}
	r := br.post("/login", "token", good).want(t, http.StatusTooManyRequests)
	if r.header.Get("Retry-After") != "20" {
		t.Errorf("wait %q", r.header.Get("Retry-After"))
	}
	br.get("/login?token="+good).want(t, http.StatusOK)
	b.clock.advance(20 * time.Second)
	br.post("/login", "token", good).leads(t, "/")
	if n := b.count(t, "select count(*) from audit where decision = 'refused'"); n != 3 {
		t.Errorf("%d refusals are in the audit", n)
	}
}

// Neither log nor address of a next page ever holds a token or a cookie.
func TestSignIn_LeavesNoTrace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.link(t, b.admin)
	br := b.browser(t)
	r := br.get("/login?token=" + token)
	if got := r.header.Get("Referrer-Policy"); got != "no-referrer" {
		t.Errorf("referrer policy %q", got)
	}
	br.signIn(token)
	br.get("/go?project=acme/app&path=private/plans.md")
	br.get("/nowhere?token=" + token)
	log := b.log.String()
	for _, secret := range []string{token, br.cookies[sessionCookie], "plans.md", "token="} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
	if !strings.Contains(log, `"route":"/login"`) || !strings.Contains(log, `"member_id":"`+string(b.admin.ID)) {
		t.Errorf("the log says nothing of the requests: %s", log)
	}
}
