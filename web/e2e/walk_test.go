package e2e

import (
	"strings"
	"testing"
)

// The whole way of a member who only reads, and once repairs: with scripts, and
// without.
func TestWalk(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		name := "with scripts"
		if !scripts {
			name = "without scripts"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.admin("project", "add", "acme/payments")
			mara := s.join("Mara")
			first := mara.push("acme/payments", put("testing/db.md", "---\nname: Test database\ndescription: Each test gets a database of its own\nmetadata:\n  type: feedback\n---\nUse `testdb.New`.\n\n**Why:** tests used to trip over each other.\n"))
			mara.push("acme/payments", edit("testing/db.md", "---\nname: Test database\ndescription: Each test gets a database of its own\nmetadata:\n  type: feedback\n---\nUse `testdb.New`, never the shared one.\n\n**Why:** tests used to trip over each other.\n", first[0]),
				put("MEMORY.md", "- [Test database](testing/db.md) — one each\n"))

			tb := newTab(t, s.url)
			if !scripts {
				tb.withoutScripts()
			}
			mara.signIn(tb).shows("Home", "Mara", "acme/payments", "testing/db.md")
			tb.follow("Projects").shows("acme/payments", "open")
			tb.follow("acme/payments").shows("Test database", "testing/db.md", "MEMORY.md")
			tb.follow("Test database").shows("Each test gets a database of its own", "**Why:**", "never the shared one", "claude-code", "mara-laptop")
			tb.follow("Rendered").shows("Why: tests used to trip").hides("**Why:**")
			tb.follow("History").shows("r1", "r2")
			tb.press("Compare the chosen two").shows("never the shared one")
			tb.follow("testing/db.md").follow("History").follow("r1").shows("an older revision", "Use `testdb.New`.").hides("never the shared one")
			tb.press("Restore r1").press("Restore").shows("Restored", "Use `testdb.New`.").hides("never the shared one")
			tb.follow("History").shows("r4", "restored from revision 1")
			tb.open(mara.address("acme/payments", "MEMORY.md")).shows("Test database", "testing/db.md")

			// A text that could not be merged on her computer.
			mara.lose("acme/payments", "testing/db.md", "Use the shared one.\n", first[0])
			tb.follow("Projects").follow("acme/payments").follow("1 conflict").shows("testing/db.md", "yours")
			tb.follow("testing/db.md").shows("Use the shared one.", "Use `testdb.New`.")
			tb.press("Keep both").shows("Resolved", "No text waits")
			tb.open(mara.address("acme/payments", "testing/db-2.md")).shows("Use the shared one.")
		})
	}
}

// An editing session of an agent waits in a strict project until somebody else
// has looked at it; the author is told what became of it.
func TestReview(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		name := "with scripts"
		if !scripts {
			name = "without scripts"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.admin("project", "add", "acme/payments", "--review", "strict")
			mara, jo := s.join("Mara"), s.join("Jo")
			for _, name := range []string{"Mara", "Jo"} {
				s.admin("role", "set", "--project", "acme/payments", "--member", name, "--role", "reviewer")
			}
			mara.push("acme/payments",
				put("retries.md", "---\nname: Retries double the amount\ndescription: Send an idempotency key\n---\nThe gateway retries on 502; send an idempotency key.\n"),
				put("coffee.md", "---\nname: Coffee\n---\nI like mine black.\n"))

			author, reviewer := newTab(t, s.url), newTab(t, s.url)
			if !scripts {
				author.withoutScripts()
				reviewer.withoutScripts()
			}
			mara.signIn(author).follow("Review").shows("Nothing waits")
			author.follow("Mine").shows("Retries double the amount", "Coffee")
			author.follow("Retries double the amount").shows("idempotency key").hides("Reject")
			if author.count(`button[aria-disabled="true"]`) != 1 {
				t.Error("the author does not see why they cannot approve")
			}

			jo.signIn(reviewer).shows("Retries double the amount", "Coffee")
			reviewer.follow("Review").follow("Retries double the amount").shows("The gateway retries on 502", "Mara", "claude-code")
			reviewer.press("Approve").shows("Approved").hides("Retries double the amount")
			reviewer.follow("Coffee").shows("I like mine black")
			reviewer.run(click("summary", "Reject"))
			reviewer.choose("reason", "personal")
			reviewer.choose("note", "Keep this one for yourself, please.")
			reviewer.goes(200, click("form//button", "Reject")).shows("Rejected").hides("Coffee")
			reviewer.follow("Done").shows("Retries double the amount", "Coffee")

			author.follow("Home").shows("Coffee")
			author.follow("Coffee").shows("Jo", "Keep this one for yourself, please.")
			author.open(mara.address("acme/payments", "retries.md")).shows("The gateway retries on 502")
			author.refused(404, mara.address("acme/payments", "coffee.md"))
		})
	}
}

// After signing out, neither the back button nor a stolen cookie shows
// anything.
func TestSignOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.admin("project", "add", "acme/payments")
	mara := s.join("Mara")
	mara.push("acme/payments", put("plan.md", "# The plan\n\nShip it on Friday.\n"))
	tb := mara.browse(t)
	tb.open(mara.address("acme/payments", "plan.md")).shows("Ship it on Friday")
	tb.press("Sign out").shows("You are signed out")
	if c := tb.cookies()["__Host-tm_session"]; c != nil {
		t.Error("the cookie is still there")
	}
	tb.back(401).hides("Ship it on Friday", "Mara").shows("Sign in")
	tb.refused(401, "/projects").hides("acme/payments")
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	mara, jo := s.join("Mara"), s.join("Jo")
	link := mara.link()
	tb := newTab(t, s.url)
	tb.open("/login").shows("teammem admin console-link NAME")
	tb.open(link).open(link) // looking does not use it up
	tb.press("Sign in").shows("Home", "Mara")
	if at := tb.address(); at != "/" {
		t.Errorf("signing in leads to %s", at)
	}
	c := tb.cookies()["__Host-tm_session"]
	if c == nil || !c.Secure || !c.HTTPOnly || c.SameSite != "Lax" || c.Path != "/" || c.Domain != "127.0.0.1" {
		t.Fatalf("cookie %+v", c)
	}
	before := c.Value

	// The same link again, in another window: used up.
	other := newTab(t, s.url)
	other.open(link).goes(401, click("button", "Sign in")).shows("This link does not work").hides("Mara")
	if len(other.cookies()) != 0 {
		t.Error("a used link left a cookie")
	}
	// A link that is over says the same.
	late := jo.link()
	s.sql("update console_links set created_at = now() - interval '1 hour', expires_at = now() - interval '1 second' where used_at is null")
	other.open(late).goes(401, click("button", "Sign in")).shows("This link does not work")
	other.open("/login?token=" + strings.Repeat("x", 40)).shows("This link does not work")

	// Who signs in again gets another session.
	mara.signIn(tb)
	if after := tb.cookies()["__Host-tm_session"].Value; after == before {
		t.Error("the session was not renewed")
	}
	// A member who is disabled is out with the next click.
	s.sql("update members set disabled = true where name = 'Mara'")
	tb.goes(401, click("a", "Projects")).hides("Mara")
}
