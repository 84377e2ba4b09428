package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

func TestProjects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara, nobody := b.as(t, memory.RoleReviewer), b.as(t, memory.RoleNone)
	boss := &client{t: t, url: b.url, token: b.token(t, b.admin.Member, "", memory.ScopeRead)}
	bound := &client{t: t, url: b.url, token: b.token(t, b.admin.Member, b.other.ID, memory.ScopeRead)}
	for _, tt := range []struct {
		name   string
		client *client
		query  string
		want   string // slugs with the caller's role
	}{
		{"member", mara, "", "acme/app reviewer"},
		{"member by slug", mara, "?slug=acme/app", "acme/app reviewer"},
		{"member by remote", mara, "?remote=" + escape("https://user@GitHub.com/Acme/App.git"), "acme/app reviewer"},
		{"member by another's slug", mara, "?slug=acme/other", ""},
		{"unknown slug", mara, "?slug=acme/none", ""},
		{"no role", nobody, "", ""},
		{"admin", boss, "", "acme/app maintainer, acme/other maintainer"},
		{"bound token", bound, "", "acme/other maintainer"},
	} {
		var got []string
		for _, p := range read[wire.Page[wire.Project]](t, tt.client.get(base+"/projects"+tt.query)).Items {
			got = append(got, p.Slug+" "+p.Role)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, s, tt.want)
		}
	}
	one := read[wire.Project](t, mara.get(b.in("")))
	if one.ID != string(b.project.ID) || one.Role != "reviewer" || one.Remotes[0] != "github.com/acme/app" || one.Epoch == "" {
		t.Errorf("got %+v", one)
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	me := read[wire.Me](t, c.get(base+"/me"))
	if me.Name != "contributor" || me.Admin || strings.Join(me.Scopes, " ") != "sync:read sync:write" || me.Device != "" {
		t.Errorf("got %+v", me)
	}
	device, err := read[wire.Device](t, c.post(base+"/me/devices", `{"name":"Mara's laptop","os":"linux"}`)).Domain()
	if err != nil || device.Name != "Mara's laptop" {
		t.Errorf("got %+v, %v", device, err)
	}
	for _, body := range []string{`{}`, `{"name":""}`, `{"name":"a\u0000"}`, `{"name":"` + strings.Repeat("a", 201) + `"}`, `{"name":"a","os":"\n"}`} {
		c.post(base+"/me/devices", body).want(t, http.StatusBadRequest, memory.CodeInvalid)
	}

	// An access token works as long as its device and session epoch stand.
	member := b.members[memory.RoleContributor]
	b.sql(t, "update devices set scopes = $2 where device_id = $1", device.ID, []string{"sync:read", "sync:write"})
	access, _, err := b.access.Mint(member, device, memory.ScopeRead, memory.ScopeWrite)
	must(t, err)
	laptop := &client{t: t, url: b.url, token: access}
	if got := read[wire.Me](t, laptop.get(base+"/me")); got.Device != string(device.ID) {
		t.Errorf("got %+v", got)
	}
	b.put(t, laptop, "a.md", "x")
	if got := read[wire.Entry](t, laptop.get(b.in("/entry?path=a.md"))); got.Device != string(device.ID) {
		t.Errorf("the device is not kept: %+v", got)
	}
	b.sql(t, "update members set session_epoch = session_epoch + 1 where member_id = $1", member.ID)
	laptop.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	c.get(base+"/me").want(t, http.StatusOK, "") // API tokens end otherwise
	b.sql(t, "update members set disabled = true where member_id = $1", member.ID)
	c.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
}

func TestToken_RevokedAndExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	c.get(base+"/me").want(t, http.StatusOK, "")
	b.sql(t, "update api_tokens set revoked_at = now()")
	first := c.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	b.sql(t, "update api_tokens set revoked_at = null, created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'")
	second := c.get(base+"/me").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	if first.problem.Detail != second.problem.Detail {
		t.Errorf("%q tells more than %q", first.problem.Detail, second.problem.Detail)
	}
}

