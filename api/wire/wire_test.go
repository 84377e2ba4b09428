package wire

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

func path(t *testing.T, key string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(key)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// screened makes content that passed a scanner which finds nothing.
func screened(t *testing.T, key, text string) memory.Clean {
	t.Helper()
	c, err := memory.Screen(t.Context(), nothingFound{}, path(t, key), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// over sends v through JSON into a new W.
func over[W any](t *testing.T, v W) W {
	t.Helper()
	body, err := Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	var w W
	if err := Decode(body, &w); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return w
}

func paths() cmp.Option { return cmp.Comparer(func(a, b memory.Path) bool { return a == b }) }

func at() time.Time { return time.Date(2026, 3, 1, 12, 30, 0, 123456000, time.UTC) }

func TestFeed_RoundTrip(t *testing.T) {
	t.Parallel()
	text := []byte("---\nname: x\n---\nbody\u2028\r\n")
	want := memory.FeedPage{
		Epoch: "e1", From: 100, To: 103, Head: 104, Floor: 7, Digest: memory.Digest(memory.Sum([]byte("d"))),
		Changes: []memory.Change{
			{
				Seq: 101, EntryID: "ent_a", Action: memory.ActionPut, Path: path(t, "testing/db.md"), Rev: 101, Sum: memory.Sum(text), Size: len(text),
				Kind: memory.KindFeedback, Content: text, Inline: true, At: at(), Author: memory.Author{Member: "mem_m", Name: "Mara"}, Device: "dev_d",
				Agent: memory.Agent{Name: "claude-code", Version: "2", Session: "s", Model: "m"},
			},
			{Seq: 102, EntryID: "ent_b", Action: memory.ActionMove, Path: path(t, "new.md"), Previous: path(t, "old.md"), Rev: 102, Sum: memory.Sum(nil), At: at()},
			{Seq: 103, EntryID: "ent_c", Action: memory.ActionDelete, Path: path(t, "gone.md"), Rev: 103, At: at()},
		},
	}
	got, refused, err := over(t, NewFeed(want)).Domain()
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	if d := cmp.Diff(want, got, paths()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// An empty text is inline content too, and not the same as no content.
func TestFeed_EmptyContent(t *testing.T) {
	t.Parallel()
	page := memory.FeedPage{Epoch: "e1", To: 1, Head: 1, Changes: []memory.Change{
		{Seq: 1, EntryID: "ent_a", Action: memory.ActionPut, Path: path(t, "a.md"), Rev: 1, Sum: memory.Sum(nil), Content: []byte{}, Inline: true},
	}}
	got, _, err := over(t, NewFeed(page)).Domain()
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Changes[0]; !c.Inline || c.Content == nil {
		t.Errorf("the empty content got lost: %+v", c)
	}
}

// A hostile server's bad changes are reported; the others arrive.
func TestFeed_RefusesSingleChanges(t *testing.T) {
	t.Parallel()
	good, bad := Text("good"), Text("bad")
	sum := memory.Sum(good).String()
	change := func(seq int64, key string, content *Text) Change {
		return Change{Seq: seq, EntryID: "ent_x", Op: "put", Path: key, Rev: seq, SHA256: sum, Content: content}
	}
	w := Feed{Epoch: "e1", To: 6, Head: 6, Digest: sum, Changes: []Change{
		change(1, "../up.md", &good), change(2, "a.md", &bad), change(3, "b.md", &good),
		{Seq: 4, EntryID: "ent_x", Op: "put", Path: "c.md", Rev: 4},
		{Seq: 5, EntryID: "ent_x", Op: "explode", Path: "c.md", Rev: 5, SHA256: sum},
		{Seq: 6, EntryID: "ent_x", Op: "move", Path: "c.md", PreviousPath: "/etc/x.md\x00", Rev: 6, SHA256: sum},
	}}
	page, refused, err := w.Domain()
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Changes) != 1 || page.Changes[0].Path.String() != "b.md" {
		t.Errorf("accepted %v", page.Changes)
	}
	var codes []string
	for _, r := range refused {
		codes = append(codes, r.Path+" "+string(r.Problem.Code)+" "+r.Problem.Field)
	}
	want := []string{
		"../up.md path_rejected path", "a.md invalid content", "c.md invalid sha256", "c.md invalid op", "c.md path_rejected previous_path",
	}
	if d := cmp.Diff(want, codes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestFeed_RefusesNonsense(t *testing.T) {
	t.Parallel()
	digest := memory.Digest{}.String()
	ok := Feed{Epoch: "e1", From: 1, To: 3, Head: 3, Digest: digest}
	for name, spoil := range map[string]func(*Feed){
		"no epoch":              func(f *Feed) { f.Epoch = "" },
		"no digest":             func(f *Feed) { f.Digest = "" },
		"backwards":             func(f *Feed) { f.To = 0 },
		"beyond the head":       func(f *Feed) { f.To = 4 },
		"more at the end":       func(f *Feed) { f.More = true },
		"no more in the middle": func(f *Feed) { f.Head = 5 },
		"change outside":        func(f *Feed) { f.Changes = []Change{{Seq: 1, EntryID: "e"}} },
		"change without entry":  func(f *Feed) { f.Changes = []Change{{Seq: 2}} },
		"changes out of order":  func(f *Feed) { f.Changes = []Change{{Seq: 3, EntryID: "e"}, {Seq: 2, EntryID: "e"}} },
	} {
		f := ok
		spoil(&f)
		if _, _, err := f.Domain(); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestManifest_RoundTrip(t *testing.T) {
	t.Parallel()
	var head memory.Head
	entries := []memory.Entry{
		{ID: "ent_a", Path: path(t, "a.md"), Rev: 4, Sum: memory.Sum([]byte("a")), Size: 1, Author: memory.Author{Member: "mem_a", Name: "Mara"}, UpdatedAt: at()},
		{ID: "ent_b", Path: path(t, "sub/b.md"), Rev: 9, Sum: memory.Sum([]byte("b")), Size: 1, Author: memory.Author{Member: "mem_a", Name: "Mara"}, UpdatedAt: at()},
	}
	for _, e := range entries {
		head.Digest.Add(e.Path, e.Sum)
	}
	head.Epoch, head.Seq = "e1", 9
	var buf bytes.Buffer
	purged := []memory.Hash{memory.Sum([]byte("p")), memory.Sum([]byte("q"))}
	if err := WriteManifest(&buf, head, entries, purged); err != nil {
		t.Fatal(err)
	}
	var w Manifest
	if err := Decode(buf.Bytes(), &w); err != nil {
		t.Fatal(err)
	}
	gotHead, got, refused, err := w.Domain()
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	if d := cmp.Diff(entries, got, paths()) + cmp.Diff(head, gotHead); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}

	if sums, err := w.Removed(); err != nil || !slices.Equal(sums, purged) {
		t.Errorf("purged: %v, %v", sums, err)
	}

	w.Entries[0].SHA256 = memory.Sum([]byte("other")).String()
	if _, _, _, err := w.Domain(); err == nil {
		t.Error("a manifest with a wrong digest was accepted")
	}
	w.Entries[0].Path = "../a.md"
	if _, got, refused, err := w.Domain(); err != nil || len(got) != 1 || len(refused) != 1 {
		t.Errorf("with a refused path: %v, %v, %v", got, refused, err)
	}
	for cut := range buf.Len() - 1 {
		var part Manifest
		if err := DecodeAnswer(buf.Bytes()[:cut], &part); err == nil {
			t.Fatalf("cut after %d bytes it still reads", cut)
		}
	}
	w.Count = nil
	if _, _, _, err := w.Domain(); err == nil {
		t.Error("a manifest without its end was accepted")
	}
}

func TestContents_RoundTrip(t *testing.T) {
	t.Parallel()
	want := memory.Contents{More: true, Items: []memory.ContentItem{
		{Ref: memory.RevisionRef{EntryID: "ent_a", Rev: 1}, Content: []byte("text\n"), Sum: memory.Sum([]byte("text\n"))},
		{Ref: memory.RevisionRef{EntryID: "ent_b", Rev: 2}, Content: []byte{}, Sum: memory.Sum(nil)},
		{Ref: memory.RevisionRef{EntryID: "ent_c", Rev: 3}, Problem: memory.NotFound("revision")},
	}}
	got := over(t, NewContents(want)).Domain()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	w := NewContents(want)
	*w.Items[0].Content = "changed"
	w.Items[1].Content = nil
	for i, item := range w.Domain().Items[:2] {
		if item.Problem == nil || item.Content != nil {
			t.Errorf("item %d was accepted: %+v", i, item)
		}
	}
}

func TestContentsRequest(t *testing.T) {
	t.Parallel()
	want := []memory.RevisionRef{{EntryID: "ent_a", Rev: 1}, {EntryID: "ent_b", Rev: 7}}
	got, err := over(t, NewContentsRequest(want)).Domain()
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []RevisionRef{{"", 1}, {"ent_a", 0}, {"ent_a", -1}, {"ent\x00", 1}, {"ent_" + strings.Repeat("e", 61), 1}, {"mem_a", 1}, {"ent_", 1}} {
		if _, err := (ContentsRequest{Items: []RevisionRef{bad}}).Domain(); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}

func TestPush_RoundTrip(t *testing.T) {
	t.Parallel()
	old := memory.Sum([]byte("old"))
	writes := []memory.Write{
		{Action: memory.ActionPut, Path: path(t, "a.md"), AbsentAt: memory.Cursor{Epoch: "e1", Seq: 97}, Content: screened(t, "a.md", "text\r\n\u2028")},
		{Action: memory.ActionPut, Path: path(t, "b.md"), EntryID: "ent_b", BaseRev: 88, BaseSum: old, Content: screened(t, "b.md", ""), AllowEmpty: true, Note: "two\nlines"},
		{Action: memory.ActionMove, Path: path(t, "d.md"), Previous: path(t, "c.md"), EntryID: "ent_c", BaseRev: 5, BaseSum: old},
		{Action: memory.ActionDelete, Path: path(t, "e.md"), EntryID: "ent_e", BaseRev: 6, BaseSum: old, Review: true},
	}
	agent := memory.Agent{Name: "claude-code", Version: "2", Session: "s", Model: "m"}
	w, err := NewPush("e1", "dev_d", "key", agent, writes)
	if err != nil {
		t.Fatal(err)
	}
	body := memory.Sum([]byte("body"))
	got, err := over(t, w).Domain(body)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("text\r\n\u2028")
	want := memory.Push{Epoch: "e1", Device: "dev_d", Key: "key", Body: body, Agent: agent, Ops: []memory.Op{
		{Action: memory.ActionPut, Path: "a.md", AbsentAt: memory.Cursor{Epoch: "e1", Seq: 97}, Content: text, Sum: memory.Sum(text)},
		{Action: memory.ActionPut, Path: "b.md", EntryID: "ent_b", BaseRev: 88, BaseSum: old, Content: []byte{}, Sum: memory.Sum(nil), AllowEmpty: true, Note: "two\nlines"},
		{Action: memory.ActionMove, Path: "d.md", Previous: "c.md", EntryID: "ent_c", BaseRev: 5, BaseSum: old},
		{Action: memory.ActionDelete, Path: "e.md", EntryID: "ent_e", BaseRev: 6, BaseSum: old, Review: true},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Anybody can write memory.Clean{}; nothing unscreened may leave the machine.
func TestNewPush_RefusesUnchecked(t *testing.T) {
	t.Parallel()
	for name, w := range map[string]memory.Write{
		"no path":          {Action: memory.ActionDelete},
		"no content":       {Action: memory.ActionPut, Path: path(t, "a.md")},
		"no previous path": {Action: memory.ActionMove, Path: path(t, "a.md")},
		"no action":        {Path: path(t, "a.md")},
	} {
		if _, err := NewPush("e1", "", "", memory.Agent{}, []memory.Write{w}); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestPush_Refuses(t *testing.T) {
	t.Parallel()
	const put = `{"op":"put","path":"a.md","base_rev":0,"content":"x"`
	tests := []struct{ name, body, field string }{
		{"no epoch", `{"ops":[]}`, "epoch"},
		{"epoch with a nul", `{"epoch":"e\u0000","ops":[]}`, "epoch"},
		{"long epoch", `{"epoch":"` + strings.Repeat("e", 33) + `","ops":[]}`, "epoch"},
		{"key with a nul", `{"epoch":"e","key":"\u0000","ops":[]}`, "key"},
		{"long key", `{"epoch":"e","key":"` + strings.Repeat("k", 101) + `","ops":[]}`, "key"},
		{"odd device", `{"epoch":"e","device":"dev'","ops":[]}`, "device"},
		{"agent with an escape", `{"epoch":"e","agent":{"session":"\u001b[0m"},"ops":[]}`, "agent.session"},
		{"no op", `{"epoch":"e","ops":[{"path":"a.md","base_rev":0,"content":"x"}]}`, "ops[0].op"},
		{"unknown op", `{"epoch":"e","ops":[{"op":"purge","path":"a.md","base_rev":0}]}`, "ops[0].op"},
		{"no path", `{"epoch":"e","ops":[{"op":"put","base_rev":0,"content":"x"}]}`, "ops[0].path"},
		{"no base", `{"epoch":"e","ops":[` + put + `},{"op":"put","path":"a.md","content":"x"}]}`, "ops[1].base_rev"},
		{"put without content", `{"epoch":"e","ops":[{"op":"put","path":"a.md","base_rev":0}]}`, "ops[0].content"},
		{"delete with content", `{"epoch":"e","ops":[{"op":"delete","path":"a.md","base_rev":1,"content":""}]}`, "ops[0].content"},
		{"move without previous path", `{"epoch":"e","ops":[{"op":"move","path":"a.md","base_rev":1}]}`, "ops[0].previous_path"},
		{"put with previous path", `{"epoch":"e","ops":[` + put + `,"previous_path":"b.md"}]}`, "ops[0].previous_path"},
		{"short hash", `{"epoch":"e","ops":[` + put + `,"sha256":"ab"}]}`, "ops[0].sha256"},
		{"hash that is none", `{"epoch":"e","ops":[` + put + `,"base_sha256":"` + strings.Repeat("x", 64) + `"}]}`, "ops[0].base_sha256"},
		{"odd cursor", `{"epoch":"e","ops":[` + put + `,"absent_at":"e1"}]}`, "ops[0].absent_at"},
		{"odd entry", `{"epoch":"e","ops":[` + put + `,"entry_id":"ent_\u0000"}]}`, "ops[0].entry_id"},
		{"note with a nul", `{"epoch":"e","ops":[` + put + `,"note":"\u0000"}]}`, "ops[0].note"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w Push
			if err := Decode([]byte(tt.body), &w); err != nil {
				t.Fatal(err)
			}
			_, err := w.Domain(memory.Hash{})
			if e := problemOf(err); e.Code != memory.CodeInvalid || e.Field != tt.field {
				t.Errorf("got %v about %q, want a refusal of %q", err, e.Field, tt.field)
			}
		})
	}
}

func TestReceipt_RoundTrip(t *testing.T) {
	t.Parallel()
	sum := memory.Sum([]byte("x"))
	want := memory.Receipt{Head: memory.Head{Epoch: "e1", Seq: 12, Digest: memory.Digest(sum)}, At: at(), Verdicts: []memory.Verdict{
		{Ruling: memory.RulingPublished, EntryID: "ent_a", Rev: 12, Sum: sum},
		{Ruling: memory.RulingConflict, EntryID: "ent_b", Current: &memory.Current{EntryID: "ent_b", Rev: 4, Sum: sum, Path: path(t, "b.md"), Action: memory.ActionDelete}},
		{Ruling: memory.RulingRefused, Problem: &memory.Error{Code: memory.CodeSuspectEmpty, Field: "content", Message: "empty"}},
	}}
	got, err := over(t, NewReceipt(want)).Domain(3)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, paths()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, err := NewReceipt(want).Domain(2); err == nil {
		t.Error("3 results were accepted for 2 ops")
	}

	w := NewReceipt(want)
	w.Results[1].Current.Path = "../b.md"
	got, err = w.Domain(3)
	if err != nil || got.Verdicts[1].Ruling != memory.RulingRefused || got.Verdicts[1].Current != nil {
		t.Errorf("a conflict at a refused path: %+v, %v", got.Verdicts[1], err)
	}
	w.Results[2].Problem = nil
	if _, err := w.Domain(3); err == nil {
		t.Error("a refusal without a problem was accepted")
	}
	w.Results[2].Verdict = "celebrated"
	if _, err := w.Domain(3); err == nil {
		t.Error("an unknown verdict was accepted")
	}
}

func TestEntry_RoundTrip(t *testing.T) {
	t.Parallel()
	text := []byte("text")
	want := memory.Entry{
		ID: "ent_a", Path: path(t, "a.md"), Kind: memory.KindUser, Name: "A", Description: "d", Rev: 3, Sum: memory.Sum(text), Size: 4,
		Author: memory.Author{Member: "mem_m", Name: "Mara"}, UpdatedAt: at(),
	}
	rev := memory.Revision{
		EntryID: "ent_a", Rev: 3, Action: memory.ActionPut, Path: want.Path, Content: text, Sum: want.Sum, Size: 4, BaseRev: 1,
		Author: want.Author, Device: "dev_d", Agent: memory.Agent{Name: "a"}, Note: "n", RuleSet: "r", At: at(),
	}
	w := over(t, NewEntryContent(want, rev))
	got, err := w.Domain()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, paths()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	gotRev, err := over(t, NewRevisionContent(rev)).Domain()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(rev, gotRev, paths()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	*w.Content = "other"
	if _, err := w.Domain(); err == nil {
		t.Error("content that is not the sha256's was accepted")
	}
}

func TestProject_RoundTrip(t *testing.T) {
	t.Parallel()
	want := memory.ProjectView{Role: memory.RoleReviewer, Project: memory.Project{
		ID: "prj_a", Slug: "acme/app", Remotes: []string{"github.com/acme/app"}, Review: memory.PresetOpen,
		Head: memory.Head{Epoch: "e1", Seq: 5, Floor: 1, Digest: memory.Digest(memory.Sum(nil))},
	}}
	got, err := over(t, NewProject(want)).Domain()
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	member := memory.Member{ID: "mem_m", Name: "Mara", Admin: true}
	who := memory.Principal{Member: "mem_m", Name: "Mara", Admin: true, Device: "dev_d", Project: "prj_a", Scopes: []memory.Scope{memory.ScopeRead}}
	gotMember, gotWho, err := over(t, NewMe(member, who)).Domain()
	if d := cmp.Diff(member, gotMember) + cmp.Diff(who, gotWho); err != nil || d != "" {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
}

type nothingFound struct{}

func (nothingFound) RuleSet() string { return "none" }

func (nothingFound) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }
