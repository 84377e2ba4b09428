package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// wrong is one request that somebody should not have made, as bytes: a client
// of net/http would correct or refuse most of them.
type wrong struct {
	name string
	send string // TOKEN, PROJECT and HOST are filled in
	want int
	code memory.Code // "": net/http answered, before there was a request
}

// bodiless is the code of an answer whose body is not sent.
const bodiless memory.Code = "bodiless"

// knocker sends bytes to a server.
type knocker struct {
	b     *bundle
	url   string
	token string
}

// knockOn starts a listening server as the program has it.
func knockOn(t *testing.T, b *bundle) *knocker {
	t.Helper()
	return &knocker{b: b, url: serve(t.Context(), t, b.api, b.hub.Hub), token: b.as(t, memory.RoleContributor).token}
}

// send sends bytes and returns the first answer, and what came after it if the
// bytes ask for an end. A connection that ends without an answer has status 0.
func (k *knocker) send(t *testing.T, text string) (r reply, rest string) {
	t.Helper()
	host := strings.TrimPrefix(k.url, "http://")
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", host)
	must(t, err)
	sent := make(chan struct{})
	defer func() {
		_ = conn.Close()
		<-sent
	}()
	must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	text, ends := strings.CutSuffix(text, end)
	text = strings.NewReplacer("TOKEN", k.token, "PROJECT", string(k.b.project.ID), "HOST", host).Replace(text)
	go func() { // a server may answer, and stop reading, before all is sent
		defer close(sent)
		if _, err := io.WriteString(conn, text); err == nil && ends {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()
	in := bufio.NewReader(conn)
	method, _, _ := strings.Cut(text, " ")
	resp, err := http.ReadResponse(in, &http.Request{Method: method})
	if err != nil {
		return r, ""
	}
	defer resp.Body.Close()
	r.status, r.header = resp.StatusCode, resp.Header
	r.body, err = io.ReadAll(resp.Body)
	if err != nil && r.header.Get("Teammem-Instance") != "" { // net/http's own answers may be overtaken by a reset
		t.Errorf("an answer that breaks off: %v", err)
	}
	if strings.HasSuffix(text, last) {
		b, _ := io.ReadAll(in) // a reset is an end, too
		rest = string(b)
	}
	return r, rest
}

// end stands for the end of what is sent, where more is expected. Elsewhere the
// connection stays open, or the server would take the client for gone.
const end = "<END>"

// last is a good request after which the server ends the connection.
const last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// inner is what only the program itself should get to read: names of
// libraries, packages and errors of the machine.
var inner = regexp.MustCompile(`(?i)pgx|sqlstate|postgres|jsontext|json:|unmarshal|goroutine|\.go:|strconv|reflect|echo|runtime|panic|EOF|syscall|` + canary)

// unspoken makes sure that an answer tells nothing of the inside.
func (r reply) unspoken(t *testing.T, what string) {
	t.Helper()
	if found := inner.Find(number.ReplaceAll(r.body, nil)); found != nil {
		t.Errorf("%s: the answer tells %q: %s", what, found, r.body)
	}
}

// number is the request's, made of letters at random.
var number = regexp.MustCompile(`"instance":"[a-z0-9]+"`)

// judge holds an answer to what all answers promise: a problem that names its
// code, and nothing of the inside or of the request.
func (r reply) judge(t *testing.T, want int, code memory.Code) {
	t.Helper()
	if r.status != want {
		t.Errorf("status %d, want %d: %s", r.status, want, r.body)
	}
	if r.status < http.StatusBadRequest {
		return
	}
	r.unspoken(t, "it")
	if code == bodiless {
		if len(r.body) > 0 || r.header.Get("Content-Type") != wire.ProblemType {
			t.Errorf("answered %q", r.body)
		}
		return
	}
	if code == "" {
		if len(r.body) > 200 || r.header.Get("Teammem-Instance") != "" {
			t.Errorf("net/http should have answered: %s", r.body)
		}
		return
	}
	var p wire.Problem
	if r.header.Get("Content-Type") != wire.ProblemType || wire.Decode(r.body, &p) != nil {
		t.Fatalf("the answer is no problem: %s %s", r.header.Get("Content-Type"), r.body)
	}
	if p.Code != string(code) || p.Status != r.status || p.Title == "" || p.Detail == "" || p.Instance == "" {
		t.Errorf("want code %s: %s", code, r.body)
	}
}

// alive makes sure that the server does what it is for after all that.
func (k *knocker) alive(t *testing.T) {
	t.Helper()
	c := &client{t: t, url: k.url, token: k.token}
	c.get("/readyz").want(t, http.StatusOK, "")
	k.b.put(t, c, "alive.md", "still here\n")
	if got := read[wire.Entry](t, c.get(k.b.in("/entry?path=alive.md"))); got.Content == nil || *got.Content != "still here\n" {
		t.Errorf("got %+v", got)
	}
	if log := k.b.log.String(); strings.Contains(log, "request failed") || strings.Contains(log, canary) {
		t.Errorf("the log holds a failure of the server's own, or what was sent:\n%.4000s", log)
	}
}

// head writes the first lines of a request.
func head(line string, headers ...string) string {
	return line + " HTTP/1.1\r\nHost: HOST\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n"
}

const signed = "Authorization: Bearer TOKEN"

// get is a request of a member without a body.
func get(target string, headers ...string) string {
	return head("GET "+target, append(headers, signed)...)
}

// post is a request of a member with a JSON body to a call of the project's.
func post(call, body string, headers ...string) string {
	length := fmt.Sprintf("Content-Length: %d", len(body))
	return head("POST "+base+"/projects/PROJECT"+call, append(headers, signed, "Content-Type: application/json", length)...) + body
}

// chunked is such a request with whatever is called chunks.
func chunked(chunks string, headers ...string) string {
	return head("POST "+base+"/projects/PROJECT/check", append(headers, signed, "Content-Type: application/json", "Transfer-Encoding: chunked")...) + chunks
}

func inProject(call string, query ...string) string {
	return base + "/projects/PROJECT" + call + "?" + strings.Join(query, "&")
}

func q(name, value string) string { return name + "=" + url.QueryEscape(value) }
