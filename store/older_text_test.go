package store_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// olderTexts is an archive in which texts are stored that today's rules refuse, at
// every place where a text can be.
type olderTexts struct {
	*archive

	past, deleted, withdrawn memory.Verdict
	held                     memory.Proposal
	lost                     memory.Conflict
	quarantine               memory.Quarantine
}

// storeOlder stores texts that begin with some words.
func storeOlder(t *testing.T, words string) *olderTexts {
	t.Helper()
	a := &olderTexts{archive: openArchive(t)}
	ctx, id := t.Context(), a.project.ID
	a.past = a.write(t, a.other, "past.md", words+"past")
	a.write(t, a.mara, "past.md", "is clean")
	a.write(t, a.other, "live.md", "was clean")
	a.write(t, a.other, "live.md", words+"live")
	a.deleted = a.write(t, a.other, "deleted.md", words+"deleted")
	r, err := a.Service.Push(ctx, a.mara, id, memory.Push{Epoch: a.project.Head.Epoch, Ops: []memory.Op{
		{Action: memory.ActionDelete, Path: "deleted.md", EntryID: a.deleted.EntryID, BaseRev: a.deleted.Rev},
	}})
	if err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
		t.Fatalf("%+v, %v", r, err)
	}
	a.write(t, a.other, "newer.md", words+"newer")
	a.write(t, a.mia, "newer.md", "by a suspect")
	a.withdrawn = a.write(t, a.other, "withdrawn.md", words+"withdrawn")
	a.quarantine, err = a.Service.Quarantine(ctx, a.mara, id, memory.Withdrawal{
		Suspects: memory.Suspects{Entries: []memory.EntryID{a.withdrawn.EntryID}}, Reason: "suspect",
	})
	must(t, err)
	must(t, a.Store.SetReview(ctx, id, memory.PresetStrict, a.principal().Row(start(), "project.review", string(id))))
	if v := a.share(t, a.other, "held.md", words+"held"); v.Ruling != memory.RulingWaiting {
		t.Fatalf("verdict %+v", v)
	}
	must(t, a.Store.SetReview(ctx, id, memory.PresetOpen, a.principal().Row(start(), "project.review", string(id))))
	a.lost, err = a.Service.KeepConflict(ctx, a.other, id, memory.Draft{
		ID: memory.NewConflictID(), Path: "live.md", Content: []byte(words + "lost"), KeptAt: start(),
	})
	must(t, err)
	return a
}

// hide puts something that nobody sees into the texts that begin with the words.
func (a *olderTexts) hide(t *testing.T, words, hidden string) {
	t.Helper()
	for _, table := range []string{"revisions", "proposals", "conflicts"} {
		a.exec(t, `update `+table+` set content = convert_to($2, 'utf8') || content, sha256 = sha256(convert_to($2, 'utf8') || content),
			size = octet_length(convert_to($2, 'utf8') || content) where content is not null and position(convert_to($1, 'utf8') in content) = 1`, words, hidden)
	}
	a.exec(t, `update entries e set sha256 = r.sha256, size = r.size from revisions r where r.entry_id = e.entry_id and r.rev = e.head_rev and r.op <> 'delete'`)
}

// ways are all on which a stored text becomes an entry's again, with what they
// come to: the code of a refusal, "" if it was done.
func (a *olderTexts) ways(t *testing.T) map[string]memory.Code {
	t.Helper()
	ctx, id := t.Context(), a.project.ID
	pending, err := a.Service.Proposals(ctx, a.mara, id, memory.ProposalQuery{State: memory.ProposalPending})
	must(t, err)
	a.held = pending[0]
	_, approved := a.Service.Approve(ctx, a.mara, id, a.held.ID, memory.Seen{Sum: a.held.Sum, BaseRev: a.held.BaseRev})
	live, _, err := a.Service.Entry(ctx, a.mara, id, "live.md")
	must(t, err)
	codes := map[string]memory.Code{"approve": memory.CodeOf(approved)}
	for name, v := range map[string]memory.Verdict{"restore": a.past, "restore what was deleted": a.deleted} {
		r, err := a.Service.Restore(ctx, a.mara, id, v.EntryID, v.Rev)
		must(t, err)
		if p := r.Verdicts[0].Problem; p != nil {
			codes[name] = p.Code
		}
	}
	for name, r := range map[string]memory.Resolve{"resolve": {How: memory.HowOurs, BaseRev: live.Rev}, "resolve with both": {How: memory.HowBoth}} {
		_, err := a.Service.ResolveConflict(ctx, a.other, id, a.lost.ID, r)
		codes[name] = memory.CodeOf(err)
	}
	released, err := a.Service.Release(ctx, a.mara, id, a.quarantine.ID, "")
	must(t, err)
	codes["release"] = memory.Code(released.Entries[0].Stuck)
	q, err := a.Service.Quarantine(ctx, a.mara, id, memory.Withdrawal{Suspects: memory.Suspects{Member: a.mia.Member}, Reason: "suspect"})
	must(t, err)
	codes["take back what is newer"] = memory.Code(q.Entries[0].Stuck)
	return codes
}

