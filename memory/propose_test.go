package memory

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// waitingBatch has every write wait for a reviewer, under the ids prp_0, prp_1, ….
func waitingBatch(writes ...Write) Batch {
	b := Batch{Project: "prj_a", Epoch: "e1", Quota: 100, By: Principal{Member: "mem_a"}, At: start()}
	for i, w := range writes {
		b.Items = append(b.Items, Item{Write: w, Proposal: ProposalID(fmt.Sprint("prp_", i))})
	}
	return b
}

// pendingOf is what the store reads of a proposal that was made by an earlier
// judgement.
func pendingOf(j Judgement, i int, id ProposalID) Proposal {
	p := j.Proposed[i].Proposal
	p.ID, p.State = id, ProposalPending
	return p
}

// An op that waits gets the answer that it would get anyway, but where it would be
// published it waits; and nothing of the project moves.
func TestJudge_HeldVerdicts(t *testing.T) {
	t.Parallel()
	before := []Earlier{{"ent_a", 3, Sum([]byte("three"))}, {"ent_d", 2, Sum([]byte("two"))}}
	for _, tt := range []struct {
		name  string
		write Write
		open  Ruling // if it need not wait
		waits Ruling
	}{
		{"new entry", put(t, "", "new.md", 0, "x"), RulingPublished, RulingWaiting},
		{"edit", put(t, "ent_a", "a.md", 7, "x"), RulingPublished, RulingWaiting},
		{"edit that renames too", put(t, "ent_a", "b.md", 7, "x"), RulingPublished, RulingWaiting},
		{"revival", put(t, "ent_d", "d.md", 8, "eight"), RulingPublished, RulingWaiting},
		{"move", move(t, "ent_a", "a.md", "b.md", 7), RulingPublished, RulingWaiting},
		{"move in case only", move(t, "ent_a", "a.md", "A.md", 7), RulingPublished, RulingWaiting},
		{"delete", remove(t, "ent_a", "a.md", 7), RulingPublished, RulingWaiting},
		{"the same text", put(t, "", "a.md", 0, "seven"), RulingSame, RulingSame},
		{"delete that happened", remove(t, "ent_d", "d.md", 5), RulingSame, RulingSame},
		{"an earlier text", put(t, "", "a.md", 0, "three"), RulingSuperseded, RulingSuperseded},
		{"the deleted text", put(t, "", "d.md", 0, "eight"), RulingDeleted, RulingDeleted},
		{"an old base", put(t, "ent_a", "a.md", 3, "x"), RulingConflict, RulingConflict},
		{"blank over text", put(t, "ent_a", "a.md", 7, " "), RulingRefused, RulingRefused},
		{"twin", put(t, "", "A.md", 0, "x"), RulingRefused, RulingRefused},
		{"move onto a live entry", move(t, "ent_a", "a.md", "sub/b.md", 7), RulingRefused, RulingRefused},
		{"unknown entry", put(t, "ent_x", "x.md", 4, "x"), RulingRefused, RulingRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, before, entryAt(t, "ent_a", "a.md", 7, "seven"), deletedAt(t, "ent_d", "d.md", 8, "eight"), entryAt(t, "ent_b", "sub/b.md", 9, "nine"))
			if got := judged(h, tt.write).Verdicts[0].Ruling; got != tt.open {
				t.Fatalf("published at once: %s, want %s", got, tt.open)
			}
			j := Judge(waitingBatch(tt.write), h)
			v := j.Verdicts[0]
			if v.Ruling != tt.waits || (v.Proposal == "prp_0") != (tt.waits == RulingWaiting) || len(j.Proposed) == 1 != (tt.waits == RulingWaiting) {
				t.Errorf("waiting: %+v and %d proposals, want %s", v, len(j.Proposed), tt.waits)
			}
			if j.Head != h.Head || j.Live != h.Live || j.Stored != nil || j.Replaced != nil || v.Rev != 0 && v.Ruling == RulingWaiting {
				t.Errorf("the project moved: %+v", j)
			}
		})
	}
}

