package memory

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/sanitize"
)

// op is a new entry that the gate lets pass.
func op(path, text string) Op { return Op{Action: ActionPut, Path: path, Content: []byte(text)} }

func TestPush_Batch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	full := Op{
		Action: ActionPut, Path: "u\u0308ber.md", EntryID: "ent_x", BaseRev: 3, BaseSum: Sum([]byte("b")), AbsentAt: Cursor{"e1", 2},
		Sum: Sum([]byte("---\nname: n\n---\n")), Content: []byte("---\nname: n\n---\n"), AllowEmpty: true, Note: "why",
	}
	move := Op{Action: ActionMove, Path: "new.md", Previous: "old.md", EntryID: "ent_y", BaseRev: 4}
	del := Op{Action: ActionDelete, Path: "gone.md", BaseRev: 5}
	p := Push{Epoch: "e1", Device: "dev_mine", Key: "key", Body: Sum([]byte("body")), Agent: Agent{Name: "claude-code"}, Ops: []Op{full, move, del}}
	receipt, err := b.Push(t.Context(), b.who, "prj_a", p)
	must(t, err)
	got := b.store.batch
	if got.Project != "prj_a" || got.Epoch != "e1" || got.Key != "key" || got.Body != p.Body || got.By.Member != "mem_mara" ||
		got.Device != "dev_mine" || got.Agent != p.Agent || got.At != start() || got.Quota != 20_000 {
		t.Errorf("batch %+v", got)
	}
	w := got.Items[0].Write
	if w.Path.String() != "\u00fcber.md" || w.EntryID != "ent_x" || !w.NewID.valid() || w.BaseRev != 3 || w.BaseSum != full.BaseSum ||
		w.AbsentAt != full.AbsentAt || !w.AllowEmpty || w.Note != "why" || w.Content.Text() != string(full.Content) || w.Meta.Name != "n" {
		t.Errorf("put %+v", w)
	}
	if w := got.Items[1].Write; w.Path.String() != "new.md" || w.Previous.String() != "old.md" || !w.Content.IsZero() {
		t.Errorf("move %+v", w)
	}
	if w := got.Items[2].Write; w.Action != ActionDelete || w.Path.String() != "gone.md" || w.BaseRev != 5 {
		t.Errorf("delete %+v", w)
	}
	if len(receipt.Verdicts) != 3 || receipt.Unrecorded != nil {
		t.Errorf("receipt %+v", receipt)
	}
	if diff := cmp.Diff([]int64{receipt.Head.Seq}, b.notify.hints); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
}

// One bad op never stops the others.
func TestPush_RefusesOpsOneByOne(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		op    Op
		code  Code
		field string
	}{
		{"path", op("../a.md", "x"), CodePathRejected, "path"},
		{"negative base", Op{Action: ActionDelete, Path: "a.md", BaseRev: -1}, CodeInvalid, "base_rev"},
		{"long note", Op{Action: ActionDelete, Path: "a.md", Note: strings.Repeat("数", 501)}, CodeInvalid, "note"},
		{"note with a secret", Op{Action: ActionDelete, Path: "a.md", Note: mark}, CodeSecretFound, "note"},
		{"note that is no text", Op{Action: ActionDelete, Path: "a.md", Note: "a\x00"}, CodeTextRejected, "note"},
		{"entry id", Op{Action: ActionDelete, Path: "a.md", EntryID: "ENT_A"}, CodeInvalid, "entry_id"},
		{"action", Op{Action: "purge", Path: "a.md"}, CodeInvalid, "op"},
		{"no action", Op{Path: "a.md"}, CodeInvalid, "op"},
		{"another hash", Op{Action: ActionPut, Path: "a.md", Content: []byte("x"), Sum: Sum([]byte("y"))}, CodeInvalid, "sha256"},
		{"too large", op("a.md", strings.Repeat("x", MaxEntryBytes+1)), CodeTooLarge, "content"},
		{"secret", op("a.md", mark), CodeSecretFound, "content"},
		{"secret in the path", op(mark+".md", "x"), CodeSecretFound, "path"},
		{"no text", op("a.md", "\xff"), CodeTextRejected, "content"},
		{"scan without end", op("a.md", "slow"), CodeScanTimeout, "content"},
		{"move from nowhere", Op{Action: ActionMove, Path: "a.md"}, CodePathRejected, "previous_path"},
		{"move onto a secret", Op{Action: ActionMove, Path: mark + ".md", Previous: "a.md"}, CodeSecretFound, "path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(op("fine.md", "x"), tt.op, op("also.md", "x")))
			must(t, err)
			if diff := cmp.Diff([]Ruling{RulingPublished, RulingRefused, RulingPublished}, rulings(Judgement{Verdicts: receipt.Verdicts})); diff != "" {
				t.Fatalf("rulings (-want +got):\n%s", diff)
			}
			e := receipt.Verdicts[1].Problem
			if e.Code != tt.code || e.Field != tt.field || strings.Contains(e.Error(), mark) {
				t.Errorf("got %s about %s: %v", e.Code, e.Field, e)
			}
			if !b.store.batch.Items[1].Write.Content.IsZero() {
				t.Error("the refused text went on to the store")
			}
			action := "entry." + string(tt.op.Action)
			if tt.field == "op" {
				action = "entry.push"
			}
			row := b.store.audit[0]
			if len(b.store.audit) != 1 || row.Action != action || row.Decision != "refused" || row.Rules[0] != string(tt.code) || row.Object != "prj_a" {
				t.Errorf("audit %+v", b.store.audit)
			}
		})
	}
}