func TestClientVersion(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{MinClient: "1.10.0"})
	c := &client{t: t, url: listen(t, a), token: r.token}
	for name, old := range map[string]bool{
		"teammem/1.9.9 (linux)": true, "teammem/0.11.0 (windows)": true, "teammem/1.10.0-rc.1 (linux)": false, "teammem/1.10.0 (darwin)": false,
		"teammem/1.10.1": false, "teammem/v1.9.0": true, "teammem/2.0.0 (linux)": false, "teammem/dev (linux)": false, "curl/8.0.0": false, "": false,
		"teammem/1.9": false, "teammem/1.-9.0": false, "teammem/": false, strings.Repeat("x", 1000): false,
	} {
		want, code := http.StatusOK, memory.Code("")
		if old {
			want, code = http.StatusUpgradeRequired, memory.CodeUpgradeRequired
		}
		c.post(base+"/check", `{"path":"a.md"}`, "Teammem-Client", name).want(t, want, code)
	}
}

func TestOperation(t *testing.T) {
	t.Parallel()
	ready := errors.New("CANARY: no database")
	log := &logBuffer{}
	a, _ := offline(t, Options{Version: "1.2.3", MinClient: "1.0.0", Log: jsonLog(log), Ready: func(context.Context) error { return ready }})
	c := &client{t: t, url: listen(t, a)}
	if got := read[wire.Health](t, c.get("/healthz")); got.Status != "ok" {
		t.Errorf("got %+v", got)
	}
	if got := c.get("/readyz").want(t, http.StatusServiceUnavailable, memory.CodeUnavailable); strings.Contains(string(got.body), canary) {
		t.Errorf("a 5xx tells its cause: %s", got.body)
	}
	if !strings.Contains(log.String(), canary) {
		t.Error("the cause is not logged")
	}
	ready = nil
	if got := read[wire.Health](t, c.get("/readyz")); got.Status != "ready" {
		t.Errorf("got %+v", got)
	}
	want := wire.Version{Version: "1.2.3", API: 1, Instance: instance, MinClient: "1.0.0"}
	if got := read[wire.Version](t, c.get("/version")); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	c.get("/").want(t, http.StatusNotFound, memory.CodeNotFound)
	c.get("/api/v2/me").want(t, http.StatusNotFound, memory.CodeNotFound)
}

// A handler that panics costs one request, and the answer says nothing.
func TestPanic(t *testing.T) {
	t.Parallel()
	log := &logBuffer{}
	a, _ := offline(t, Options{Log: jsonLog(log)})
	a.declared["GET/panics"], a.declared["GET/breaks"] = true, true
	a.echo.GET("/panics", a.guard(route{path: "/panics", scope: anyone, handle: func(*API, *call) error { panic(canary) }}))
	a.echo.GET("/breaks", a.guard(route{path: "/breaks", scope: anyone, handle: func(_ *API, c *call) error {
		_, err := c.paced().Write([]byte(strings.Repeat("half an answer ", 1000)))
		must(t, err)
		return errors.New("and then this")
	}}))
	c := &client{t: t, url: listen(t, a)}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/panics", nil)
	must(t, err)
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(t, err)
	defer resp.Body.Close()
	var buf strings.Builder
	must(t, resp.Write(&buf))
	if resp.StatusCode != http.StatusInternalServerError || strings.Contains(buf.String(), canary) || !strings.Contains(log.String(), canary) {
		t.Errorf("got %s, log %s", buf.String(), log)
	}
	// An answer that cannot be finished must not look finished.
	req.URL.Path = "/breaks"
	resp, err = http.DefaultTransport.RoundTrip(req)
	if err == nil {
		defer resp.Body.Close()
		if err = resp.Write(&strings.Builder{}); err == nil {
			t.Error("half an answer looks whole")
		}
	}
	if c.get("/healthz").status != http.StatusOK {
		t.Error("the server is gone")
	}
}

func TestServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleViewer)
	ctx, stop := context.WithCancel(t.Context())
	c.url = serve(ctx, t, b.api, b.hub.Hub)

	// HTTP/2 without TLS, on the same port.
	h2 := &http.Transport{Protocols: new(http.Protocols)}
	h2.Protocols.SetUnencryptedHTTP2(true)
	defer h2.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/healthz", nil)
	must(t, err)
	resp, err := h2.RoundTrip(req)
	must(t, err)
	must(t, resp.Body.Close())
	if resp.ProtoMajor != 2 {
		t.Errorf("answered over %s", resp.Proto)
	}

	// A server that stops lets its long polls go with an ordinary answer.
	epoch := read[wire.Feed](t, c.get(b.in("/changes"))).Epoch
	polled := make(chan reply)
	go func() { polled <- c.get(b.in("/changes?wait=25&since=" + epoch + ":0")) }()
	<-b.hub.waiting
	start := time.Now()
	stop()
	(<-polled).want(t, http.StatusNotModified, "")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
