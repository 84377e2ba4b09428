package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/memory"
)

func TestRoom(t *testing.T) {
	t.Parallel()
	r := newRoom()
	for _, step := range []struct {
		who  memory.MemberID
		n    int
		free int // before; released first
		want bool
	}{
		{who: "mem_a", n: roomMember, want: true},
		{who: "mem_a", n: 1},
		{who: "mem_b", n: roomMember, want: true},
		{who: "mem_c", n: roomMember, want: true},
		{who: "mem_d", n: roomMember - 1, want: true},
		{who: "mem_e", n: 2},
		{who: "mem_e", n: 1, want: true},
		{who: "mem_a", n: 2, free: 1},
		{who: "mem_a", n: 1, want: true},
	} {
		if step.free > 0 {
			r.release(step.who, step.free)
		}
		if got := r.take(step.who, step.n); got != step.want {
			t.Errorf("%s takes %d: %v", step.who, step.n, got)
		}
	}
}

// A member whose requests already fill its part of the memory is told to wait;
// what a call took is free again when it ends, whichever way.
func TestBody_TakesRoom(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	good := `{"path":"a.md","content":"` + strings.Repeat("x", 1000) + `"}`
	enc, err := zstd.NewWriter(nil)
	must(t, err)
	bodies := []struct {
		body    string
		headers []string
	}{{good, nil}, {zipped(t, 1000), encoding("gzip")}, {string(enc.EncodeAll([]byte(good), nil)), encoding("zstd")}}
	if !a.room.take("mem_a", roomMember-200) {
		t.Fatal("no room at the start")
	}
	for _, b := range bodies {
		got := c.post(base+"/check", b.body, b.headers...).want(t, http.StatusTooManyRequests, memory.CodeRateLimited)
		if got.header.Get("Retry-After") != "1" {
			t.Errorf("no Retry-After: %v", got.header)
		}
	}
	a.room.release("mem_a", roomMember-200)
	for _, b := range bodies {
		if got := c.post(base+"/check", b.body, b.headers...); got.status == http.StatusTooManyRequests {
			t.Errorf("still held: %s", got.body)
		}
	}
	c.post(base+"/check", strings.Repeat("x", maxEntry+1)).want(t, http.StatusRequestEntityTooLarge, memory.CodeTooLarge)
	a.room.mu.Lock()
	defer a.room.mu.Unlock()
	if a.room.total != 0 || len(a.room.members) != 0 {
		t.Errorf("%d bytes are taken after the last call, by %v", a.room.total, a.room.members)
	}
}

// Answers with texts count too, for as long as they are being written. Nothing
// else that a member or the operator asks for stops working meanwhile.
func TestAnswers_AreHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	made := b.put(t, c, "a.md", strings.Repeat("text ", 1000))
	id := string(made.EntryID)
	texts := []func() reply{
		func() reply { return c.get(b.in("/changes?content=inline")) },
		func() reply { return c.get(b.in("/manifest")) },
		func() reply { return c.post(b.in("/contents"), `{"items":[{"entry_id":"`+id+`","rev":1}]}`) },
		func() reply { return c.get(b.in("/entry?path=a.md")) },
		func() reply { return c.get(b.in("/entry?path=a.md"), "Accept", "text/markdown") },
		func() reply { return c.get(b.in("/revision?rev=1&entry_id=" + id)) },
	}
	member := b.members[memory.RoleContributor].ID
	if !b.api.room.take(member, roomMember-200) {
		t.Fatal("no room at the start")
	}
	for i, get := range texts {
		if got := get().want(t, http.StatusTooManyRequests, memory.CodeRateLimited); got.header.Get("Etag") != "" {
			t.Errorf("call %d: a refusal with a tag", i)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", base + "/me", b.in(""), b.in("/entries")} {
		c.get(path).want(t, http.StatusOK, "")
	}
	b.api.room.release(member, roomMember-200)
	for _, get := range texts {
		get().want(t, http.StatusOK, "")
	}
}
