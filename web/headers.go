package web

import "net/http"

// policy lets pages load from this server alone, and run nothing: the console
// has no script. Should one ever be smuggled in, there is neither a way to run
// it nor one to send what it finds.
const policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'"

// sandbox is the policy of what members wrote, handed out as it is.
const sandbox = "default-src 'none'; frame-ancestors 'none'; sandbox"

// protect sets what every answer has, errors and files too. Whatever shows
// something private is kept nowhere.
func protect(h http.Header, tls bool) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // addresses hold ids, and one a token
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
	if tls {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}
