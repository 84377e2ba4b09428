package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"

	"github.com/teammem/teammem/memory"
)

// Each route that echo knows is in the table, and says who may use it.
func TestRoutes_AreDeclared(t *testing.T) {
	t.Parallel()
	a, _ := offline(t, Options{})
	for _, r := range a.echo.Routes() {
		if !a.declared[r.Method+r.Path] {
			t.Errorf("%s %s is not in the table", r.Method, r.Path)
		}
	}
	for _, r := range routes() {
		if r.scope == "" {
			t.Errorf("%s %s has no scope", r.method, r.path)
		}
		if inProject := strings.Contains(r.path, "{p}"); inProject != (r.role != memory.RoleNone) {
			t.Errorf("%s %s has the role %s", r.method, r.path, r.role)
		}
		writes := r.method != http.MethodGet && slices.ContainsFunc([]string{"/push", "/entry", "/restore", "/proposals/{id}", "/conflicts", "/resolve", "/findings", "/findings/{id}", "/allow", "/allow-rules/{id}", "/quarantine", "/release", "/purge", "/devices/{id}"}, func(s string) bool {
			return strings.HasSuffix(r.path, s)
		})
		if writes != (r.scope == memory.ScopeWrite) || strings.HasSuffix(r.path, "/decision") != (r.scope == memory.ScopeReview) {
			t.Errorf("%s %s has the scope %s", r.method, r.path, r.scope)
		}
		if r.scope == anyone && strings.HasPrefix(r.path, base) && !takesCredential(r) {
			t.Errorf("%s %s is open to everybody", r.method, r.path)
		}
	}
}

func TestRoutes_RefuseWhatIsUndeclared(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	a.echo.GET("/smuggled", func(c echo.Context) error { return c.String(http.StatusOK, "in") })
	a.declared["GET/forgotten"] = true
	a.echo.GET("/forgotten", a.guard(route{method: http.MethodGet, path: "/forgotten", handle: (*API).health}))
	c := &client{t: t, url: listen(t, a), token: r.token}
	c.get("/smuggled").want(t, http.StatusNotFound, memory.CodeNotFound)
	c.token = ""
	c.get("/forgotten").want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	c.token = r.token
	c.get("/forgotten").want(t, http.StatusForbidden, memory.CodeForbidden)
}

// request makes a well-formed request for a route in a project.
func request(r route, project memory.ProjectID) (method, path, body string, headers []string) {
	object := "prp_a"
	switch {
	case strings.Contains(r.path, "/findings/"):
		object = "fnd_none" // whose one is takes part in who may see it
	case strings.Contains(r.path, "/allow-rules/"):
		object = "alw_a"
	case strings.HasSuffix(r.path, "/resolve"):
		object = "cnf_none" // whose one is takes part in who may resolve it
	case strings.Contains(r.path, "/conflicts/"):
		object = "cnf_a"
	case strings.Contains(r.path, "/quarantine/"):
		object = "qua_a"
	}
	path = strings.NewReplacer("{p}", string(project), "{id}", object).Replace(r.path)
	queries := map[string]string{
		"path": "path=a.md", "entry_id limit cursor": "entry_id=ent_a", "entry_id rev": "entry_id=ent_a&rev=1",
	}
	bodies := map[string]string{
		"/contents": `{"items":[{"entry_id":"ent_a","rev":1}]}`, "/push": `{"epoch":"e1","ops":[{"op":"delete","path":"a.md","base_rev":1}]}`,
		"/entry": `{"content":"x"}`, "/restore": `{"entry_id":"ent_a","rev":1}`, "/check": `{"path":"a.md"}`, "/devices": `{"name":"laptop"}`,
		"/conflicts": `{"id":"cnf_a","path":"a.md","content":"x","kept_at":"2026-03-04T05:06:07Z"}`, "/resolve": `{"how":"theirs"}`,
		"/quarantine": `{"member":"mem_a"}`, "/release": `{"reason":"x"}`, "/purge": `{"entry_id":"ent_a","reason":"x"}`,
		"/findings": findingReport, "/allow": `{"action":"request","reason":"test-value"}`,
		"/report":   `{"tree":"a1","holds":[{"hold":"h1","deletes":6,"direction":"incoming"}],"refused":[{"path":"a.md","code":"secret_found"}],"blocked":[{"kind":"symlink"}],"conflicts":1,"mode":"both-ways"}`,
		"/decision": `{"action":"approve","sha256":"` + memory.Sum(nil).String() + `","base_rev":0}`,
	}
	if q := queries[r.query]; q != "" {
		path += "?" + q
	}
	if r.method == http.MethodPost || r.method == http.MethodPut {
		body = bodies[r.path[strings.LastIndexByte(r.path, '/'):]]
		if object == "fnd_none" && strings.HasSuffix(r.path, "/decision") {
			body = `{"action":"deny"}`
		}
	}
	if r.scope == memory.ScopeWrite {
		headers = []string{"If-Match", `"1"`}
	}
	return r.method, path, body, headers
}

