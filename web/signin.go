package web

import (
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// signInPage is where a link leads. It only shows a button, and looks nothing
// up: programs that open links in chats must not use them up.
func (c *Console) signInPage(v *visit) error {
	p := view.SignIn{State: view.SignInAsk, Token: v.query["token"], Back: localPath(v.query["back"])}
	switch {
	case auth.IsLinkToken(p.Token):
		p.State = view.SignInConfirm
	case p.Token != "":
		p.State, p.Token = view.SignInInvalid, ""
	case v.query["out"] != "":
		p.State = view.SignedOut
	}
	return v.show(view.SignInPage(v.frame(view.SectionNone), p))
}

// signIn uses a link up and starts a session. The cookie is always a new one:
// whatever the browser had before is worth nothing afterwards.
func (c *Console) signIn(v *visit) error {
	token := v.form["token"]
	if !auth.IsLinkToken(token) {
		return memory.BadLink()
	}
	if err := v.spend(c.signIns, serving.Network(v.Request()), "there were too many attempts to sign in from your address"); err != nil {
		return err
	}
	cookie, in := auth.MintSession(), memory.SignIn{Link: auth.HashToken(token)}
	in.Cookie = auth.HashToken(cookie)
	if old := v.cookie(sessionCookie); old != "" {
		in.Replaces = auth.HashToken(old)
	}
	session, err := c.service.SignIn(v.ctx(), memory.Principal{Remote: v.who.Remote, Client: v.who.Client}, in)
	if err != nil {
		return err
	}
	v.setCookie(sessionCookie, cookie, session.ExpiresAt.Sub(session.CreatedAt))
	return v.redirect(localPath(v.form["back"]))
}

// signOut ends the session here and on the server.
func (c *Console) signOut(v *visit) error {
	if err := c.service.SignOut(v.ctx(), v.who, auth.HashToken(v.cookie(sessionCookie))); err != nil {
		return err
	}
	v.setCookie(sessionCookie, "", 0)
	v.Response().Header().Set("Clear-Site-Data", `"cache"`) // what the back button would show
	return v.redirect(view.SignInURL + "?out=1")
}
