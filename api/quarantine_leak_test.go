package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// A text that is in quarantine is not to be had by way of what was written over
// it: not as the base of a conflict, not as what a proposal would replace, nor by
// its number. Who may have to judge it can read it.
func TestQuarantine_ReadBesideIt(t *testing.T) {
	t.Parallel()
	const text = "the suspect text"
	b := setup(t)
	mia, mara, rea := b.as(t, memory.RoleMaintainer), b.as(t, memory.RoleContributor), b.as(t, memory.RoleReviewer)
	made := b.put(t, mia, "a.md", text)
	b.lose(t, mara, "cnf_one", "mara's, which lost", made)
	op := fmt.Sprintf(`{"op":"put","path":"a.md","entry_id":%q,"base_rev":%d,"content":"mara's, which waits","review":true}`, made.EntryID, made.Rev)
	waits := read[wire.Receipt](t, mara.post(b.in("/push"), b.pushBody(t, op))).Results[0]
	if waits.Verdict != string(memory.RulingWaiting) {
		t.Fatalf("offered: %+v", waits)
	}
	q := read[wire.Quarantine](t, mia.post(b.in("/quarantine"), fmt.Sprintf(`{"entry_id":%q,"reason":"it is suspect"}`, made.EntryID)))
	if q.Withdrawn != 1 {
		t.Fatalf("taken back: %+v", q)
	}

	revision := fmt.Sprintf("/revision?entry_id=%s&rev=%d", made.EntryID, made.Rev)
	contents := fmt.Sprintf(`{"items":[{"entry_id":%q,"rev":%d}]}`, made.EntryID, made.Rev)
	for what, r := range map[string]reply{
		"its number":   mara.get(b.in(revision)),
		"contents":     mara.post(b.in("/contents"), contents),
		"the conflict": mara.get(b.in("/conflicts/cnf_one")),
		"the proposal": mara.get(b.in("/proposals/" + waits.Proposal)),
		"the feed":     mara.get(b.in("/changes?content=inline")),
		"history":      mara.get(b.in("/revisions?entry_id=" + made.EntryID)),
		"its name":     mara.get(b.in("/entry?path=a.md")),
		"a restore":    mara.post(b.in("/restore"), fmt.Sprintf(`{"entry_id":%q,"rev":%d}`, made.EntryID, made.Rev)),
	} {
		if strings.Contains(string(r.body), text) {
			t.Errorf("%s has it: %s", what, r.body)
		}
	}
	mara.get(b.in(revision)).want(t, http.StatusForbidden, memory.CodeForbidden)
	if v := b.standoff(t, mara, "cnf_one"); *v.Conflict.Content != "mara's, which lost" || v.Base != nil || v.Theirs != nil {
		t.Errorf("mara's conflict: %+v", v)
	}
	if v := b.show(t, mara, waits.Proposal); *v.Proposal.Content != "mara's, which waits" || v.Base != nil {
		t.Errorf("mara's proposal: %+v", v)
	}

	if v := b.standoff(t, rea, "cnf_one"); v.Base == nil || *v.Base.Content != text {
		t.Errorf("a reviewer sees of the conflict %+v", v)
	}
	if v := b.show(t, rea, waits.Proposal); v.Base == nil || *v.Base.Content != text {
		t.Errorf("a reviewer sees of the proposal %+v", v)
	}
}