func TestJudge_Proposal(t *testing.T) {
	t.Parallel()
	seven, meta := Sum([]byte("seven")), Frontmatter{Kind: KindFeedback, Name: "n", Description: "d"}
	noted := put(t, "", "new.md", 0, "text")
	noted.Note, noted.Meta = "why", meta
	renames := put(t, "ent_a", "b.md", 7, "text")
	for _, tt := range []struct {
		name  string
		write Write
		entry EntryID // of the verdict
		want  Proposal
	}{
		{"new entry", noted, "", Proposal{
			Action: ActionPut, Path: path1(t, "new.md"), EntryID: "ent_new", Creates: true, Sum: Sum([]byte("text")), Size: 4,
			Kind: KindFeedback, Name: "n", Description: "d", Note: "why", RuleSet: "test",
		}},
		{"new entry under a stated id", put(t, "ent_x", "new.md", 0, "text"), "", Proposal{
			Action: ActionPut, Path: path1(t, "new.md"), EntryID: "ent_x", Creates: true, Sum: Sum([]byte("text")), Size: 4, RuleSet: "test",
		}},
		{"edit and rename", renames, "ent_a", Proposal{
			Action: ActionPut, Path: path1(t, "b.md"), Previous: path1(t, "a.md"), EntryID: "ent_a", BaseRev: 7, BaseSum: seven,
			Sum: Sum([]byte("text")), Size: 4, RuleSet: "test",
		}},
		{"move by path", move(t, "", "a.md", "b.md", 7), "ent_a", Proposal{
			Action: ActionMove, Path: path1(t, "b.md"), Previous: path1(t, "a.md"), EntryID: "ent_a", BaseRev: 7, BaseSum: seven, Sum: seven, Size: 5,
		}},
		{"delete", remove(t, "ent_a", "a.md", 7), "ent_a", Proposal{
			Action: ActionDelete, Path: path1(t, "a.md"), EntryID: "ent_a", BaseRev: 7, BaseSum: seven, Sum: seven, Size: 5,
		}},
		{"revival against the delete", put(t, "ent_d", "e.md", 8, "text"), "ent_d", Proposal{
			Action: ActionPut, Path: path1(t, "e.md"), EntryID: "ent_d", BaseRev: 8, BaseSum: Sum([]byte("eight")), Sum: Sum([]byte("text")),
			Size: 4, RuleSet: "test",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"), deletedAt(t, "ent_d", "d.md", 8, "eight"))
			j := Judge(waitingBatch(tt.write), h)
			tt.want.ID, tt.want.Project, tt.want.State, tt.want.At = "prp_0", "prj_a", ProposalPending, start()
			if diff := cmp.Diff(tt.want, j.Proposed[0].Proposal, cmp.AllowUnexported(Path{})); diff != "" {
				t.Errorf("proposal (-want +got):\n%s", diff)
			}
			if v := j.Verdicts[0]; v.EntryID != tt.entry || j.Proposed[0].Write.Content != tt.write.Content {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}

// The same change sent again waits already; another one for the entry or the
// path takes its place.
func TestJudge_PendingAlready(t *testing.T) {
	t.Parallel()
	base := func(w Write, text string) Write {
		w.BaseSum = Sum([]byte(text))
		return w
	}
	for _, tt := range []struct {
		name          string
		first, second Write
		want          ProposalID
		replaced      bool
	}{
		{"same new entry", put(t, "", "n.md", 0, "x"), put(t, "", "n.md", 0, "x"), "prp_old", false},
		{"same new entry under another id", put(t, "ent_x", "n.md", 0, "x"), put(t, "", "n.md", 0, "x"), "prp_old", false},
		{"same edit", put(t, "ent_a", "a.md", 7, "x"), put(t, "ent_a", "a.md", 7, "x"), "prp_old", false},
		{"same edit, once by path", put(t, "ent_a", "a.md", 7, "x"), put(t, "", "a.md", 7, "x"), "prp_old", false},
		{"same edit, once with its base", put(t, "ent_a", "a.md", 7, "x"), base(put(t, "ent_a", "a.md", 7, "x"), "seven"), "prp_old", false},
		{"same move", move(t, "ent_a", "a.md", "n.md", 7), move(t, "", "a.md", "n.md", 7), "prp_old", false},
		{"same delete", remove(t, "ent_a", "a.md", 7), remove(t, "", "a.md", 7), "prp_old", false},

		{"another text", put(t, "", "n.md", 0, "x"), put(t, "", "n.md", 0, "y"), "prp_0", true},
		{"another spelling", put(t, "", "n.md", 0, "x"), put(t, "", "N.md", 0, "x"), "prp_0", true},
		{"another text of the entry", put(t, "ent_a", "a.md", 7, "x"), put(t, "ent_a", "a.md", 7, "y"), "prp_0", true},
		{"another name", put(t, "ent_a", "a.md", 7, "x"), put(t, "ent_a", "n.md", 7, "x"), "prp_0", true},
		{"delete after an edit", put(t, "ent_a", "a.md", 7, "x"), remove(t, "ent_a", "a.md", 7), "prp_0", true},
		{"edit after a move", move(t, "ent_a", "a.md", "n.md", 7), put(t, "", "a.md", 7, "x"), "prp_0", true},
		{"move onto the name of a new entry", put(t, "", "n.md", 0, "x"), move(t, "ent_a", "a.md", "n.md", 7), "prp_0", true},
		{"new entry at the target of a move", move(t, "ent_a", "a.md", "n.md", 7), put(t, "", "n.md", 0, "x"), "prp_0", true},

		{"another entry", put(t, "ent_a", "a.md", 7, "x"), put(t, "ent_b", "b.md", 8, "x"), "prp_0", false},
		{"another path", put(t, "", "n.md", 0, "x"), put(t, "", "m.md", 0, "x"), "prp_0", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"), entryAt(t, "ent_b", "b.md", 8, "eight"))
			h.Pending = []Proposal{pendingOf(Judge(waitingBatch(tt.first), h), 0, "prp_old")}
			h.Queued = ProposalNumbers{All: 1, Own: 1}
			b := waitingBatch(tt.second)
			b.Items[0].Write.NewID = "ent_newer"
			j := Judge(b, h)
			if v := j.Verdicts[0]; v.Ruling != RulingWaiting || v.Proposal != tt.want {
				t.Errorf("got %+v, want it to wait as %s", v, tt.want)
			}
			if (len(j.Proposed) == 1) != (tt.want == "prp_0") {
				t.Errorf("proposed %+v", j.Proposed)
			}
			if (len(j.Replaced) == 1) != tt.replaced {
				t.Fatalf("replaced %+v", j.Replaced)
			}
			if tt.replaced {
				if r := j.Replaced[0]; r.ID != "prp_old" || r.State != ProposalSuperseded || r.Successor != "prp_0" {
					t.Errorf("replaced %+v", r)
				}
			}
			again := Judge(b, h)
			if diff := cmp.Diff(j, again, cmp.AllowUnexported(Path{}, Clean{})); diff != "" {
				t.Errorf("judging changed what it was given (-first +again):\n%s", diff)
			}
		})
	}
}

// A change on top of what was approved meanwhile is another one, even with the
// same text: what it was based on before can never be approved any more.
func TestJudge_PendingOnAnOldBase(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"))
	old := pendingOf(Judge(waitingBatch(put(t, "ent_a", "a.md", 7, "x")), h), 0, "prp_old")
	h = headsOf(11, nil, entryAt(t, "ent_a", "a.md", 11, "eleven"))
	h.Pending, h.Queued = []Proposal{old}, ProposalNumbers{1, 1}
	j := Judge(waitingBatch(put(t, "ent_a", "a.md", 11, "x")), h)
	if j.Verdicts[0].Proposal != "prp_0" || len(j.Replaced) != 1 || j.Proposed[0].Proposal.BaseRev != 11 {
		t.Errorf("got %+v", j)
	}
}

// One op can take the place of two proposals: the entry's and the path's.
func TestJudge_ReplacesTwo(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"))
	two := Judge(waitingBatch(put(t, "ent_a", "a.md", 7, "x"), put(t, "", "n.md", 0, "new")), h)
	h.Pending, h.Queued = []Proposal{pendingOf(two, 0, "prp_of_entry"), pendingOf(two, 1, "prp_of_path")}, ProposalNumbers{2, 2}
	b := waitingBatch(move(t, "ent_a", "a.md", "n.md", 7))
	b.Pending, b.Own = 2, 2
	j := Judge(b, h)
	if len(j.Replaced) != 2 || len(j.Proposed) != 1 || j.Verdicts[0].Ruling != RulingWaiting {
		t.Errorf("got %+v", j)
	}
}

// Within a batch it is the last one that waits.
func TestJudge_ReplacesWithinABatch(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"))
	j := Judge(waitingBatch(
		put(t, "ent_a", "a.md", 7, "x"), put(t, "", "n.md", 0, "n"), put(t, "ent_a", "a.md", 7, "y"), put(t, "ent_a", "a.md", 7, "y"),
	), h)
	var got []string
	for _, v := range j.Verdicts {
		got = append(got, fmt.Sprint(v.Ruling, " ", v.Proposal))
	}
	if diff := cmp.Diff([]string{"waiting prp_0", "waiting prp_1", "waiting prp_2", "waiting prp_2"}, got); diff != "" {
		t.Errorf("verdicts (-want +got):\n%s", diff)
	}
	got = nil
	for _, p := range j.Proposed {
		got = append(got, fmt.Sprintf("%d %s %s %s", p.Item, p.Proposal.ID, p.Proposal.State, p.Proposal.Successor))
	}
	if diff := cmp.Diff([]string{"0 prp_0 superseded prp_2", "1 prp_1 pending ", "2 prp_2 pending "}, got); diff != "" || j.Replaced != nil {
		t.Errorf("proposed (-want +got):\n%s", diff)
	}
}

// What is published for all takes the place of what its author had waiting.
func TestJudge_PublishedReplaces(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 7, "seven"))
	two := Judge(waitingBatch(put(t, "ent_a", "a.md", 7, "x"), put(t, "", "n.md", 0, "new")), h)
	h.Pending, h.Queued = []Proposal{pendingOf(two, 0, "prp_a"), pendingOf(two, 1, "prp_n")}, ProposalNumbers{2, 2}
	j := judged(h, put(t, "ent_a", "a.md", 7, "z"))
	if len(j.Replaced) != 1 || j.Replaced[0].ID != "prp_a" || j.Replaced[0].Successor != "" || j.Replaced[0].State != ProposalSuperseded {
		t.Errorf("replaced %+v", j.Replaced)
	}
	if j = judged(h, put(t, "ent_a", "a.md", 3, "z")); j.Replaced != nil {
		t.Errorf("a conflict replaced %+v", j.Replaced)
	}
	// What a reviewer approves is not in its own way.
	b := Batch{Epoch: "e1", Approves: Approval{"prp_n", "mem_a"}, Items: []Item{{Write: put(t, "ent_new", "n.md", 0, "new")}}}
	if j = Judge(b, h); j.Replaced != nil || j.Verdicts[0].Ruling != RulingPublished || j.Verdicts[0].EntryID != "ent_new" {
		t.Errorf("an approval: %+v", j)
	}
}

// A move that waits gives up no name, and a delete that waits frees none: until somebody
// approves, nothing is different.
func TestJudge_HeldGivesUpNoName(t *testing.T) {
	t.Parallel()
	some := func(wait []bool, writes ...Write) Batch {
		b := waitingBatch(writes...)
		for i := range b.Items {
			if !wait[i] {
				b.Items[i].Proposal = ""
			}
		}
		return b
	}
	for _, tt := range []struct {
		name string
		b    Batch
		want []Ruling
	}{
		{"swap", some([]bool{true, true}, move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "a.md", 2)), []Ruling{RulingRefused, RulingRefused}},
		{
			"half a swap", some([]bool{true, false}, move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "a.md", 2)),
			[]Ruling{RulingRefused, RulingRefused},
		},
		{"chain", some([]bool{false, true}, move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "c.md", 2)), []Ruling{RulingRefused, RulingWaiting}},
		{"into what left", some([]bool{true, false}, move(t, "ent_a", "a.md", "b.md", 1), move(t, "ent_b", "b.md", "c.md", 2)), []Ruling{RulingWaiting, RulingPublished}},
		{"new under the old name", some([]bool{true, false}, move(t, "ent_a", "a.md", "c.md", 1), put(t, "", "a.md", 0, "x")), []Ruling{RulingWaiting, RulingConflict}},
		{"new where one is deleted", some([]bool{true, true}, remove(t, "ent_a", "a.md", 1), put(t, "", "a.md", 0, "x")), []Ruling{RulingWaiting, RulingConflict}},
		{"new under the new name", some([]bool{true, false}, move(t, "ent_a", "a.md", "c.md", 1), put(t, "", "c.md", 0, "x")), []Ruling{RulingWaiting, RulingPublished}},
		{"new twin of the old name", some([]bool{true, false}, move(t, "ent_a", "a.md", "c.md", 1), put(t, "", "A.md", 0, "x")), []Ruling{RulingWaiting, RulingRefused}},
		{"edit under a new name, then the old one", some([]bool{true, false}, put(t, "ent_a", "c.md", 1, "x"), put(t, "ent_a", "a.md", 1, "y")), []Ruling{RulingWaiting, RulingPublished}},
		{"new of which one waits", some([]bool{true, false}, put(t, "", "n.md", 0, "x"), put(t, "", "n.md", 0, "y")), []Ruling{RulingWaiting, RulingPublished}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil, entryAt(t, "ent_a", "a.md", 1, "a"), entryAt(t, "ent_b", "b.md", 2, "b"))
			if diff := cmp.Diff(tt.want, rulings(Judge(tt.b, h))); diff != "" {
				t.Errorf("rulings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudge_QueueIsFull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		pending, own int // limits
		queued       ProposalNumbers
		want         []Ruling
	}{
		{"room for one more in the project", 6, 0, ProposalNumbers{All: 5, Own: 0}, []Ruling{RulingWaiting, RulingRefused}},
		{"room for one more of the author", 0, 3, ProposalNumbers{All: 5, Own: 2}, []Ruling{RulingWaiting, RulingRefused}},
		{"no room", 5, 3, ProposalNumbers{All: 5, Own: 1}, []Ruling{RulingRefused, RulingRefused}},
		{"more than the limit, which was lowered", 2, 2, ProposalNumbers{All: 5, Own: 4}, []Ruling{RulingRefused, RulingRefused}},
		{"no limits", 0, 0, ProposalNumbers{All: 5, Own: 4}, []Ruling{RulingWaiting, RulingWaiting}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := headsOf(10, nil)
			h.Queued = tt.queued
			b := waitingBatch(put(t, "", "a.md", 0, "a"), put(t, "", "b.md", 0, "b"))
			b.Pending, b.Own = tt.pending, tt.own
			b.Items[1].Write.NewID = "ent_other"
			j := Judge(b, h)
			if diff := cmp.Diff(tt.want, rulings(j)); diff != "" {
				t.Errorf("rulings (-want +got):\n%s", diff)
			}
			for _, v := range j.Verdicts {
				if v.Problem != nil && (v.Problem.Code != CodeQuota || v.Problem.Hint == "") {
					t.Errorf("got %+v", v.Problem)
				}
			}
		})
	}
}

// A full queue takes what takes the place of something, and what waits already.
func TestJudge_QueueIsFullOfOwn(t *testing.T) {
	t.Parallel()
	h := headsOf(10, nil)
	h.Pending = []Proposal{pendingOf(Judge(waitingBatch(put(t, "", "n.md", 0, "x")), h), 0, "prp_old")}
	h.Queued = ProposalNumbers{1, 1}
	for text, want := range map[string]ProposalID{"x": "prp_old", "y": "prp_0"} {
		b := waitingBatch(put(t, "", "n.md", 0, text))
		b.Pending, b.Own = 1, 1
		if v := Judge(b, h).Verdicts[0]; v.Proposal != want {
			t.Errorf("%s: got %+v", text, v)
		}
	}
}

func TestBatch_LookupsOfAuthor(t *testing.T) {
	t.Parallel()
	b := waitingBatch(put(t, "", "a.md", 0, "a"))
	if l := b.Lookups(); l.Author != "mem_a" || !l.Proposals {
		t.Errorf("got %+v", l)
	}
	b.Items[0].Proposal, b.Approves = "", Approval{"prp_a", "mem_b"}
	if l := b.Lookups(); l.Author != "mem_b" || l.Proposals {
		t.Errorf("got %+v", l)
	}
}
