package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// Whatever arrives gets the documented answer, tells nothing of the inside, and
// leaves a server that works.
func TestWrong_Requests(t *testing.T) { //nolint:tparallel // what is inside the one subtest is
	t.Parallel()
	b := setup(t)
	k := knockOn(t, b)
	groups := map[string][]wrong{
		"framing": framing(), "length": lengths(), "chunks": chunks(), "target": targets(), "query": queries(), "header": headers(), "credential": credentials(t, b),
	}
	t.Run("all", func(t *testing.T) {
		for group, tests := range groups {
			for _, tt := range tests {
				t.Run(group+" "+tt.name, func(t *testing.T) {
					t.Parallel()
					r, _ := k.send(t, tt.send)
					r.judge(t, tt.want, tt.code)
				})
			}
		}
	})
	k.alive(t)
}

// framing is what is no request of HTTP.
func framing() []wrong {
	return []wrong{
		{"nothing", end, 0, ""},
		{"text", "hello, is this teammem?\r\n\r\n", 400, ""},
		{"a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, ""},
		{"SSH", "SSH-2.0-OpenSSH_9.9\r\n\r\n", 400, ""},
		{"zeros", strings.Repeat("\x00", 1000) + "\r\n\r\n", 400, ""},
		{"HTTP/0.9", "GET /healthz\r\n\r\n", 400, ""},
		{"HTTP/3.0", "GET /healthz HTTP/3.0\r\nHost: HOST\r\n\r\n", 505, ""},
		{"an unknown version", "GET /healthz HTTP/x.y\r\nHost: HOST\r\n\r\n", 400, ""},
		{"two spaces", "GET  /healthz HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, ""},
		{"no host", "GET /healthz HTTP/1.1\r\n\r\n", 400, ""},
		{"two hosts", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nHost: other\r\n\r\n", 400, ""},
		{"a broken host", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", 400, ""},
		{"another host", "GET /healthz HTTP/1.1\r\nHost: other.example\r\n\r\n", 200, ""}, // names of a server are a proxy's business
		{"a header without a colon", head("GET /healthz", "CANARY"), 400, ""},
		{"a header with a space in its name", head("GET /healthz", "X Y: CANARY"), 400, ""},
		{"a space before the colon", head("GET /healthz", "Content-Length : 5"), 400, ""},
		{"a header with NUL", head("GET /healthz", "X: CANARY\x00"), 400, ""},
		{"headers that break off", "GET /healthz HTTP/1.1\r\nHost: HOST\r\nX: CAN" + end, 400, ""},
		{"40 KB of headers", head("GET /healthz", "X: "+strings.Repeat("x", 40<<10)), 431, ""},
		{"a thousand headers", head("GET /healthz", strings.Repeat("X: "+strings.Repeat("x", 40)+"\r\n", 1000)+"Y: y"), 431, ""},
		{"40 KB of URL", get("/" + strings.Repeat("x", 40<<10)), 431, ""},
		{"a preface of HTTP/2 and nothing", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nCANARY" + end, 0, ""},
		{"an expectation that nobody has", head("GET /healthz", "Expect: CANARY"), 417, ""},
	}
}

// lengths is what lies about the length of the body, or means to.
func lengths() []wrong {
	const body = `{"path":"a.md"}`
	with := func(headers ...string) string {
		return head("POST "+base+"/projects/PROJECT/check", append(headers, signed, "Content-Type: application/json")...) + body
	}
	return []wrong{
		{"negative", with("Content-Length: -1"), 400, ""},
		{"signed", with("Content-Length: +15"), 400, ""},
		{"hexadecimal", with("Content-Length: 0xf"), 400, ""},
		{"a fraction", with("Content-Length: 15.0"), 400, ""},
		{"a list", with("Content-Length: 15, 15"), 400, ""},
		{"two that differ", with("Content-Length: 15", "Content-Length: 16"), 400, ""},
		{"beyond numbers", with("Content-Length: 99999999999999999999"), 400, ""},
		{"far too large", with("Content-Length: 9999999999"), 413, memory.CodeTooLarge},
		{"more than comes", with("Content-Length: 1000") + end, 400, memory.CodeInvalid},
		{"less than comes", with("Content-Length: 5"), 400, memory.CodeInvalid},
		{"none", with(), 400, memory.CodeInvalid},
		{"length and chunks", chunked("0\r\n\r\n", "Content-Length: 15"), 400, memory.CodeInvalid},
		{"chunked twice", with("Transfer-Encoding: chunked, chunked"), 501, ""},
		{"gzip and chunked", with("Transfer-Encoding: gzip, chunked"), 501, ""},
		{"identity", with("Transfer-Encoding: identity", "Content-Length: 15"), 501, ""},
		{"nearly chunked", with("Transfer-Encoding: xchunked"), 501, ""},
		{"two encodings", with("Transfer-Encoding: chunked", "Transfer-Encoding: identity"), 501, ""},
		{"a tab in front", with("Transfer-Encoding:\tchunked", "Content-Length: 15") + end, 400, memory.CodeInvalid},
	}
}

// chunks is what is no chunked body.
func chunks() []wrong {
	const body = "f\r\n{\"path\":\"a.md\"}\r\n0\r\n\r\n"
	return []wrong{
		{"good", chunked(body), 200, ""},
		{"one byte each", chunked("1\r\n \r\n" + strings.Repeat("1\r\n \r\n", 400) + body), 200, ""},
		{"no size", chunked("\r\n{}\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"a size that is none", chunked("zz\r\n{}\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"a negative size", chunked("-f\r\n{}\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"a signed size", chunked("+f\r\n{}\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"a size beyond numbers", chunked("ffffffffffffffff0\r\n{}\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"a huge size", chunked("7fffffffffffffff\r\n{}\r\n0\r\n\r\n") + end, 400, memory.CodeInvalid},
		{"more than its size", chunked("2\r\n{}CANARY\r\n0\r\n\r\n"), 400, memory.CodeInvalid},
		{"no last chunk", chunked("2\r\n{}\r\n") + end, 400, memory.CodeInvalid},
		{"cut off in a chunk", chunked("ff\r\n{\"path\":") + end, 400, memory.CodeInvalid},
		{"an endless extension", chunked("f;" + strings.Repeat("x", 20<<10) + "\r\n"), 400, memory.CodeInvalid},
		{"extensions all the way", chunked(strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\n \r\n", 100) + body), 400, memory.CodeInvalid},
		{"endless trailers", chunked("f\r\n{\"path\":\"a.md\"}\r\n0\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n"), 400, memory.CodeInvalid},
		{"beyond the cap", chunked(strings.Repeat("10000\r\n"+strings.Repeat(" ", 1<<16)+"\r\n", 17) + "0\r\n\r\n"), 413, memory.CodeTooLarge},
	}
}

// targets is what names no call.
func targets() []wrong {
	all := []wrong{
		{"absolute", "GET http://other.example/healthz HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, ""},
		{"absolute for another protocol", "GET ftp://other.example/healthz HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, ""},
		{"to be connected", "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n" + signed + "\r\n\r\n", 404, memory.CodeNotFound},
		{"the server as a whole", "OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, ""},
		{"no path", get("healthz"), 400, ""},
		{"a broken escape", get("/%zz"), 400, ""},
		{"a control character", get("/a\x01b"), 400, ""},
		{"a fragment", get("/healthz#x"), 404, memory.CodeNotFound},
		{"a method in lower case", head("get " + base + "/me"), 405, memory.CodeInvalid},
		{"HEAD", head("HEAD "+base+"/me", signed), 200, ""},
		{"HEAD of a write", head("HEAD "+base+"/projects/PROJECT/push", signed), 405, bodiless},
		{"no method", head(" /healthz"), 400, ""},
	}
	for _, method := range []string{"PATCH", "TRACE", "OPTIONS", "PROPFIND", "BREW"} {
		all = append(all, wrong{method, head(method+" "+base+"/me", signed), 405, memory.CodeInvalid})
	}
	for _, path := range []string{
		"/", "//", "/api", "/api/v1", "/api/v1/", "/api/v2/me", "/API/V1/ME", "/api/v1/me/", "/api//v1/me", "//api/v1/me", "/api/v1/me;x", "/api/v1/%6de%00",
		"/.env", "/.git/config", "/wp-login.php", "/debug/pprof/", "/metrics", "/api/v1/../v1/me", "/api/v1/%2e%2e/v1/me", "/api/v1/me%2f", `/api\v1\me`,
	} {
		all = append(all, wrong{path, get(path), 404, memory.CodeNotFound})
	}
	for _, id := range []string{
		"prj_unknown", "prj_", "unknown", "PRJ_A", "prj_%00", "prj_%ff", "..", "%2e%2e%2f", "prj_a%2fb", "prj_a'--", "prj_a%20b", "%F0%9F%98%80", strings.Repeat("x", 20<<10),
	} {
		all = append(all, wrong{"project " + id[:min(30, len(id))], get(base + "/projects/" + id + "/manifest"), 404, memory.CodeNotFound})
	}
	for _, id := range []string{"prp_unknown", "unknown", "prp_%00", "..", "prp_a'--"} {
		all = append(all, wrong{"proposal " + id, get(base + "/projects/PROJECT/proposals/" + id), 404, memory.CodeNotFound})
	}
	return all
}

// queries is what cannot be asked for.
func queries() []wrong {
	all := []wrong{}
	for call, bad := range map[string][]string{
		"/changes": {
			"since=CANARY", "since=", "since=e:", "since=:1", "since=e:-1", "since=e:1e3", "since=e:99999999999999999999", "since=e:1:2", "since=%00:1", q("since", "é:1"),
			q("since", strings.Repeat("e", 70)+":1"), "limit=0", "limit=-1", "limit=1001", "limit=1.5", "limit=1e2", "limit=%2b1", "limit=", "limit=CANARY", "limit=%201",
			"limit=99999999999999999999", "wait=26", "wait=-1", "wait=CANARY", "wait=1.5", "content=CANARY", "content=Inline",
		},
		"/entries": {
			"cursor=CANARY!", "cursor=%00", "cursor=Li4vLi4vZXRjL3Bhc3N3ZA", "cursor=====", "author=CANARY", "author=mem_%00", "limit=201", "kind=" + strings.Repeat("k", 33),
			"prefix=%00", "prefix=%ff", "prefix=" + strings.Repeat("p", 513),
		},
		"/entry":     {"", "path=", "path=%00", "path=%ff", "path=a.md&path=b.md", "path=a.md;b", "path=%zz", "path=%", "PATH=a.md", "path=a.md&CANARY=1", "path%00=a.md", "=a.md", "path=..%2fa.md", "path=a.txt"},
		"/revisions": {"", "entry_id=", "entry_id=CANARY", "entry_id=ent_%00", "entry_id=ent_a&cursor=CANARY", "entry_id=ent_a&cursor=-1", "entry_id=ent_a&cursor=9223372036854775808"},
		"/revision":  {"entry_id=ent_a", "rev=1", "entry_id=ent_a&rev=0", "entry_id=ent_a&rev=-1", "entry_id=ent_a&rev=9223372036854775808", "entry_id=ent_a&rev=1.0", "entry_id=ent_a&rev=0x1"},
		"/proposals": {"state=CANARY", "author=CANARY", "cursor=CANARY", "cursor=%00", "limit=0"},
		"/manifest":  {"x=1", "x", "&=&"},
	} {
		for _, query := range bad {
			status, code := 400, memory.CodeInvalid
			if call == "/entry" && (strings.HasSuffix(query, "=") || strings.Contains(query, "..%2f") || strings.HasSuffix(query, ".txt") || query == "path=%00" || query == "path=%ff" || query == "") {
				status, code = 422, memory.CodePathRejected
			}
			all = append(all, wrong{call + "?" + query[:min(40, len(query))], get(inProject(call, query)), status, code})
		}
	}
	for _, query := range []string{"slug=CANARY", "slug=a/b/c/%00", "remote=%00", "remote=%ff", "remote=" + strings.Repeat("r", 1001), "slug=a&slug=b"} {
		all = append(all, wrong{"projects?" + query[:min(40, len(query))], get(base + "/projects?" + query), 400, memory.CodeInvalid})
	}
	return all
}

// headers is what contradicts itself or the protocol.
func headers() []wrong {
	const body = `{"content":"x"}`
	put := func(headers ...string) string {
		headers = append(headers, signed, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
		return head("PUT "+inProject("/entry", "path=h.md"), headers...) + body
	}
	return []wrong{
		{"no condition", put(), 400, memory.CodeInvalid},
		{"both conditions", put(`If-Match: "1"`, "If-None-Match: *"), 400, memory.CodeInvalid},
		{"any revision", put("If-Match: *"), 400, memory.CodeInvalid},
		{"no quotes", put("If-Match: 1"), 400, memory.CodeInvalid},
		{"no number", put(`If-Match: "CANARY"`), 400, memory.CodeInvalid},
		{"revision 0", put(`If-Match: "0"`), 400, memory.CodeInvalid},
		{"a negative revision", put(`If-Match: "-1"`), 400, memory.CodeInvalid},
		{"a revision beyond numbers", put(`If-Match: "9223372036854775808"`), 400, memory.CodeInvalid},
		{"two tags", put(`If-Match: "1", "2"`), 400, memory.CodeInvalid},
		{"two conditions of a kind", put(`If-Match: "1"`, `If-Match: "2"`), 400, memory.CodeInvalid},
		{"a tag for what is new", put(`If-None-Match: "1"`), 400, memory.CodeInvalid},
		{"a device that is none", put("If-None-Match: *", "Teammem-Device: CANARY"), 400, memory.CodeInvalid},
		{"another's device", put("If-None-Match: *", "Teammem-Device: dev_unknown"), 403, memory.CodeForbidden},
		{"a tag without quotes", get(inProject("/changes"), "If-None-Match: CANARY"), 400, memory.CodeInvalid},
		{"an endless tag", get(inProject("/changes"), `If-None-Match: "`+strings.Repeat("e", 1000)+`"`), 400, memory.CodeInvalid},
		{"two content types", post("/check", `{"path":"a.md"}`, "Content-Type: text/plain"), 415, memory.CodeUnsupportedMedia},
		{"two encodings", post("/check", `{"path":"a.md"}`, "Content-Encoding: gzip", "Content-Encoding: gzip"), 415, memory.CodeUnsupportedMedia},
		{"a client of before", get("/healthz", "Teammem-Client: teammem/0.0.1 (linux)"), 426, memory.CodeUpgradeRequired},
		{"a client of odd name", get("/healthz", "Teammem-Client: teammem/"+strings.Repeat("9", 9000)), 200, ""},
	}
}

// credentials is what lets nobody in.
func credentials(t *testing.T, b *bundle) []wrong {
	t.Helper()
	c := b.as(t, memory.RoleContributor)
	key := signingKey(1)
	good := jwt.MapClaims{}
	access, _, err := b.access.Mint(b.members[memory.RoleContributor], memory.Device{ID: "dev_a"}, memory.ScopeRead)
	must(t, err)
	_, _, err = jwt.NewParser().ParseUnverified(access, good)
	must(t, err)
	made := func(method jwt.SigningMethod, key any, change func(jwt.MapClaims, map[string]any)) string {
		claims := jwt.MapClaims{}
		for name, value := range good {
			claims[name] = value
		}
		token := jwt.NewWithClaims(method, claims)
		token.Header["typ"], token.Header["kid"] = "at+jwt", auth.KeyID(publicKey(1))
		if change != nil {
			change(claims, token.Header)
		}
		text, err := token.SignedString(key)
		must(t, err)
		return text
	}
	set := func(name string, value any) func(jwt.MapClaims, map[string]any) {
		return func(c jwt.MapClaims, _ map[string]any) { c[name] = value }
	}
	label := func(name string, value any) func(jwt.MapClaims, map[string]any) {
		return func(_ jwt.MapClaims, h map[string]any) { h[name] = value }
	}
	ed := jwt.SigningMethodEdDSA
	parts := strings.Split(access, ".")
	all := []wrong{
		{"none", head("GET " + base + "/me"), 401, memory.CodeUnauthenticated},
		{"two", head("GET "+base+"/me", "Authorization: Bearer "+c.token, signed), 401, memory.CodeUnauthenticated},
		{"in the query", head("GET " + base + "/me?access_token=" + c.token), 401, memory.CodeUnauthenticated},
		{"Basic", head("GET "+base+"/me", "Authorization: Basic bWFyYTptYXJh"), 401, memory.CodeUnauthenticated},
		{"of another scheme", head("GET "+base+"/me", "Authorization: Token "+c.token), 401, memory.CodeUnauthenticated},
	}
	for name, token := range map[string]string{
		"empty": "", "garbage": "CANARY", "dots": "..", "half a token": c.token[:20], "with a space": c.token + " x", "doubled": c.token + c.token,
		"of the right form": auth.MintAPIToken(), "with another last letter": c.token[:len(c.token)-1] + "~", "NUL-like": "%00", "not ASCII": "tmp_é",
		"20 KB": strings.Repeat("a", 20<<10), "an invitation": auth.MintLinkToken(), "20 KB of a JWT": strings.Repeat("a.", 10<<10),
		"unsigned":                   parts[0] + "." + parts[1] + ".",
		"signature of another":       parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
		"alg none":                   made(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"HS256 with the public key":  made(jwt.SigningMethodHS256, []byte(publicKey(1)), nil),
		"another key":                made(ed, signingKey(2), nil),
		"another key under its name": made(ed, signingKey(2), label("kid", auth.KeyID(publicKey(2)))),
		"its key in its header":      made(ed, signingKey(2), label("jwk", map[string]string{"kty": "OKP"})),
		"another type":               made(ed, key, label("typ", "JWT")),
		"a critical extension":       made(ed, key, label("crit", []string{"b64"})),
		"another instance":           made(ed, key, set("iss", "ins_other")),
		"another audience":           made(ed, key, set("aud", "other")),
		"expired":                    made(ed, key, set("exp", 1_000_000_000)),
		"without an end":             made(ed, key, set("exp", nil)),
		"of a long life":             made(ed, key, set("exp", 4_000_000_000)),
		"from the future":            made(ed, key, set("iat", 3_999_999_999)),
		"of nobody":                  made(ed, key, set("sub", "")),
		"of a member that is none":   made(ed, key, set("sub", "mem_unknown")),
		"of a device that is none":   access,
		"claims of wrong types":      made(ed, key, set("sub", 1)),
	} {
		all = append(all, wrong{name, head("GET "+base+"/me", "Authorization: Bearer "+token), 401, memory.CodeUnauthenticated})
	}
	return all
}

// A body that ends early or late must never become a second request that the
// server believes.
func TestWrong_Smuggled(t *testing.T) { //nolint:tparallel // what they left behind is looked for at the end
	t.Parallel()
	b := setup(t)
	k := knockOn(t, b)
	put := head("PUT "+inProject("/entry", "path=smuggled.md"), signed, "Content-Type: application/json", "If-None-Match: *", "Content-Length: 15") + `{"content":"x"}`
	for name, send := range map[string]string{
		"two lengths":            head("POST "+inProject("/check"), signed, "Content-Length: 0", fmt.Sprintf("Content-Length: %d", len(put))) + put,
		"nearly chunked":         head("POST "+inProject("/check"), signed, "Transfer-Encoding: xchunked", "Content-Length: 0") + put,
		"chunked, badly":         chunked("0\r\nx\r\n" + put),
		"a chunk of a bad size":  chunked("0x0\r\n\r\n" + put),
		"a length that is a lie": head("POST "+inProject("/check"), signed, "Content-Length: 9999999999") + put,
		"a bare line feed":       "GET /healthz HTTP/1.1\nHost: HOST\nX: \x00\n\n" + put,
		"two hosts":              "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + put,
		"a header in a header":   head("GET /healthz", "X: y\rTransfer-Encoding: chunked") + put,
	} {
		t.Run(name, func(t *testing.T) {
			r, rest := k.send(t, send+last)
			if strings.Contains(rest, `"published"`) {
				t.Errorf("status %d, and the second request was served: %s", r.status, rest)
			}
		})
	}
	c := &client{t: t, url: k.url, token: k.token}
	c.get(b.in("/entry?path=smuggled.md")).want(t, http.StatusNotFound, memory.CodeNotFound)
}
