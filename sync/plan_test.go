package sync_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	var (
		seen      = memory.Cursor{Epoch: "e1", Seq: 9}
		keepBoth  = msync.Policy{KeepBoth: true}
		mergeText = msync.Policy{MergeText: true}
		pullOnly  = msync.Policy{PullOnly: true}
		pushOnly  = msync.Policy{PushOnly: true}
		put       = func(text string) msync.Ask { return msync.Ask{Action: memory.ActionPut, Sum: sum(text)} }
		move      = msync.Ask{Action: memory.ActionMove, Sum: sum("A")}
		del       = msync.Ask{Action: memory.ActionDelete}
		long      = strings.Repeat("x", 251) // leaves no room for -2
	)
	type known = map[string]msync.Known
	tests := []struct {
		name                string
		base, local, remote string
		policy              msync.Policy
		known               known
		absentAt            memory.Cursor
		dirs                map[string]string
		want                []string
	}{
		{name: "row 1: all the same", base: "e1 a.md A 1", local: "a.md A"},
		{name: "row 1: the server repeats the base", base: "e1 a.md A 1", local: "a.md A", remote: "e1 a.md A 1"},
		{
			name: "row 2: edited there", base: "e1 a.md A 1", local: "a.md A", remote: "e1 a.md B 2",
			want: []string{"2 download e1 a.md"},
		},
		{name: "row 3: edited here", base: "e1 a.md A 1", local: "a.md B", want: []string{"3 upload e1 a.md"}},
		{
			name: "row 3: edited here, there edited and taken back", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md A 3",
			want: []string{"3 upload e1 a.md"},
		},
		{
			name: "row 4: the same edit on both sides", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md B 2",
			want: []string{"4 adopt e1 a.md"},
		},
		{
			name: "row 4: only the rev is new", base: "e1 a.md A 1", local: "a.md A", remote: "e1 a.md A 3",
			want: []string{"4 adopt e1 a.md"},
		},
		{
			name: "row 5: edited on both sides", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md C 2",
			want: []string{"5 conflict e1 a.md"},
		},
		{
			name: "row 5: the local one is an earlier revision, later than the base", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md C 3",
			known: known{"a.md": {Superseded: sum("B")}}, want: []string{"5 download e1 a.md"},
		},
		{
			name: "row 5: where the policy merges", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md C 2", policy: mergeText,
			want: []string{"5 merge e1 a.md"},
		},
		{
			name: "row 5: index", base: "e1 MEMORY.md A 1", local: "MEMORY.md B", remote: "e1 MEMORY.md C 2",
			want: []string{"5 merge e1 MEMORY.md"},
		},
		{
			name: "row 5: index that may not be pushed", base: "e1 MEMORY.md A 1", local: "MEMORY.md B", remote: "e1 MEMORY.md C 2", policy: pullOnly,
			want: []string{"5 conflict e1 MEMORY.md"},
		},
		{name: "row 6: deleted here", base: "e1 a.md A 1", want: []string{"6 delete-remote e1 a.md"}},
		{
			name: "row 7: deleted there", base: "e1 a.md A 1", local: "a.md A", remote: "e1 a.md - 2",
			want: []string{"7 delete-local e1 a.md"},
		},
		{name: "row 8: deleted on both sides", base: "e1 a.md A 1", remote: "e1 a.md - 2", want: []string{"8 forget e1 a.md"}},
		{
			name: "row 9: deleted here, edited there", base: "e1 a.md A 1", remote: "e1 a.md B 2",
			want: []string{"9 download e1 a.md *"},
		},
		{
			name: "row 9: deleted here, renamed there", base: "e1 a.md A 1", remote: "e1 b.md A 2",
			want: []string{"9 download e1 b.md *"},
		},
		{
			name: "row 9: deleted here, renamed there to a name that is taken here", base: "e1 a.md A 1", local: "b.md B", remote: "e1 b.md A 2",
			want: []string{"13 conflict e1 b.md"},
		},
		{
			name: "row 10: edited here, deleted there", base: "e1 a.md A 1", local: "a.md B", remote: "e1 a.md - 2",
			want: []string{"10 create e1 a.md *"},
		},
		{
			name: "row 10: edited here, deleted there, and another entry has the name", base: "e1 a.md A 1", local: "a.md B",
			remote: "e1 a.md - 2, e2 a.md C 3", want: []string{"10 forget e1 a.md", "13 conflict e2 a.md"},
		},
		{name: "row 11: new here", local: "a.md A", want: []string{"11 create a.md"}},
		{name: "row 12: new there", remote: "e1 a.md A 1", want: []string{"12 download e1 a.md"}},
		{name: "row 12: new and already deleted there", remote: "e1 a.md - 1"},
		{
			name: "row 12: new there, the old entry of that name still to be deleted", base: "e1 a.md A 1", local: "a.md A",
			remote: "e1 a.md - 2, e2 a.md B 3", want: []string{"7 delete-local e1 a.md", "12 report e2 a.md later"},
		},
		{
			name: "row 12: new there, the old entry of that name moves away", base: "e1 a.md A 1", local: "a.md A",
			remote: "e1 b.md A 2, e2 a.md B 3", want: []string{"15 move-local e1 a.md>b.md", "12 download e2 a.md"},
		},
		{name: "row 13: both new, same text", local: "a.md A", remote: "e1 a.md A 1", want: []string{"13 adopt e1 a.md"}},
		{name: "row 13: both new", local: "a.md A", remote: "e1 a.md B 1", want: []string{"13 conflict e1 a.md"}},
		{
			name: "row 13: the local one is an earlier revision", local: "a.md A", remote: "e1 a.md B 2",
			known: known{"a.md": {Superseded: sum("A")}}, want: []string{"13 download e1 a.md"},
		},
		{name: "row 13: index", local: "MEMORY.md A", remote: "e1 MEMORY.md B 1", want: []string{"13 merge e1 MEMORY.md"}},
		{
			name: "row 13: both live", local: "a.md A, a-2.md C", remote: "e1 a.md B 1", policy: keepBoth, absentAt: seen,
			want: []string{"13 rename a.md>a-3.md *", "11 create a-2.md", "13 report e1 a.md later"},
		},
		{
			name: "row 13: a new index cannot tell that both are new", local: "a.md A", remote: "e1 a.md B 1", policy: keepBoth,
			want: []string{"13 conflict e1 a.md"},
		},
		{
			name: "row 13: nor can one that always saw the file", local: "a.md A", remote: "e1 a.md B 1", policy: keepBoth, absentAt: seen,
			known: known{"a.md": {}}, want: []string{"13 conflict e1 a.md"},
		},
		{
			name: "row 14: renamed here", base: "e1 a.md A 1", local: "b.md A",
			want: []string{"14 move-remote e1 a.md>b.md"},
		},
		{
			name: "row 14: renamed here, edited there", base: "e1 a.md A 1", local: "b.md A", remote: "e1 a.md B 2",
			want: []string{"14 move-remote e1 a.md>b.md"},
		},
		{
			name: "row 14: renamed here, deleted there", base: "e1 a.md A 1", local: "b.md A", remote: "e1 a.md - 2",
			want: []string{"14 forget e1 a.md", "14 create b.md *"},
		},
		{
			name: "row 14: renamed and edited here is a delete and a new file", base: "e1 a.md A 1", local: "b.md B",
			want: []string{"11 create b.md", "6 delete-remote e1 a.md"},
		},
		{
			name: "row 14: renamed and edited here, edited there", base: "e1 a.md A 1", local: "b.md B", remote: "e1 a.md C 2",
			want: []string{"9 download e1 a.md *", "11 create b.md"},
		},
		{
			name: "row 14: of several candidates the one with the same base name", base: "e1 x/a.md A 1", local: "b.md A, y/a.md A, z.md A",
			want: []string{"14 move-remote e1 x/a.md>y/a.md", "11 create b.md", "11 create z.md"},
		},
		{
			name: "row 14: else in byte order", base: "e1 x/a.md A 1", local: "z.md A, b.md A",
			want: []string{"14 move-remote e1 x/a.md>b.md", "11 create z.md"},
		},
		{
			name: "row 14: two entries with one text", base: "e1 x/a.md A 1, e2 x/b.md A 1", local: "y/a.md A, y/b.md A",
			want: []string{"14 move-remote e1 x/a.md>y/a.md", "14 move-remote e2 x/b.md>y/b.md"},
		},
		{
			name: "row 14: more entries than files", base: "e1 a.md A 1, e2 b.md A 1", local: "c.md A",
			want: []string{"14 move-remote e1 a.md>c.md", "6 delete-remote e2 b.md"},
		},
		{
			name: "row 14: a chain", base: "e1 a.md A 1, e2 b.md B 1", local: "b.md A, c.md B",
			want: []string{"14 move-remote e2 b.md>c.md", "14 move-remote e1 a.md>b.md"},
		},
		{
			name: "row 14: a swap", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md B, b.md A",
			want: []string{"14 move-remote e1 a.md>b.md", "14 move-remote e2 b.md>a.md"},
		},
		{
			name: "row 14: a copy of a file that was then edited is none", base: "e1 a.md A 1", local: "a.md B, copy.md A",
			want: []string{"3 upload e1 a.md", "11 create copy.md"},
		},
		{
			name: "row 14: nor is one file over another", base: "e1 a.md A 1, e2 b.md B 1", local: "b.md A",
			want: []string{"3 upload e2 b.md", "6 delete-remote e1 a.md"},
		},
		{
			name: "row 14: a copy over another file", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md A",
			want: []string{"3 upload e2 b.md"},
		},
		{
			name: "row 14: the new name is taken there", base: "e1 a.md A 1", local: "b.md A", remote: "e2 b.md B 2",
			want: []string{"14 move-local e1 b.md>a.md *", "12 download e2 b.md"},
		},
		{
			name: "row 14: a chain whose last name is taken there", base: "e1 a.md A 1, e2 b.md B 1", local: "b.md A, c.md B", remote: "e3 c.md C 2",
			want: []string{"14 move-local e1 b.md>a.md *", "14 move-local e2 c.md>b.md *", "12 download e3 c.md"},
		},
		{
			name: "row 14: the name that a waiting rename will free", base: "e1 a.md A 1, e2 b.md B 1", local: "b.md A, c.md B",
			known: known{"c.md": {Waiting: msync.Ask{Action: memory.ActionMove, Sum: sum("B")}}},
			want:  []string{"14 report e1 b.md later", "17 report e2 c.md waiting"},
		},
		{
			name: "row 14: declined", base: "e1 a.md A 1", local: "b.md A", known: known{"b.md": {Declined: true}},
			want: []string{"14 move-local e1 b.md>a.md *"},
		},
		{
			name: "row 14: declined, renamed or edited there", base: "e1 a.md A 1, e2 b.md B 1", local: "x.md A, y.md B",
			remote: "e1 c.md A 2, e2 b.md C 2", known: known{"x.md": {Declined: true}, "y.md": {Declined: true}},
			want: []string{"14 move-local e2 y.md>b.md *", "15 move-local e1 x.md>c.md *"},
		},
		{
			name: "row 14: the name that a declined rename keeps", base: "e1 a.md A 1, e2 b.md B 1", local: "b.md A, c.md B",
			known: known{"c.md": {Declined: true}},
			want:  []string{"14 move-local e1 b.md>a.md *", "14 move-local e2 c.md>b.md *"},
		},
		{
			name: "row 15: renamed there", base: "e1 a.md A 1", local: "a.md A", remote: "e1 b.md A 2",
			want: []string{"15 move-local e1 a.md>b.md"},
		},
		{
			name: "row 15: renamed there, edited here", base: "e1 a.md A 1", local: "a.md B", remote: "e1 b.md C 2",
			want: []string{"15 move-local e1 a.md>b.md"},
		},
		{
			name: "row 15: renamed to one name on both sides", base: "e1 a.md A 1", local: "b.md A, a-copy.md A", remote: "e1 b.md A 2",
			want: []string{"4 adopt e1 b.md", "11 create a-copy.md"},
		},
		{
			name: "row 15: and edited there", base: "e1 a.md A 1", local: "b.md A", remote: "e1 b.md B 2",
			want: []string{"2 download e1 b.md"},
		},
		{
			name: "row 15: renamed to two names", base: "e1 a.md A 1", local: "b.md A", remote: "e1 c.md A 2",
			want: []string{"15 move-local e1 b.md>c.md *"},
		},
		{
			name: "row 15: the new name is taken here", base: "e1 a.md A 1", local: "a.md A, b.md B", remote: "e1 b.md A 2",
			want: []string{"15 report e1 b.md clash"},
		},
		{
			name: "row 15: where both may live", base: "e1 a.md A 1", local: "a.md A, b.md B", remote: "e1 b.md A 2", policy: keepBoth,
			want: []string{"15 rename b.md>b-2.md *", "15 report e1 b.md later"},
		},
		{
			name: "row 15: where there is no other name", base: "e1 a.md A 1", local: "a.md A, " + long + ".md B", remote: "e1 " + long + ".md A 2", policy: keepBoth,
			want: []string{"15 report e1 " + long + ".md clash"},
		},
		{
			name: "row 15: the new name is still to be deleted here", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md B",
			remote: "e1 b.md A 3, e2 b.md - 2", want: []string{"7 delete-local e2 b.md", "15 report e1 b.md later"},
		},
		{
			name: "row 15: the new name was deleted there and edited here", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md C",
			remote: "e1 b.md A 3, e2 b.md - 2", want: []string{"10 forget e2 b.md", "15 report e1 b.md clash"},
		},
		{
			name: "row 15: a chain", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md B", remote: "e1 b.md A 3, e2 c.md B 2",
			want: []string{"15 move-local e2 b.md>c.md", "15 move-local e1 a.md>b.md"},
		},
		{
			name: "row 15: a swap goes over a free name", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md B", remote: "e1 b.md A 2, e2 a.md B 3",
			want: []string{"15 move-local e1 a.md>b-2.md", "15 move-local e2 b.md>a.md"},
		},
		{
			name: "row 15: and comes home", base: "e1 b-2.md A 1, e2 a.md B 3", local: "b-2.md A, a.md B", remote: "e1 b.md A 2",
			want: []string{"15 move-local e1 b-2.md>b.md"},
		},
		{
			name: "row 15: a swap without a free name", base: "e1 a.md A 1, e2 " + long + ".md B 1", local: "a.md A, " + long + ".md B",
			remote: "e1 " + long + ".md A 2, e2 a.md B 3",
			want:   []string{"15 report e2 a.md clash", "15 report e1 " + long + ".md clash"},
		},
		{name: "row 16: line ends", base: "e1 a.md A 1", local: "a.md A^", want: []string{"16 report e1 a.md line-ends"}},
		{
			name: "row 16: line ends, edited there", base: "e1 a.md A 1", local: "a.md A^", remote: "e1 a.md B 2",
			want: []string{"2 download e1 a.md"},
		},
		{
			name: "row 16: line ends, the rev is new", base: "e1 a.md A 1", local: "a.md A^", remote: "e1 a.md A 2",
			want: []string{"16 adopt e1 a.md"},
		},
		{
			name: "row 16: line ends, deleted there", base: "e1 a.md A 1", local: "a.md A^", remote: "e1 a.md - 2",
			want: []string{"7 delete-local e1 a.md"},
		},
		{
			name: "row 17: edit waits", base: "e1 a.md A 1", local: "a.md B", known: known{"a.md": {Waiting: put("B")}},
			want: []string{"17 report e1 a.md waiting"},
		},
		{
			name: "row 17: edited again", base: "e1 a.md A 1", local: "a.md C", known: known{"a.md": {Waiting: put("B")}},
			want: []string{"3 upload e1 a.md"},
		},
		{
			name: "row 17: edit refused", base: "e1 a.md A 1", local: "a.md B", known: known{"a.md": {Refused: put("B"), RuleSet: "r1"}},
			want: []string{"17 report e1 a.md refused"},
		},
		{
			name: "row 17: edit refused under other rules", base: "e1 a.md A 1", local: "a.md B", known: known{"a.md": {Refused: put("B"), RuleSet: "r0"}},
			want: []string{"3 upload e1 a.md"},
		},
		{
			name: "row 17: new file waits", local: "a.md A", known: known{"a.md": {Waiting: put("A")}},
			want: []string{"17 report a.md waiting"},
		},
		{
			name: "row 17: delete waits", base: "e1 a.md A 1", known: known{"a.md": {Waiting: del}},
			want: []string{"17 report e1 a.md waiting"},
		},
		{
			name: "row 17: rename waits", base: "e1 a.md A 1", local: "b.md A", known: known{"b.md": {Waiting: move}},
			want: []string{"17 report e1 b.md waiting"},
		},
		{
			name: "row 17: rename waits, edited there", base: "e1 a.md A 1", local: "b.md A", remote: "e1 a.md B 2",
			known: known{"b.md": {Waiting: move}}, want: []string{"2 download e1 b.md"},
		},
		{
			name: "row 18: blocked file", base: "e1 a.md A 1", local: "a.md !unreadable", remote: "e1 a.md - 2",
			want: []string{"18 report e1 a.md blocked"},
		},
		{name: "row 18: blocked new file", local: "a.md !secret_found", want: []string{"18 report a.md blocked"}},
		{
			name: "row 18: both new, the local one blocked", local: "a.md !symlink", remote: "e1 a.md A 1",
			want: []string{"18 report e1 a.md blocked"},
		},
		{
			name: "row 18: blocked folder", base: "e1 x/y/a.md A 1, e2 z.md A 1", remote: "e3 x/b.md A 2", local: "x/c.md C, z.md A",
			dirs: map[string]string{"x": "symlink"},
			want: []string{"18 report e3 x/b.md blocked", "18 report x/c.md blocked", "18 report e1 x/y/a.md blocked"},
		},
		{
			name: "row 18: blocked tree", base: "e1 x/a.md A 1", dirs: map[string]string{"": "unreadable"},
			want: []string{"18 report e1 x/a.md blocked"},
		},
		{
			name: "row 18: renamed to a blocked name there", base: "e1 a.md A 1", local: "a.md A, b.md !symlink", remote: "e1 b.md A 2",
			want: []string{"18 report e1 b.md blocked"},
		},
		{
			name: "row 18: a blocked file is no rename", base: "e1 a.md A 1", local: "a.md !held, b.md A",
			want: []string{"11 create b.md", "18 report e1 a.md blocked"},
		},
		{
			name: "row 18: renamed to a blocked name there, and another entry has the old one", base: "e1 a.md A 1", local: "a.md B",
			remote: "e1 x/a.md A 2, e2 a.md C 3", dirs: map[string]string{"x": "ignored"},
			want: []string{"12 report e2 a.md clash", "18 report e1 x/a.md blocked"},
		},
		{
			name: "row 18: and so on", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md B",
			remote: "e1 x/a.md A 2, e2 a.md B 3, e3 b.md C 4", dirs: map[string]string{"x": "ignored"},
			want: []string{"15 report e2 a.md clash", "12 report e3 b.md clash", "18 report e1 x/a.md blocked"},
		},
		{
			name: "row 18: a new file has the name that a blocked entry got there", base: "e1 x/a.md A 1", local: "b.md B",
			remote: "e1 b.md A 2", dirs: map[string]string{"x": "ignored"},
			want: []string{"11 report b.md clash", "18 report e1 x/a.md blocked"},
		},
		{
			name: "push only: the name is held by what is not touched", base: "e1 a.md A 1, e2 b.md B 1", local: "a.md A, b.md B, c.md C",
			remote: "e1 - - 2, e3 a.md D 3, e4 c.md E 4", policy: msync.Policy{PushOnly: true, KeepBoth: true}, absentAt: seen,
			want: []string{"7 report e1 a.md skipped", "12 report e3 a.md skipped", "13 report c.md>c-2.md skipped", "13 report e4 c.md skipped"},
		},
		{
			name: "pull only", base: "e1 a.md A 1, e2 b.md B 1, e3 c.md C 1", local: "a.md X, b.md B, d.md D", remote: "e2 b.md Y 2", policy: pullOnly,
			want: []string{"2 download e2 b.md", "3 report e1 a.md skipped", "6 report e3 c.md skipped", "11 report d.md skipped"},
		},
		{
			name: "push only", base: "e1 a.md A 1, e2 b.md B 1, e3 c.md C 1", local: "a.md X, b.md B, c.md C", remote: "e2 b.md Y 2, e3 c.md - 3", policy: pushOnly,
			want: []string{"3 upload e1 a.md", "2 report e2 b.md skipped", "7 report e3 c.md skipped"},
		},
		{
			name:   "order: moves, downloads, uploads, merges, deletes, then by path",
			base:   "e1 a.md A 1, e2 b.md B 1, e3 c.md C 1, e4 d.md D 1, e5 e.md E 1",
			local:  "a.md A, b.md B, c.md X, d.md X, y.md Y",
			remote: "e1 a.md - 2, e2 z.md B 3, e4 d.md Z 4, e6 k.md K 5, e7 j.md J 6",
			want: []string{
				"15 move-local e2 b.md>z.md", "12 download e7 j.md", "12 download e6 k.md", "3 upload e3 c.md", "11 create y.md",
				"5 conflict e4 d.md", "7 delete-local e1 a.md", "6 delete-remote e5 e.md",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := msync.Input{
				Base: baseOf(t, tt.base), Local: localOf(t, tt.local), Remote: remoteOf(t, tt.remote),
				Known: map[memory.Path]msync.Known{}, BlockedDirs: tt.dirs, AbsentAt: tt.absentAt, RuleSet: "r1", Policy: tt.policy,
			}
			for path, k := range tt.known {
				in.Known[key(path)] = k
			}
			if diff := cmp.Diff(append([]string{}, tt.want...), render(msync.Plan(in))); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

// An op carries all that its execution has to compare with.
func TestPlan_Expectations(t *testing.T) {
	t.Parallel()
	in := msync.Input{
		Base:     baseOf(t, "e1 a.md A 1, e2 b.md B 1"),
		Local:    localOf(t, "a.md X, new.md N"),
		Remote:   remoteOf(t, "e1 a.md A 3"),
		AbsentAt: memory.Cursor{Epoch: "e1", Seq: 5},
	}
	want := []msync.Op{
		{
			Kind: msync.Upload, Row: 3, Entry: "e1", Path: key("a.md"),
			Base: in.Base[0], Local: in.Local[key("a.md")], Remote: in.Remote[0],
		},
		{
			Kind: msync.Create, Row: 11, Path: key("new.md"), Local: in.Local[key("new.md")], AbsentAt: in.AbsentAt,
		},
		{
			Kind: msync.DeleteRemote, Row: 6, Entry: "e2", Path: key("b.md"), Base: in.Base[1],
			Remote: msync.Remote{EntryID: "e2", Path: key("b.md"), Rev: 1, Sum: sum("B")},
		},
	}
	if diff := cmp.Diff(want, msync.Plan(in), cmp.AllowUnexported(memory.Path{})); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}