// A note of exactly the limit passes, counted in characters.
func TestPush_LongestNote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(Op{Action: ActionDelete, Path: "a.md", Note: strings.Repeat("数", 500)}))
	if err != nil || receipt.Verdicts[0].Ruling != RulingPublished {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

// What is wrong with a push as a whole is told before anything is read.
func TestPush_Whole(t *testing.T) {
	t.Parallel()
	limits := Limits{PushOps: 3, PushBytes: 10}
	for _, tt := range []struct {
		name  string
		push  Push
		code  Code
		field string
	}{
		{"no ops", pushOf(), CodeInvalid, "ops"},
		{"as many as may be", pushOf(op("a.md", ""), op("b.md", ""), op("c.md", "")), "", ""},
		{"one too many", pushOf(op("a.md", ""), op("b.md", ""), op("c.md", ""), op("d.md", "")), CodeInvalid, "ops"},
		{"as many bytes as may be", pushOf(op("a.md", "12345"), op("b.md", "12345")), "", ""},
		{"one byte too many", pushOf(op("a.md", "12345"), op("b.md", "123456")), CodeTooLarge, "ops"},
		{"longest key", Push{Epoch: "e1", Key: strings.Repeat("k", 100), Ops: []Op{op("a.md", "")}}, "", ""},
		{"key too long", Push{Epoch: "e1", Key: strings.Repeat("k", 101), Ops: []Op{op("a.md", "")}}, CodeInvalid, "key"},
		{"own device", Push{Epoch: "e1", Device: "dev_own", Ops: []Op{op("a.md", "")}}, "", ""},
		{"another device of the member", Push{Epoch: "e1", Device: "dev_mine", Ops: []Op{op("a.md", "")}}, "", ""},
		{"somebody else's device", Push{Epoch: "e1", Device: "dev_theirs", Ops: []Op{op("a.md", "")}}, CodeForbidden, "device"},
		{"secret in the agent's name", Push{Epoch: "e1", Agent: Agent{Session: "x " + mark}, Ops: []Op{op("a.md", "")}}, CodeSecretFound, "agent"},
		{"agent's name that is no text", Push{Epoch: "e1", Agent: Agent{Name: "a\x00b"}, Ops: []Op{op("a.md", "")}}, CodeTextRejected, "agent"},
		{"another epoch", Push{Epoch: "e0", Ops: []Op{op("a.md", "")}}, CodeEpochChanged, ""},
		{"no epoch", Push{Ops: []Op{op("a.md", "")}}, CodeEpochChanged, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, limits)
			_, err := b.Push(t.Context(), b.who, "prj_a", tt.push)
			if tt.code == "" {
				must(t, err)
				return
			}
			e := problemOf(t, err, tt.code)
			if e.Field != tt.field || b.store.batch.Items != nil {
				t.Errorf("got %q, or the store was asked", e.Field)
			}
			if tt.code == CodeEpochChanged && e.Head.Epoch != "e1" {
				t.Errorf("head %+v", e.Head)
			}
		})
	}
}

