package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
)

// pushBody makes a push of new texts, in the project's epoch.
func (b *bundle) pushBody(t testing.TB, ops ...string) string {
	t.Helper()
	head, err := b.store.Head(t.Context(), b.project.ID)
	must(t, err)
	return fmt.Sprintf(`{"epoch":%q,"ops":[%s]}`, head.Epoch, strings.Join(ops, ","))
}

func putOp(path, content string) string {
	return fmt.Sprintf(`{"op":"put","path":%q,"base_rev":0,"content":%q}`, path, content)
}

func TestSync_PushPullUnchanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara, noor := b.as(t, memory.RoleContributor), b.as(t, memory.RoleViewer)

	receipt, err := read[wire.Receipt](t, mara.post(b.in("/push"), b.pushBody(t, putOp("a.md", "one\n"), putOp("sub/b.md", "two\n"), putOp("../c.md", "x")))).Domain(3)
	must(t, err)
	var rulings []memory.Ruling
	for _, v := range receipt.Verdicts {
		rulings = append(rulings, v.Ruling)
	}
	if want := []memory.Ruling{memory.RulingPublished, memory.RulingPublished, memory.RulingRefused}; !cmp.Equal(want, rulings) {
		t.Fatalf("verdicts %v, want %v", rulings, want)
	}
	if v := receipt.Verdicts[0]; v.EntryID == "" {
		t.Error("a created entry has no id in the answer")
	}

	r := noor.get(b.in("/changes?content=inline"))
	page, refused, err := read[wire.Feed](t, r).Domain()
	must(t, err)
	if len(refused) > 0 || len(page.Changes) != 2 || string(page.Changes[1].Content) != "two\n" || page.Digest != receipt.Head.Digest {
		t.Errorf("got %+v, %v", page, refused)
	}
	tag := memory.Head{Epoch: page.Epoch, Seq: page.To, Digest: page.Digest}.Tag()
	if got := r.header.Get("Etag"); got != quoted(tag) {
		t.Errorf("etag %s, want %s", got, quoted(tag))
	}

	since := "since=" + escape(memory.Cursor{Epoch: page.Epoch, Seq: page.To}.String())
	for _, given := range []string{quoted(tag), "W/" + quoted(tag)} {
		got := noor.get(b.in("/changes?"+since), "If-None-Match", given).want(t, http.StatusNotModified, "")
		if len(got.body) > 0 || got.header.Get("Etag") != quoted(tag) || len(got.header) != 3 {
			t.Errorf("a 304 says too much: %v %s", got.header, got.body)
		}
	}
	if got := read[wire.Feed](t, noor.get(b.in("/changes?"+since))); len(got.Changes) != 0 || got.More {
		t.Errorf("without a tag: %+v", got)
	}
	small := read[wire.Feed](t, noor.get(b.in("/changes?limit=1")))
	if len(small.Changes) != 1 || !small.More || small.Changes[0].Content != nil {
		t.Errorf("a page of 1 without contents: %+v", small)
	}
}

func TestSync_ManifestAndContents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	a := b.put(t, c, "a.md", "one\n")
	b.put(t, c, "b.md", strings.Repeat("long ", 20_000))
	r := c.get(b.in("/manifest"))
	head, entries, refused, err := read[wire.Manifest](t, r).Domain()
	must(t, err)
	if len(entries) != 2 || len(refused) > 0 || head.Seq != 2 {
		t.Errorf("got %v, %v, %v", head, entries, refused)
	}
	if got := r.header.Get("Etag"); got != quoted(head.Tag()) {
		t.Errorf("etag %s", got)
	}
	c.get(b.in("/manifest"), "If-None-Match", quoted(head.Tag())).want(t, http.StatusNotModified, "")

	ask := fmt.Sprintf(`{"items":[{"entry_id":%q,"rev":%d},{"entry_id":%q,"rev":99},{"entry_id":%q,"rev":%d}]}`,
		entries[1].ID, entries[1].Rev, a.EntryID, a.EntryID, a.Rev)
	contents := read[wire.Contents](t, c.post(b.in("/contents"), ask)).Domain()
	if len(contents.Items) != 3 || len(contents.Items[0].Content) != 100_000 || contents.Items[1].Problem == nil || string(contents.Items[2].Content) != "one\n" {
		t.Errorf("got %d items, %+v", len(contents.Items), contents.Items[1:])
	}
	c.post(b.in("/contents"), `{"items":[]}`).want(t, http.StatusBadRequest, memory.CodeInvalid)
	many := strings.Repeat(`{"entry_id":"ent_a","rev":1},`, 200) + `{"entry_id":"ent_a","rev":1}`
	c.post(b.in("/contents"), `{"items":[`+many+`]}`).want(t, http.StatusBadRequest, memory.CodeInvalid)
}

