package store_test

import (
	"sync"
	"testing"

	"github.com/teammem/teammem/memory"
)

func TestAudit_Chains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rows, before, err := b.VerifyAudit(t.Context(), "")
	must(t, err)
	if rows != 3 { // member, device, project
		t.Errorf("%d rows, want 3", rows)
	}
	full := b.principal().Row(start(), "entry.put", "ent_x")
	full.Token, full.Decision, full.Rules = "tok_x", "refused", []string{"secret_found", `a "quoted" rule`, ""}
	full.Before, full.After = memory.Sum([]byte("1")), memory.Sum([]byte("2"))
	hostile := b.principal().Row(start(), "login", "")
	hostile.Client, hostile.Remote = "a\x00b\xff", "\xc3"
	must(t, b.Audit(t.Context(), full, hostile))
	must(t, b.Audit(t.Context()))
	rows, after, err := b.VerifyAudit(t.Context(), "")
	must(t, err)
	if rows != 5 || after == before {
		t.Errorf("%d rows, want 5", rows)
	}
}

func TestAudit_AtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 5 {
				if err := b.Audit(t.Context(), b.principal().Row(start(), "entry.put", "ent_x")); err != nil {
					t.Errorf("audit: %v", err)
				}
			}
		})
	}
	group.Wait()
	rows, _, err := b.VerifyAudit(t.Context(), "")
	must(t, err)
	if rows != 43 {
		t.Errorf("%d rows, want 43", rows)
	}
}

func TestVerifyAudit_FindsTampering(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.push(t, put(t, "a.md", "1"), put(t, "b.md", "2"), put(t, "c.md", "3"))
	_, untouched, err := b.VerifyAudit(t.Context(), b.project.ID)
	must(t, err)
	for _, tc := range []struct{ name, sql, want string }{
		{"edit", `update audit set actor = 'mem_other' where number = 2`, "row 2 of the audit is not as it was written"},
		{"edit of a hash", `update audit set hash = sha256('') where number = 3`, "row 3 of the audit is not as it was written"},
		{"delete", `delete from audit where number = 2`, "row 2 of the audit is missing"},
		{"delete the first", `delete from audit where number = 1`, "row 1 of the audit is missing"},
		{"reorder", `update audit set number = case number when 1 then 12 else 11 end where number < 3;
			update audit set number = number - 10 where number > 10`, "row 1 of the audit is not as it was written"},
		{"insert", `insert into audit (
				project_id, number, at, actor, token_id, device_id, remote, client, action, object, before_hash, after_hash, decision, rules, hash)
			select project_id, 4, at, actor, token_id, device_id, remote, client, action, object, before_hash, after_hash, decision, rules, hash
			from audit where number = 3 and project_id <> ''`, "row 4 of the audit is not as it was written"},
		{"cut the end off", `delete from audit where number = 3`, ""}, // shows only beside a kept head
	} {
		// One after the other: each spoils the table and puts it back.
		b.exec(t, `create table kept as table audit`)
		b.exec(t, tc.sql)
		_, last, err := b.VerifyAudit(t.Context(), b.project.ID)
		if got := message(err); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		if last == untouched {
			t.Errorf("%s: the chain still ends in the head of before", tc.name)
		}
		b.exec(t, `truncate audit; insert into audit table kept; drop table kept`)
	}
	b.check(t)
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheck_FindsFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 2 {
		b.push(t, put(t, "a"+memory.NewEpoch()+".md", "1"))
	}
	b.exec(t, `set session_replication_role = replica`)
	for _, tc := range []struct{ name, spoil, mend, want string }{
		{"seq", `update projects set seq = 3`, `update projects set seq = 2`, "the feed ends at 2, the project at 3"},
		{"hole", `update changes set seq = 7 where seq = 1`, `update changes set seq = 1 where seq = 7`, "the feed ends at 7, the project at 2"},
		{
			"gap", `update changes set seq = 3 where seq = 2; update projects set seq = 3`,
			`update changes set seq = 2 where seq = 3; update projects set seq = 2`, "the feed has 2 changes from 1 to 3",
		},
		{"live", `update projects set live = 1`, `update projects set live = 2`, "the project counts 1 live entries, there are 2"},
		{
			"digest", `update entries set path = 'z' || path`, `update entries set path = substr(path, 2)`,
			"the project's digest is not that of its entries",
		},
	} {
		b.exec(t, tc.spoil)
		if got := message(b.Check(t.Context(), b.project.ID)); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
		b.exec(t, tc.mend)
	}
	b.check(t)
	wantCode(t, b.Check(t.Context(), memory.NewProjectID()), memory.CodeNotFound)
}