func TestPush_CallerGoesAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Push(ctx, b.who, "prj_a", pushOf(op("a.md", "x"))); !errors.Is(err, context.Canceled) || b.store.batch.Items != nil {
		t.Errorf("got %v", err)
	}
}

// What a push does is counted and written down for one computer: the one that
// it names, or else the login's own.
func TestPush_Device(t *testing.T) {
	t.Parallel()
	for named, want := range map[DeviceID]DeviceID{"": "dev_own", "dev_own": "dev_own", "dev_mine": "dev_mine"} {
		b := setup(t)
		del := Op{Action: ActionDelete, Path: "gone.md", BaseRev: 5}
		_, err := b.Push(t.Context(), b.who, "prj_a", Push{Epoch: "e1", Device: named, Ops: []Op{del}})
		must(t, err)
		if got := b.store.batch; got.Device != want || got.Lookups().Device != want {
			t.Errorf("named %q: written for %q, counted for %q, want %q", named, got.Device, got.Lookups().Device, want)
		}
	}
}

func TestPush_DeviceCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.devices, b.store.deviceErr = nil, errFake
	_, err := b.Push(t.Context(), b.who, "prj_a", Push{Epoch: "e1", Device: "dev_x", Ops: []Op{op("a.md", "")}})
	if !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}

func TestPush_StoreFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.pushErr = errFake
	receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(op("a.md", "x"), op("b.md", mark)))
	if !errors.Is(err, errFake) || receipt.Verdicts != nil || b.notify.hints != nil || b.store.audit != nil {
		t.Errorf("got %+v, %v", receipt, err)
	}
}

// The rows that judging refuses are on record with the entry and every rule.
func TestPush_AuditsWhatWasRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	problem := &Error{Code: CodeSecretFound, Findings: []sanitize.Finding{{Rule: "one"}, {Rule: "two"}}}
	b.store.receipt = Receipt{Head: Head{Seq: 7}, Verdicts: []Verdict{refused("ent_a", problem), conflict(&EntryHead{ID: "ent_b"})}}
	_, err := b.Push(t.Context(), b.who, "prj_a", pushOf(op("a.md", "x"), op("b.md", "x")))
	must(t, err)
	want := []AuditRow{{
		At: start(), Actor: "mem_mara", Device: "dev_own", Client: "test", Action: "entry.put", Object: "ent_a", Decision: "refused",
		Rules: []string{"secret_found", "one", "two"},
	}}
	if diff := cmp.Diff(want, b.store.audit); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.notify.hints != nil {
		t.Errorf("a hint without news: %v", b.notify.hints)
	}
}

// Once an op is published its receipt must reach the client, or the client
// would not know what it wrote. Until then a refusal is only told when it is on
// record: the push can be sent again.
func TestPush_AuditFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ops  []Op
		lost bool
	}{
		{"beside a published op", []Op{op("a.md", "x"), op("b.md", mark)}, false},
		{"nothing published", []Op{op("b.md", mark)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.store.auditErr = errFake
			receipt, err := b.Push(t.Context(), b.who, "prj_a", pushOf(tt.ops...))
			if tt.lost {
				if !errors.Is(err, errFake) || receipt.Verdicts != nil {
					t.Errorf("got %+v, %v", receipt, err)
				}
				return
			}
			must(t, err)
			if len(receipt.Verdicts) != 2 || !errors.Is(receipt.Unrecorded, errFake) {
				t.Errorf("got %+v", receipt)
			}
		})
	}
}

// A caller who goes away once the batch is stored does not take the record of
// its refusals along.
func TestPush_CallerGoesAwayAfterwards(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.store.pushed = cancel
	receipt, err := b.Push(ctx, b.who, "prj_a", pushOf(op("a.md", "x"), op("b.md", mark)))
	if err != nil || receipt.Unrecorded != nil || len(b.store.audit) != 1 {
		t.Errorf("got %+v, %v; audit %+v", receipt, err, b.store.audit)
	}
}