// Large answers are compressed as the client asks, and arrive the same.
func TestSync_Compressed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	text := strings.Repeat("Postgres is the source of truth for orders.\n", 1000)
	b.put(t, c, "a.md", text)
	plain := c.get(b.in("/changes?content=inline"), "Accept-Encoding", "identity")
	for encoding, plainer := range map[string]func(io.Reader) (io.Reader, error){
		"gzip": func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		got := c.get(b.in("/changes?content=inline"), "Accept-Encoding", encoding)
		if got.header.Get("Content-Encoding") != encoding || len(got.body) > len(plain.body)/10 {
			t.Errorf("%s: %d bytes for %d, %v", encoding, len(got.body), len(plain.body), got.header)
		}
		r, err := plainer(bytes.NewReader(got.body))
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		if !bytes.Equal(body, plain.body) {
			t.Errorf("%s changes the answer", encoding)
		}
	}
}

// A long poll returns with the change that ends it, long before its time.
func TestSync_LongPoll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	first := read[wire.Feed](t, c.get(b.in("/changes")))
	since := b.in("/changes?content=inline&wait=25&since=" + escape(memory.Cursor{Epoch: first.Epoch}.String()))
	start, polled := time.Now(), make(chan reply)
	go func() { polled <- c.get(since) }()
	<-b.hub.waiting
	b.put(t, c, "a.md", "news")
	got := read[wire.Feed](t, <-polled)
	if len(got.Changes) != 1 || string(*got.Changes[0].Content) != "news" {
		t.Errorf("got %+v", got)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	c.get(strings.Replace(since, "wait=25", "wait=1", 1)+"x").want(t, http.StatusBadRequest, memory.CodeInvalid)
	now := read[wire.Feed](t, c.get(b.in("/changes")))
	at := escape(memory.Cursor{Epoch: now.Epoch, Seq: now.To}.String())
	c.get(b.in("/changes?wait=1&since="+at)).want(t, http.StatusNotModified, "")
}

// A long poll that outlives its token or its member's role delivers nothing.
func TestSync_LongPollAfterRevocation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    string
		status int
		code   memory.Code
	}{
		"token":   {"update api_tokens set revoked_at = now() where member_id = $1", http.StatusUnauthorized, memory.CodeUnauthenticated},
		"expired": {"update api_tokens set created_at = now() - interval '2 h', expires_at = now() - interval '1 h' where member_id = $1", http.StatusUnauthorized, memory.CodeUnauthenticated},
		"member":  {"update members set disabled = true where member_id = $1", http.StatusUnauthorized, memory.CodeUnauthenticated},
		"role":    {"delete from project_roles where member_id = $1", http.StatusNotFound, memory.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			writer, c := b.as(t, memory.RoleContributor), b.as(t, memory.RoleViewer)
			epoch := read[wire.Feed](t, c.get(b.in("/changes"))).Epoch
			polled := make(chan reply)
			go func() { polled <- c.get(b.in("/changes?content=inline&wait=25&since=" + epoch + ":0")) }()
			<-b.hub.waiting
			b.sql(t, tt.end, b.members[memory.RoleViewer].ID)
			b.put(t, writer, "a.md", canary)
			got := <-polled
			if got.want(t, tt.status, tt.code); bytes.Contains(got.body, []byte(canary)) {
				t.Errorf("delivered %s", got.body)
			}
		})
	}
}

// What a client cannot join is told with where the project stands.
func TestSync_FeedErrors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	for i := range 4 {
		b.put(t, c, fmt.Sprintf("%d.md", i), "x")
	}
	b.sql(t, "update projects set floor_seq = 2 where project_id = $1", b.project.ID)
	epoch := b.project.Head.Epoch
	for _, tt := range []struct {
		since, have string
		status      int
		code        memory.Code
	}{
		{since: "eother:1", status: http.StatusConflict, code: memory.CodeEpochChanged},
		{since: epoch + ":5", status: http.StatusConflict, code: memory.CodeCursorAhead},
		{since: epoch + ":1", status: http.StatusGone, code: memory.CodeCursorTooOld},
		{since: epoch + ":3", have: fmt.Sprintf("%s:3:%064d", epoch, 0), status: http.StatusConflict, code: memory.CodeHistoryForked},
	} {
		headers := []string{"If-None-Match", quoted(tt.have)}
		if tt.have == "" {
			headers = nil
		}
		got := c.get(b.in("/changes?since="+escape(tt.since)), headers...).want(t, tt.status, tt.code)
		if p := got.problem; p.Epoch != epoch || p.Head != 4 || p.Floor != 2 {
			t.Errorf("%s does not say where the project stands: %s", tt.code, got.body)
		}
	}
	push := `{"epoch":"eother","ops":[` + putOp("z.md", "x") + `]}`
	if got := c.post(b.in("/push"), push).want(t, http.StatusConflict, memory.CodeEpochChanged); got.problem.Epoch != epoch {
		t.Errorf("got %s", got.body)
	}
}