// takesCredential is true of the calls that are open to everybody because who
// calls says so in the body; their answers are tested with them.
func takesCredential(r route) bool { return strings.HasPrefix(r.path, base+"/auth/") }

func (r route) name() string { return r.method + " " + r.path }

// The table is true: each role gets what the table says and nothing more.
func TestRoutes_RolesAndScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	type caller struct {
		name   string
		client *client
		role   memory.Role
		scopes []memory.Scope
	}
	var callers []caller
	for role, m := range b.members {
		for _, scopes := range [][]memory.Scope{{memory.ScopeRead}, {memory.ScopeWrite}, {memory.ScopeRead, memory.ScopeWrite}} {
			callers = append(callers, caller{
				fmt.Sprintf("%s with %v", role, scopes), &client{t: t, url: b.url, token: b.token(t, m.ID, "", scopes...)}, role, scopes,
			})
		}
		for _, scopes := range [][]memory.Scope{{memory.ScopeReview}, {memory.ScopeRead, memory.ScopeReview}} {
			callers = append(callers, caller{fmt.Sprintf("%s signed in with %v", role, scopes), b.signedIn(t, m, scopes...), role, scopes})
		}
	}
	for _, r := range routes() {
		method, path, body, headers := request(r, b.project.ID)
		for _, c := range callers {
			got := c.client.do(method, path, body, headers...)
			ok := r.scope == anyone || r.scope == signedIn || slices.Contains(c.scopes, r.scope)
			denied := got.status == http.StatusForbidden
			hidden := got.status == http.StatusNotFound && got.problem.Detail == "project not found"
			switch {
			case !ok && !denied:
				t.Errorf("%s as %s: status %d without the scope", r.name(), c.name, got.status)
			case ok && r.role != memory.RoleNone && c.role == memory.RoleNone && !hidden:
				t.Errorf("%s as %s: status %d in a project that it must not know", r.name(), c.name, got.status)
			case ok && c.role != memory.RoleNone && c.role < r.role && !denied:
				t.Errorf("%s as %s: status %d below the role", r.name(), c.name, got.status)
			case ok && c.role >= r.role && (hidden || denied && !needsRead(r, c.scopes)):
				t.Errorf("%s as %s: status %d %s", r.name(), c.name, got.status, got.body)
			}
		}
	}
}

// needsRead is true of writes to one entry: they look up where the project
// stands, which a token without the scope to read may not.
func needsRead(r route, scopes []memory.Scope) bool {
	return strings.HasSuffix(r.path, "/entry") && !slices.Contains(scopes, memory.ScopeRead)
}

// Another project's object is not found, never forbidden, whatever the token
// says of itself.
func TestRoutes_OtherProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss := b.admin.Member
	bound := &client{t: t, url: b.url, token: b.token(t, boss, b.other.ID, memory.ScopeRead, memory.ScopeWrite)}
	stranger := b.signedIn(t, b.members[memory.RoleMaintainer], memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview) // of b.project only
	nobody := memory.NewProjectID()
	for _, r := range routes() {
		if r.role == memory.RoleNone {
			continue
		}
		for _, try := range []struct {
			name    string
			client  *client
			project memory.ProjectID
		}{
			{"bound to another project", bound, b.project.ID},
			{"member of another project", stranger, b.other.ID},
			{"unknown project", stranger, nobody},
			{"bound, unknown project", bound, nobody},
			{"no id at all", stranger, "acme"},
			{"escaped", stranger, memory.ProjectID(strings.Replace(string(b.other.ID), "_", "%5F", 1))},
			{"nul", stranger, "prj_%00"},
			{"slashes", stranger, "prj_%2F..%2F" + b.other.ID},
		} {
			method, path, body, headers := request(r, try.project)
			got := try.client.do(method, path, body, headers...)
			if try.client == bound && r.scope == memory.ScopeReview { // which no API token has, anywhere
				got.want(t, http.StatusForbidden, memory.CodeForbidden)
				continue
			}
			if got.status != http.StatusNotFound || got.problem.Detail != "project not found" {
				t.Errorf("%s, %s: %d %s", r.name(), try.name, got.status, got.body)
			}
		}
		if r.scope == memory.ScopeReview {
			continue
		}
		method, path, body, headers := request(r, b.other.ID)
		if got := bound.do(method, path, body, headers...); got.status == http.StatusForbidden || got.problem.Detail == "project not found" {
			t.Errorf("%s in its own project: %d %s", r.name(), got.status, got.body)
		}
	}
}

