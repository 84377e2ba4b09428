package api

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// relay tells this process's clients and the other processes, as teammem serve
// does.
type relay struct {
	watchedHub

	others *store.Hints
}

func (r relay) Notify(project memory.ProjectID, at memory.Cursor) {
	r.Hub.Notify(project, at)
	r.others.Notify(project, at)
}

// another is a second server process on the database, which tells the others
// what it writes and hears what they do. Its streams look for nothing.
func (b *bundle) another(t *testing.T) *bundle {
	t.Helper()
	s, err := store.Open(t.Context(), b.db, store.Options{MaxConns: 4})
	must(t, err)
	t.Cleanup(s.Close)
	o := *b
	o.store, o.hub = s, watchedHub{NewHub(), make(chan struct{}, 1)}
	hints := s.Hints(o.hub.Notify)
	service := memory.NewService(s, markScanner{}, relay{o.hub, hints}, time.Now, memory.Limits{})
	o.api = New(service, auth.NewAuthenticator(s, b.access, time.Now), time.Now, Options{Instance: instance, Hub: o.hub.Hub})
	o.api.streams.beat = time.Hour
	o.url = listen(t, o.api)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		hints.Run(ctx)
	}()
	t.Cleanup(func() {
		o.hub.Close()
		stop()
		<-ended
	})
	return &o
}

// listeners are the processes that listen.
const listeners = "select pid from pg_stat_activity where datname = current_database() and application_name like '%: hints'"

// awaitListeners returns once so many processes listen.
func (b *bundle) awaitListeners(t testing.TB, n int) {
	t.Helper()
	for got := -1; got != n; {
		b.row(t, &got, "select count(*) from ("+listeners+" and wait_event = 'ClientRead') as l")
	}
}

// killListeners ends the connections on which processes listen, and returns how
// many there were.
func killListeners(ctx context.Context, t testing.TB, conn *pgx.Conn) (n int) {
	t.Helper()
	must(t, conn.QueryRow(ctx, "select count(pg_terminate_backend(pid)) from ("+listeners+") as l").Scan(&n))
	return n
}

// A change that one server writes wakes the streams and the long polls of
// another one.
func TestHints_TwoServers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	left, right := b.another(t), b.another(t)
	b.awaitListeners(t, 2)
	writer, reader := left.as(t, memory.RoleContributor), right.as(t, memory.RoleViewer)
	stream, _ := reader.events()
	stream.want(b.project, 0)
	polled := make(chan reply)
	start := time.Now()
	go func() {
		polled <- reader.get(b.in("/changes?wait=25&since=" + b.project.Head.Epoch + ":0"))
	}()
	<-right.hub.waiting
	left.put(t, writer, "a.md", "news")
	stream.want(b.project, 1)
	if got := read[wire.Feed](t, <-polled); got.To != 1 {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	// So does an approval, of which the feed knows nothing: for streams alone.
	f := read[wire.SecretFinding](t, writer.post(b.in("/findings"), findingReport))
	call := b.in("/findings/" + f.ID)
	read[wire.SecretFinding](t, writer.post(call+"/allow", `{"action":"request","reason":"test-value"}`))
	mia := left.signedIn(t, b.members[memory.RoleMaintainer], memory.ScopeRead, memory.ScopeReview)
	mia.url = left.url
	read[wire.SecretFinding](t, mia.post(call+"/decision", `{"action":"approve"}`))
	stream.wantFinding(b.project)
	left.put(t, writer, "b.md", "more news")
	stream.want(b.project, 2)
}

// S41: NOTIFY is lost. Whoever follows at another server learns of everything,
// however often its connection breaks, and of what no hint was sent of when the
// connection is back.
func TestScenario_S41_NotifyLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	right := b.another(t)
	left := b.another(t)
	b.awaitListeners(t, 2)
	conn, err := pgx.Connect(t.Context(), b.db)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	stream, _ := right.as(t, memory.RoleViewer).events()
	stream.want(b.project, 0)

	const writes = 20
	written := make(chan bool)
	writer := left.as(t, memory.RoleContributor)
	go func() {
		defer close(written)
		for i := range writes {
			writer.do(http.MethodPut, b.in(fmt.Sprintf("/entry?path=%d.md", i)), `{"content":"x"}`, "If-None-Match", "*").want(t, http.StatusOK, "")
		}
	}()
	killed := 0
	for writing := true; writing; {
		killed += killListeners(t.Context(), t, conn)
		select {
		case <-written:
			writing = false
		default:
		}
	}
	for head := (wire.HeadEvent{}); head.Seq < writes; {
		head, _ = stream.next()
	}
	if killed == 0 {
		t.Error("no connection broke")
	}

	b.awaitListeners(t, 2)
	b.put(t, b.as(t, memory.RoleContributor), "silent.md", "x") // by a server that tells nobody
	killListeners(t.Context(), t, conn)
	stream.want(b.project, writes+1)
}