func TestSync_PushWholeRequestFailures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	device, err := b.api.service.AddDevice(t.Context(), memory.Principal{Member: b.members[memory.RoleReviewer].ID}, "laptop", "linux")
	must(t, err)
	big := strings.Repeat("x", 250<<10)
	var tooBig, tooMany []string
	for i := range 18 {
		tooBig = append(tooBig, putOp(fmt.Sprintf("%d.md", i), big))
	}
	for i := range 201 {
		tooMany = append(tooMany, putOp(fmt.Sprintf("%d.md", i), "x"))
	}
	withDevice := func(id string) string {
		return strings.Replace(b.pushBody(t, putOp("a.md", "x")), `"ops"`, `"device":"`+id+`","ops"`, 1)
	}
	for name, tt := range map[string]struct {
		body   string
		status int
		code   memory.Code
	}{
		"no ops":            {b.pushBody(t), 400, memory.CodeInvalid},
		"too many ops":      {b.pushBody(t, tooMany...), 400, memory.CodeInvalid},
		"too much content":  {b.pushBody(t, tooBig...), 413, memory.CodeTooLarge},
		"another's device":  {withDevice(string(device.ID)), 403, memory.CodeForbidden},
		"an unknown device": {withDevice("dev_unknown"), 403, memory.CodeForbidden},
		"10 MB":             {strings.Repeat(" ", 10<<20), 413, memory.CodeTooLarge},
	} {
		if got := c.post(b.in("/push"), tt.body); got.status != tt.status || got.problem.Code != string(tt.code) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if head, err := b.store.Head(t.Context(), b.project.ID); err != nil || head.Seq != 0 {
		t.Errorf("something was stored: %+v, %v", head, err)
	}
}

// A lost answer is asked for again with the same key; the key with another
// body is a mistake.
func TestSync_PushKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	body := strings.Replace(b.pushBody(t, putOp("a.md", "x")), `"ops"`, `"key":"k1","ops"`, 1)
	first, second := c.post(b.in("/push"), body), c.post(b.in("/push"), body)
	if d := cmp.Diff(read[wire.Receipt](t, first), read[wire.Receipt](t, second)); d != "" {
		t.Errorf("another answer (-first +second):\n%s", d)
	}
	c.post(b.in("/push"), strings.Replace(body, "a.md", "b.md", 1)).want(t, http.StatusBadRequest, memory.CodeInvalid)
}

// A push on the condition of a head is not judged at any other one.
func TestSync_PushCondition(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	receipt, err := read[wire.Receipt](t, c.post(b.in("/push"), b.pushBody(t, putOp("a.md", "1")))).Domain(1)
	must(t, err)
	tag, text := quoted(receipt.Head.Tag()), b.pushBody(t, putOp("b.md", "2"))
	for _, other := range []memory.Head{
		{Epoch: receipt.Head.Epoch, Seq: 2, Digest: receipt.Head.Digest},
		{Epoch: receipt.Head.Epoch, Seq: 1, Digest: memory.Digest(memory.Sum(nil))},
		{Epoch: "e2", Seq: 1, Digest: receipt.Head.Digest},
	} {
		c.post(b.in("/push"), text, "If-Match", quoted(other.Tag())).want(t, http.StatusConflict, memory.CodeChanged)
	}
	c.post(b.in("/push"), text, "If-Match", "*").want(t, http.StatusBadRequest, memory.CodeInvalid)
	if feed := read[wire.Feed](t, c.get(b.in("/changes"))); feed.Head != 1 {
		t.Fatalf("%d changes were written", feed.Head-1)
	}
	keyed := strings.Replace(text, `"ops"`, `"key":"k1","ops"`, 1)
	first := c.post(b.in("/push"), keyed, "If-Match", tag).want(t, http.StatusOK, "")
	again := c.post(b.in("/push"), keyed, "If-Match", tag).want(t, http.StatusOK, "")
	if d := cmp.Diff(read[wire.Receipt](t, first), read[wire.Receipt](t, again)); d != "" {
		t.Errorf("asked again, whose answer was lost gets another one (-first +second):\n%s", d)
	}
}

