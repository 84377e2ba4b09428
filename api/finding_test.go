package api

import (
	"net/http"
	"testing"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// An API token of a maintainer logs a computer in, as an agent or a job could;
// what it logs in decides about no exception, by any call. The maintainer in
// person does.
func TestFinding_DecidedInPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	author, mia := b.as(t, memory.RoleContributor), b.members[memory.RoleMaintainer]
	f := read[wire.SecretFinding](t, author.post(b.in("/findings"), findingReport))
	call := b.in("/findings/" + f.ID)
	read[wire.SecretFinding](t, author.post(call+"/allow", `{"action":"request","reason":"test-value"}`))

	token := b.token(t, mia.ID, "", memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview)
	login := read[wire.Tokens](t, author.post(base+"/auth/token", `{"grant_type":"api_token","token":"`+token+`","device":{"name":"job"}}`))
	for name, c := range map[string]*client{
		"an API token": {t: t, url: b.url, token: token}, "a login made with one": {t: t, url: b.url, token: login.AccessToken},
	} {
		for _, body := range []string{`{"action":"approve"}`, `{"action":"deny"}`} {
			for _, decides := range []string{"/decision", "/allow"} {
				if got := c.post(call+decides, body); got.status != http.StatusForbidden {
					t.Errorf("%s, %s to %s: %d %s", name, body, decides, got.status, got.body)
				}
			}
		}
	}
	in := b.signedIn(t, mia, memory.ScopeRead, memory.ScopeWrite, memory.ScopeReview)
	if got := in.post(call+"/decision", `{"action":"approve","paths":"**"}`); got.status != http.StatusConflict {
		t.Errorf("other paths: %d %s", got.status, got.body)
	}
	if f = read[wire.SecretFinding](t, in.post(call+"/decision", `{"action":"approve","days":30}`)); f.State != "allowed" {
		t.Errorf("in person: %+v", f)
	}
}