// What earlier rules let pass and today's refuse stays where it is: nothing brings
// it back into a tree, each way says why, and what waits goes on waiting. What is
// clean still comes back, and the next re-scan takes the rest out of every tree.
func TestOlderTexts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words, hidden string
		code          memory.Code
	}{
		"a secret":    {"hard-", "", memory.CodeSecretFound},
		"hidden text": {"once ", "\U000e0041", memory.CodeTextRejected},
		"no text":     {"once ", "\u202e", memory.CodeTextRejected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := storeOlder(t, tt.words)
			if tt.hidden != "" {
				a.hide(t, tt.words, tt.hidden)
			}
			a.use(softScanner{})
			refused := memory.Code(memory.StuckRefused)
			want := map[string]memory.Code{
				"approve": tt.code, "restore": tt.code, "restore what was deleted": tt.code, "resolve": tt.code, "resolve with both": tt.code,
				"release": refused, "take back what is newer": refused,
			}
			if diff := cmp.Diff(want, a.ways(t)); diff != "" {
				t.Errorf("what came of it (-want +got):\n%s", diff)
			}
			tree := map[string]string{"past.md": "is clean", "live.md": tt.hidden + tt.words + "live"}
			if diff := cmp.Diff(tree, a.tree(t)); diff != "" {
				t.Errorf("the tree (-want +got):\n%s", diff)
			}
			if n := a.count(t, `select count(*) from proposals where state = 'pending'`) + a.count(t, `select count(*) from conflicts where closed_at is null`); n != 2 {
				t.Errorf("%d texts wait, want the proposal and the conflict", n)
			}
			_, err := a.Service.Reject(t.Context(), a.mara, a.project.ID, a.held.ID, memory.Seen{Sum: a.held.Sum, BaseRev: a.held.BaseRev}, memory.ReasonWrong, "")
			must(t, err)
			a.rescan(t, softScanner{})
			delete(tree, "live.md")
			if diff := cmp.Diff(tree, a.tree(t)); diff != "" {
				t.Errorf("the tree after the re-scan (-want +got):\n%s", diff)
			}
		})
	}
}

// A backup brings such a text back as it was, with the rules that let it pass: the
// server that is started on it looks at it first thing.
func TestOlderTexts_Backup(t *testing.T) {
	t.Parallel()
	a := storeOlder(t, "hard-")
	must(t, a.Service.WantRescan(t.Context()))
	url := empty(t, connect(t, a.url), "")
	projects, err := store.Restore(t.Context(), url, backUp(t, a.url), store.RestoreOptions{Row: restoreRow()})
	must(t, err)
	r := &archive{office: &office{bundle: another(t, url), now: a.now, mara: a.mara}}
	r.project = projects[0].Project
	if was := r.tree(t); !strings.HasPrefix(was["live.md"], "hard-") {
		t.Fatalf("restored %q", was)
	}
	p := r.rescan(t, softScanner{})
	if diff := cmp.Diff(map[string]string{"past.md": "is clean", "newer.md": "by a suspect"}, r.tree(t)); diff != "" || p.Findings == 0 {
		t.Errorf("after the re-scan, with %d findings (-want +got):\n%s", p.Findings, diff)
	}
	r.check(t)
}
