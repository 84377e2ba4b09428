package web

import (
	"net/http"
	"time"

	"github.com/teammem/teammem/web/view"
)

// The names begin with __Host-: browsers take such a cookie from this very
// host only, over TLS or from the machine itself, and for all paths. So no
// neighbour of the host can plant one.
const (
	sessionCookie = "__Host-tm_session"
	themeCookie   = "__Host-tm_theme"
)

// setCookie keeps a value in the browser; for no time, it forgets it.
func (v *visit) setCookie(name, value string, life time.Duration) {
	seconds := int(life.Seconds())
	if seconds <= 0 {
		seconds = -1
	}
	http.SetCookie(v.Response(), &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// cookie returns the value of a cookie, "" if there is none or more than one:
// which of two is meant is nobody's guess.
func (v *visit) cookie(name string) string {
	found := v.Request().CookiesNamed(name)
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// theme keeps the colours that somebody chose.
func (c *Console) theme(v *visit) error {
	const year = 365 * 24 * time.Hour
	v.setCookie(themeCookie, string(view.ParseTheme(v.form["theme"])), year)
	return v.redirect(localPath(v.form["back"]))
}