func TestRoutes_NeedAToken(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a)}
	for _, rt := range routes() {
		if takesCredential(rt) {
			continue
		}
		method, path, body, headers := request(rt, "prj_a")
		for name, token := range map[string]string{
			"none": "", "made up": "tmp_" + strings.Repeat("0", 36), "changed": r.token[:len(r.token)-1] + "!",
			"alg none": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZW1fYSJ9.", "long": strings.Repeat("x", 10_000),
		} {
			c.token = token
			got := c.do(method, path, body, headers...)
			if rt.scope == anyone {
				got.want(t, http.StatusOK, "")
				continue
			}
			if got.want(t, http.StatusUnauthorized, memory.CodeUnauthenticated); got.header.Get("Www-Authenticate") != "Bearer" {
				t.Errorf("%s with token %s: no challenge", rt.name(), name)
			}
		}
		if rt.scope == anyone {
			continue
		}
		// A cookie is no credential here.
		c.token = ""
		c.do(method, path, body, append(headers, "Cookie", "__Host-tm_session="+r.token)...).want(t, http.StatusUnauthorized, memory.CodeUnauthenticated)
	}
}

func TestRoutes_OtherMethods(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	for _, method := range []string{http.MethodPatch, http.MethodOptions, http.MethodTrace, "BREW"} {
		req := httptest.NewRequestWithContext(t.Context(), method, base+"/me", nil)
		req.Header.Set("Authorization", "Bearer "+r.token)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, req)
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: status %d", method, w.Code)
		}
	}
}

// openapi.yaml and the table name the same calls with the same parameters,
// scopes and roles.
func TestOpenAPI_MatchesRoutes(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("openapi.yaml")
	must(t, err)
	var doc struct {
		OpenAPI string                          `yaml:"openapi"`
		Paths   map[string]map[string]operation `yaml:"paths"`
	}
	must(t, yaml.Unmarshal(file, &doc))
	if !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Errorf("openapi %q", doc.OpenAPI)
	}
	documented := map[string]operation{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			documented[strings.ToUpper(method)+" "+path] = op
		}
	}
	for _, r := range routes() {
		op, ok := documented[r.name()]
		if !ok {
			t.Errorf("%s is not in openapi.yaml", r.name())
			continue
		}
		delete(documented, r.name())
		if got, want := op.queries(), strings.Fields(r.query); !sameSet(got, want) {
			t.Errorf("%s: parameters %v in openapi.yaml, %v in the table", r.name(), got, want)
		}
		if op.Scope != string(r.scope) || op.Role != r.role.String() {
			t.Errorf("%s: openapi.yaml has scope %q and role %q, the table %q and %q", r.name(), op.Scope, op.Role, r.scope, r.role)
		}
		if (op.Body != nil) != (r.method == http.MethodPost || r.method == http.MethodPut) {
			t.Errorf("%s: wrong about the body", r.name())
		}
	}
	for name := range documented {
		t.Errorf("%s is in openapi.yaml only", name)
	}
	checkRefs(t, file)
}

type operation struct {
	Scope      string `yaml:"x-scope"`
	Role       string `yaml:"x-role"`
	Body       any    `yaml:"requestBody"`
	Parameters []struct {
		Name string `yaml:"name"`
		In   string `yaml:"in"`
	} `yaml:"parameters"`
}

func (o operation) queries() (names []string) {
	for _, p := range o.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// checkRefs follows every reference of the document.
func checkRefs(t *testing.T, file []byte) {
	t.Helper()
	var doc map[string]any
	must(t, yaml.Unmarshal(file, &doc))
	for _, m := range regexp.MustCompile(`\$ref: ['"]?#/([A-Za-z0-9/]+)`).FindAllStringSubmatch(string(file), -1) {
		var at any = doc
		for part := range strings.SplitSeq(m[1], "/") {
			at = at.(map[string]any)[part]
			if at == nil {
				t.Errorf("nothing is at #/%s", m[1])
				break
			}
		}
	}
}
