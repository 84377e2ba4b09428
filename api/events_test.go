package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

const eventsCall = base + "/events"

// eventReader reads a stream of events.
type eventReader struct {
	t    testing.TB
	body *bufio.Reader
	stop func()
}

// events opens a stream, which ends with the test.
func (c *client) events(headers ...string) (*eventReader, http.Header) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url+eventsCall, nil)
	must(c.t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	must(c.t, err)
	c.t.Cleanup(func() {
		stop()
		_ = resp.Body.Close()
	})
	if resp.StatusCode != http.StatusOK {
		c.t.Fatalf("status %d", resp.StatusCode)
	}
	return &eventReader{c.t, bufio.NewReader(resp.Body), stop}, resp.Header
}

// next returns the next head; none once the stream has ended as it should.
func (r *eventReader) next() (wire.HeadEvent, bool) {
	r.t.Helper()
	event := ""
	for {
		line, err := r.body.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return wire.HeadEvent{}, false
		}
		must(r.t, err)
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		switch value = strings.TrimPrefix(value, " "); name {
		case "event":
			event = value
		case "data":
			var head wire.HeadEvent
			must(r.t, wire.Decode([]byte(value), &head))
			if want := map[bool]string{true: "head", false: "finding"}[head.Epoch != ""]; event != want {
				r.t.Errorf("an event %q of %s", event, value)
			}
			return head, true
		case "", "retry":
		default:
			r.t.Errorf("a field %q", line)
		}
	}
}

func (r *eventReader) want(project memory.ProjectView, seq int64) {
	r.t.Helper()
	want := wire.HeadEvent{Project: string(project.ID), Epoch: project.Head.Epoch, Seq: seq}
	if got, ok := r.next(); !ok || got != want {
		r.t.Fatalf("got %+v (%v), want %+v", got, ok, want)
	}
}

// wantFinding is the event that more is allowed in a project.
func (r *eventReader) wantFinding(project memory.ProjectView) {
	r.t.Helper()
	if got, ok := r.next(); !ok || got != (wire.HeadEvent{Project: string(project.ID)}) {
		r.t.Fatalf("got %+v (%v), want that more is allowed in %s", got, ok, project.ID)
	}
}

func (r *eventReader) wantEnd(why string) {
	r.t.Helper()
	if got, ok := r.next(); ok {
		r.t.Errorf("%s: the stream goes on with %+v", why, got)
	}
}

// write stores an entry in a project.
func (b *bundle) write(t testing.TB, c *client, project memory.ProjectView, path string) {
	t.Helper()
	read[wire.Result](t, c.do(http.MethodPut, base+"/projects/"+string(project.ID)+"/entry?path="+path, `{"content":"x"}`, "If-None-Match", "*"))
}

// A stream tells where each project stands that its reader may read, and no
// other: at once, and with every change.
func TestEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	boss := &client{t: t, url: b.url, token: b.token(t, b.admin.Member, "", memory.ScopeRead, memory.ScopeWrite)}
	bound := &client{t: t, url: b.url, token: b.token(t, b.admin.Member, b.project.ID, memory.ScopeRead)}
	viewer, header := b.as(t, memory.RoleViewer).events("Accept-Encoding", "gzip, zstd")
	all, _ := boss.events()
	one, _ := bound.events()
	nothing, _ := b.as(t, memory.RoleNone).events()

	want := map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Content-Encoding": "", "Teammem-Instance": instance,
	}
	got := map[string]string{}
	for name := range want {
		got[name] = header.Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	viewer.want(b.project, 0)
	one.want(b.project, 0)
	heads := map[string]bool{}
	for range 2 {
		head, _ := all.next()
		heads[head.Project] = true
	}
	if !heads[string(b.project.ID)] || !heads[string(b.other.ID)] {
		t.Errorf("the admin is told of %v", heads)
	}
	b.write(t, boss, b.other, "a.md")
	all.want(b.other, 1)
	b.write(t, boss, b.project, "a.md")
	all.want(b.project, 1)
	viewer.want(b.project, 1) // and not of the change before it
	one.want(b.project, 1)
	b.hub.Close()
	nothing.wantEnd("no project")
	if r := boss.do(http.MethodHead, eventsCall, ""); r.status != http.StatusOK || r.header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: %d %v", r.status, r.header)
	}
}

// A stream ends with the credentials and the role that it was opened with, and
// goes on with a role that is given.
func TestEvents_Rights(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.api.streams.beat = 20 * time.Millisecond
	device := b.signedIn(t, b.members[memory.RoleReviewer], memory.ScopeRead)
	for _, tt := range []struct {
		name string
		who  *client
		end  string
		role memory.Role
	}{
		{"role", b.as(t, memory.RoleViewer), "delete from project_roles where member_id = $1", memory.RoleViewer},
		{"token", b.as(t, memory.RoleReviewer), "update api_tokens set revoked_at = now() where member_id = $1", memory.RoleReviewer},
		{
			"device", device, `update devices set revoked_at = now(), revoked_for = 'removed' where member_id = $1`, memory.RoleReviewer,
		},
		{
			"expiry", b.as(t, memory.RoleContributor),
			"update api_tokens set created_at = now() - interval '2 h', expires_at = now() - interval '1 h' where member_id = $1", memory.RoleContributor,
		},
		{"member", b.as(t, memory.RoleMaintainer), "update members set disabled = true where member_id = $1", memory.RoleMaintainer},
	} {
		stream, _ := tt.who.events()
		stream.want(b.project, 0)
		b.sql(t, tt.end, b.members[tt.role].ID)
		stream.wantEnd(tt.name)
	}
	given, _ := b.as(t, memory.RoleNone).events()
	b.sql(t, "insert into project_roles (project_id, member_id, role) values ($1, $2, 'viewer')", b.project.ID, b.members[memory.RoleNone].ID)
	given.want(b.project, 0)
	b.sql(t, "update projects set seq = seq + 1 where project_id = $1", b.project.ID) // of which no hint arrives
	given.want(b.project, 1)
	b.hub.Close()
}

// A member has so many streams and no more, and a place again when one ends.
func TestEvents_TooMany(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleViewer)
	var last *eventReader
	for range streamsPerMember {
		last, _ = c.events()
	}
	again := &client{t: t, url: b.url, token: b.token(t, b.members[memory.RoleViewer].ID, "", memory.ScopeRead)}
	r := again.get(eventsCall).want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
	if r.header.Get("Retry-After") != "15" || !strings.Contains(r.problem.Detail, fmt.Sprint(streamsPerMember)) || r.problem.Hint == "" {
		t.Errorf("got %v %s", r.header, r.body)
	}
	b.as(t, memory.RoleReviewer).get(eventsCall).want(t, http.StatusOK, "")
	last.stop()
	for again.get(eventsCall).status == http.StatusTooManyRequests {
		continue // the server has yet to see it go
	}
}

// A server that stops ends its streams in good order.
func TestEvents_Drain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := context.WithCancel(t.Context())
	c := b.as(t, memory.RoleViewer)
	c.url = serve(ctx, t, b.api, b.hub.Hub)
	stream, _ := c.events()
	stream.want(b.project, 0)
	stop()
	stream.wantEnd("drain")
}
