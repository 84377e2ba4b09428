package api

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/internal/golden"
	"github.com/teammem/teammem/memory"
)

var update = flag.Bool("update", false, "write the golden files of all calls again")

const goldenDir = "testdata/golden"

// Requests and answers of all calls are as they were recorded. A change here
// changes the protocol: clients that are out there must still be served.
func TestGolden(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	for _, step := range session() {
		s.take(step)
	}
	left := map[string]bool{}
	files, err := filepath.Glob(goldenDir + "/*.http")
	must(t, err)
	for _, file := range files {
		left[file] = true
	}
	for _, r := range routes() {
		file := filepath.Join(goldenDir, golden.FileOf(r.method, r.path))
		calls := s.calls[r.name()]
		if delete(left, file); !slices.ContainsFunc(calls, isGood) {
			t.Errorf("no good answer of %s is recorded: add a step to session() and run go test ./api -run TestGolden -update", r.name())
			continue
		}
		if *update {
			must(t, golden.Write(file, r.name(), calls))
			continue
		}
		compareGolden(t, r.name(), file, calls)
	}
	for file := range left {
		t.Errorf("%s is of no route any more: remove it", file)
	}
}

func isGood(c golden.Call) bool { return c.Answer.Line < "4" }

func compareGolden(t *testing.T, route, file string, calls []golden.Call) {
	t.Helper()
	want, err := golden.Read(file)
	if err != nil {
		t.Errorf("%s is new, or its file is broken: run go test ./api -run TestGolden -update (%v)", route, err)
		return
	}
	got := map[string]golden.Call{}
	for _, c := range calls {
		got[c.Name] = c
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is not as recorded in %s. If clients of before can live with that, run go test ./api -run TestGolden -update (-recorded +now):\n%s", route, file, diff)
	}
}

// step is one call of the session, or something that happens at the server.
type step struct {
	name    string
	who     string // sends which token
	line    string // method and address
	body    string
	headers []string // pairs of name and value
	sql     string   // run instead of a call
}

// recorder makes the calls of a session and keeps them.
type recorder struct {
	t     *testing.T
	b     *bundle
	masks *masks
	etag  string            // of the last answer that had one
	who   map[string]string // tokens
	calls map[string][]golden.Call
}

func newSession(t *testing.T) *recorder {
	t.Helper()
	b := setup(t)
	mara, ruth := b.members[memory.RoleContributor], b.members[memory.RoleReviewer]
	s := &recorder{t: t, b: b, masks: newMasks(b.project.Head.Epoch), calls: map[string][]golden.Call{}}
	s.masks.name("prj", string(b.project.ID))
	s.masks.name("mem", string(mara.ID))
	token := b.token(t, mara.ID, "", memory.ScopeRead, memory.ScopeWrite)
	s.who = map[string]string{
		"nobody": "", "mara": s.masks.name("tmp", token), "viewer": b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead, memory.ScopeWrite),
		"ruth": b.signedIn(t, ruth, memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview).token, "max": b.token(t, b.members[memory.RoleMaintainer].ID, "", memory.ScopeRead, memory.ScopeWrite),
	}
	s.who["mia"] = b.signedIn(t, b.members[memory.RoleMaintainer], memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview).token
	s.masks.name("mem", string(ruth.ID))
	return s
}

// take makes a call, whose parts stand there masked, or runs SQL.
func (s *recorder) take(st step) {
	s.t.Helper()
	if st.sql != "" {
		s.b.sql(s.t, s.masks.unmask(st.sql))
		return
	}
	etag := func(text string) string { return strings.ReplaceAll(text, "{etag}", s.etag) }
	method, address, _ := strings.Cut(s.masks.unmask(etag(st.line)), " ")
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.b.url+address, strings.NewReader(s.masks.unmask(st.body)))
	must(s.t, err)
	if st.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token := s.who[st.who]; token != "" {
		req.Header.Set("Authorization", "Bearer "+s.masks.unmask(token))
	}
	for i := 0; i < len(st.headers); i += 2 {
		req.Header.Set(st.headers[i], s.masks.unmask(etag(st.headers[i+1])))
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	must(s.t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(untilEvent(res))
	must(s.t, err)
	s.keep(st, req, res, answer)
}

// untilEvent is the body of an answer, which ends behind the first event if it
// is a stream of them.
func untilEvent(res *http.Response) io.Reader {
	if res.Header.Get("Content-Type") != "text/event-stream" {
		return res.Body
	}
	var seen bytes.Buffer
	for one := make([]byte, 1); !bytes.Contains(seen.Bytes(), []byte("}\n\n")); seen.Write(one) {
		if _, err := io.ReadFull(res.Body, one); err != nil {
			break
		}
	}
	return &seen
}

// keep keeps a call and its answer, masked.
func (s *recorder) keep(st step, req *http.Request, res *http.Response, answer []byte) {
	s.t.Helper()
	if e := res.Header.Get("Etag"); e != "" {
		s.etag = s.masks.mask(e)
	}
	masked := func(h http.Header) http.Header {
		h = h.Clone()
		for _, values := range h {
			for i, v := range values {
				values[i] = s.masks.mask(v)
			}
		}
		return h
	}
	sent, got := masked(req.Header), masked(res.Header)
	if sent.Get("Authorization") != "" {
		sent.Set("Authorization", "Bearer token")
	}
	line := s.masks.mask(req.Method + " " + req.URL.RequestURI())
	c := golden.Call{
		Name:    st.name,
		Request: golden.NewMessage(line, sent, golden.RequestHeader(), []byte(s.masks.mask(s.masks.unmask(st.body)))),
		Answer:  golden.NewMessage(strconv.Itoa(res.StatusCode), got, golden.AnswerHeader(), []byte(s.masks.mask(string(answer)))),
	}
	route := s.routeOf(req)
	if slices.ContainsFunc(s.calls[route], func(other golden.Call) bool { return other.Name == c.Name }) {
		s.t.Errorf("two calls of %s are named %q", route, c.Name)
	}
	s.calls[route] = append(s.calls[route], c)
}

// routeOf returns the name of the route that a request went to.
func (s *recorder) routeOf(req *http.Request) string {
	for _, r := range routes() {
		if r.method == req.Method && matches(r.path, req.URL.Path) {
			return r.name()
		}
	}
	s.t.Fatalf("%s %s is no route", req.Method, req.URL.Path)
	return ""
}

func matches(route, path string) bool {
	r, p := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(r, p, func(part, got string) bool { return part == got || strings.HasPrefix(part, "{") })
}

// The golden files hold no credential and nothing of a day.
func TestGolden_IsMasked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(goldenDir + "/*.http")
	must(t, err)
	for _, file := range files {
		b, err := os.ReadFile(file)
		must(t, err)
		text := strings.NewReplacer(past, "", future, "").Replace(string(b))
		for _, form := range []interface{ FindString(string) string }{idForm, secretForm, accessForm, requestForm, timeForm} {
			if found := form.FindString(text); found != "" {
				t.Errorf("%s holds %q", file, found)
			}
		}
	}
}