func TestSync_RateLimit(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	a.pushes = auth.NewLimiter(2, time.Hour)
	for range 2 {
		c.post(base+"/projects/prj_a/push", "{}").want(t, http.StatusBadRequest, memory.CodeInvalid)
	}
	got := c.post(base+"/projects/prj_a/push", "{}").want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
	if s := got.header.Get("Retry-After"); s != "1800" {
		t.Errorf("retry after %q s", s)
	}
	a.pushes, a.pushBytes = auth.NewLimiter(9, time.Hour), auth.NewLimiter(100, 24*time.Hour)
	body := `{"epoch":"` + strings.Repeat("e", 60) + `","ops":[]}`
	c.post(base+"/projects/prj_a/push", body).want(t, http.StatusBadRequest, memory.CodeInvalid)
	c.post(base+"/projects/prj_a/push", body).want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
}

// Whoever had the server search for secrets for too long waits with what they
// send, and may read on; nobody else waits.
func TestSync_ScanBudget(t *testing.T) {
	t.Parallel()
	scans := serving.NewScanBudget(time.Now)
	a, r := offline(t, Options{Scans: scans})
	const member = "mem_a" // whose token it is
	c := &client{t: t, url: listen(t, a), token: r.token}
	c.post(base+"/projects/prj_a/push", "{}").want(t, http.StatusBadRequest, memory.CodeInvalid)
	for range 30 {
		ctx, _ := scans.Admit(t.Context(), member)
		serving.PayScan(ctx, memory.MaxEntryBytes, time.Minute)
	}
	got := c.post(base+"/projects/prj_a/push", "{}").want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
	if s := got.header.Get("Retry-After"); s == "" || s == "0" {
		t.Errorf("retry after %q s", s)
	}
	c.post(base+"/projects/prj_a/check", "{}").want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
	c.get(base+"/projects/prj_a/changes?limit=x").want(t, http.StatusBadRequest, memory.CodeInvalid) // reading costs none
	if _, wait := scans.Admit(t.Context(), "mem_another"); wait > 0 {
		t.Errorf("another member waits %v", wait)
	}
}

// A secret is refused with its place, and the answer does not repeat it.
func TestSync_Secret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	r := c.post(b.in("/push"), b.pushBody(t, putOp("a.md", "line\n"+mark), putOp("b.md", "fine")))
	receipt := read[wire.Receipt](t, r)
	if p := receipt.Results[0].Problem; p == nil || p.Code != string(memory.CodeSecretFound) || len(p.Findings) != 1 || p.Findings[0].Line != 2 {
		t.Errorf("got %s", r.body)
	}
	if receipt.Results[1].Verdict != string(memory.RulingPublished) || strings.Contains(string(r.body), mark) || strings.Contains(b.log.String(), mark) {
		t.Errorf("got %s", r.body)
	}
}

// The answer to a client that went away is not an incident.
func TestSync_ClientGone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleViewer)
	epoch := read[wire.Feed](t, c.get(b.in("/changes"))).Epoch
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+b.in("/changes?wait=25&since="+epoch+":0"), nil)
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	go func() {
		<-b.hub.waiting
		leave()
	}()
	if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
		must(t, resp.Body.Close())
		t.Fatal("the poll was answered")
	}
	log := b.log.await(`"code":"unavailable"`)
	if strings.Contains(log, "request failed") {
		t.Errorf("logged as a failure:\n%s", log)
	}
}

// Where the audit cannot take a refusal, what was published beside it is
// answered, and the log has it; a refusal alone is not answered.
func TestPush_AuditFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	b.sql(t, `create function full_disk() returns trigger as $$ begin raise 'full' using errcode = 'disk_full'; end $$ language plpgsql;
		create trigger full_disk before insert on audit for each row when (new.decision = 'refused') execute function full_disk()`)
	push := func(ops string) reply {
		return c.post(b.in("/push"), fmt.Sprintf(`{"epoch":%q,"ops":[%s]}`, b.project.Head.Epoch, ops))
	}
	fine, bad := `{"op":"put","path":"a.md","base_rev":0,"content":"fine"}`, `{"op":"put","path":"b.md","base_rev":0,"content":"`+mark+`"}`
	if got := read[wire.Receipt](t, push(fine+","+bad)); got.Results[0].Verdict != "published" || got.Results[1].Verdict != "refused" {
		t.Errorf("got %+v", got)
	}
	if log := b.log.String(); !strings.Contains(log, "refusals are not in the audit") || strings.Contains(log, mark) {
		t.Errorf("log: %s", log)
	}
	push(bad).want(t, http.StatusServiceUnavailable, memory.CodeUnavailable)
}
