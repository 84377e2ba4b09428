package api

import (
	"strconv"
	"strings"

	"github.com/teammem/teammem/memory"
)

// What the members of the session write.
const (
	textA      = "---\nname: a\ndescription: how the tests get a database\ntype: project\n---\n\nRun make test.\n"
	textAEdit  = textA + "It takes a minute.\n"
	textAOther = textA + "It needs Postgres.\n"
	textB      = "always short\n"
)

// findingReport is what a client says of a text that it did not send.
const findingReport = `{"path":"a.md","rule":"generic-api-key","severity":"soft","rule_set":"marks-1","line":3,"column":5,` +
	`"fingerprint":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","excerpt":"the key is ********"}`

func sumOf(text string) string { return memory.Sum([]byte(text)).String() }

// push is the body of a push, with the ops as JSON.
func pushOf(key string, ops ...string) string {
	return `{"epoch":"epoch_1","device":"dev_1","key":"` + key + `","ops":[` + strings.Join(ops, ",") + `]}`
}

// putOf is an op that puts a text. The rest is what it goes by, as JSON.
func putOf(path, text, rest string) string {
	return `{"op":"put","path":"` + path + `",` + rest + `"sha256":"` + sumOf(text) + `","content":` + strconv.Quote(text) + `}`
}

// over is the base of an op.
func over(entry string, rev int, text string) string {
	return `"entry_id":"` + entry + `","base_rev":` + strconv.Itoa(rev) + `,"base_sha256":"` + sumOf(text) + `",`
}

func deleteOf(path, entry string, rev int, text string) string {
	return `{"op":"delete","path":"` + path + `",` + strings.TrimSuffix(over(entry, rev, text), ",") + `}`
}

// deletesOf deletes so many of the entries that step "many at once" made.
func deletesOf(n int) (ops []string) {
	for i := range n {
		ops = append(ops, deleteOf("many/"+strconv.Itoa(i)+".md", "ent_"+strconv.Itoa(4+i), 8+i, "many\n"))
	}
	return ops
}

func manyPuts(n int) (ops []string) {
	for i := range n {
		ops = append(ops, putOf("many/"+strconv.Itoa(i)+".md", "many\n", `"base_rev":0,`))
	}
	return ops
}

// session is what the members do, in order. What a step needs of the answer to
// one before has a name: see masks. New steps come last, so that those names stay.
func session() []step {
	const (
		prj  = base + "/projects/prj_1"
		push = "POST " + prj + "/push"
	)
	asOne := []string{"Teammem-Device", "dev_1"}
	return []step{
		{name: "it runs", line: "GET /healthz"},
		{name: "it serves", line: "GET /readyz"},
		{name: "the version", line: "GET /version"},
		{name: "the keys", line: "GET " + base + "/auth/jwks"},

		{name: "a new computer", line: "POST " + base + "/auth/token", body: `{"grant_type":"api_token","token":"tmp_1","device":{"name":"laptop","os":"linux"}}`},
		{name: "a refresh", headers: asOne, line: "POST " + base + "/auth/token", body: `{"grant_type":"refresh_token","refresh_token":"tmr_1","attempt":"attempt-attempt-1"}`},
		{name: "a computer of before", line: "POST " + base + "/auth/token", body: `{"grant_type":"api_token","token":"tmp_1","device_id":"dev_1"}`},
		{name: "no such token", line: "POST " + base + "/auth/token", body: `{"grant_type":"refresh_token","refresh_token":"none","attempt":"attempt-attempt-1"}`},
		{name: "no such grant", line: "POST " + base + "/auth/token", body: `{"grant_type":"password"}`},

		{name: "by API token", who: "mara", line: "GET " + base + "/me"},
		{name: "no token", who: "nobody", line: "GET " + base + "/me"},
		{name: "a computer by its name", who: "mara", line: "POST " + base + "/me/devices", body: `{"name":"desk","os":"linux"}`},
		{name: "one page", who: "mara", line: "GET " + base + "/me/devices", headers: asOne},
		{name: "the first of more", who: "mara", line: "GET " + base + "/me/devices?limit=1"},
		{name: "the next page", who: "mara", line: "GET " + base + "/me/devices?cursor=dev_2", headers: asOne},
		{name: "one of mine", who: "mara", line: "DELETE " + base + "/me/devices/dev_2"},
		{name: "no such computer", who: "mara", line: "DELETE " + base + "/me/devices/dev_none"},

		{name: "all", who: "mara", line: "GET " + base + "/projects"},
		{name: "by slug", who: "mara", line: "GET " + base + "/projects?slug=acme%2Fapp"},
		{name: "by remote", who: "mara", line: "GET " + base + "/projects?remote=https%3A%2F%2Fgithub.com%2Facme%2Fapp.git"},
		{name: "by its id", who: "mara", line: "GET " + prj},
		{name: "no such project", who: "mara", line: "GET " + base + "/projects/prj_none"},

		{name: "nothing yet", who: "mara", line: "GET " + prj + "/changes?content=inline", headers: asOne},
		{name: "published", who: "mara", line: push, headers: asOne, body: pushOf("push-1", putOf("a.md", textA, `"base_rev":0,"absent_at":"epoch_1:0",`), putOf("b.md", textB, `"base_rev":0,`))},
		{name: "published, sent again", who: "mara", line: push, headers: asOne, body: pushOf("push-1", putOf("a.md", textA, `"base_rev":0,"absent_at":"epoch_1:0",`), putOf("b.md", textB, `"base_rev":0,`))},
		{name: "same", who: "mara", line: push, headers: asOne, body: pushOf("push-2", putOf("a.md", textA, over("ent_1", 1, textA)))},
		{name: "what was published", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A0", headers: asOne},
		{name: "an edit where nothing is new", who: "mara", line: push, headers: append([]string{"If-Match", "{etag}"}, asOne...), body: pushOf("push-3", putOf("a.md", textAEdit, over("ent_1", 1, textA)))},
		{name: "a patient question", who: "mara", line: "GET " + prj + "/changes?limit=1&since=epoch_1%3A2&wait=25", headers: append([]string{"If-None-Match", "{etag}"}, asOne...)},
		{name: "conflict", who: "mara", line: push, headers: asOne, body: pushOf("push-4", putOf("a.md", textAOther, over("ent_1", 1, textA)))},
		{name: "superseded", who: "mara", line: push, headers: asOne, body: pushOf("push-5", putOf("a.md", textA, over("ent_1", 1, textB)))},
		{name: "a move and a delete", who: "mara", line: push, headers: asOne, body: pushOf("push-6", `{"op":"move","path":"moved.md","previous_path":"a.md",`+strings.TrimSuffix(over("ent_1", 3, textAEdit), ",")+`}`, deleteOf("b.md", "ent_2", 2, textB))},
		{name: "deleted", who: "mara", line: push, headers: asOne, body: pushOf("push-7", putOf("b.md", textB, `"base_rev":0,"absent_at":"epoch_1:0",`))},
		{name: "refused", who: "mara", line: push, headers: asOne, body: pushOf("push-8", putOf("key.md", "\n"+mark, `"base_rev":0,`), putOf("CON.md", textB, `"base_rev":0,`))},
		{name: "waiting", who: "mara", line: push, headers: asOne, body: pushOf("push-9", putOf("c.md", textB, `"base_rev":0,"review":true,`))},
		{name: "another push with a used key", who: "mara", line: push, headers: asOne, body: pushOf("push-9", putOf("d.md", textB, `"base_rev":0,`))},
		{name: "another history", who: "mara", line: push, headers: asOne, body: `{"epoch":"eother","device":"dev_1","key":"push-10","ops":[` + deleteOf("moved.md", "ent_1", 4, textAEdit) + `]}`},
		{name: "something is new", who: "mara", line: push, headers: append([]string{"If-Match", `"epoch_1:1:` + sumOf("") + `"`}, asOne...), body: pushOf("push-11", deleteOf("moved.md", "ent_1", 4, textAEdit))},
		{name: "no right", who: "viewer", line: push, body: `{"epoch":"epoch_1","ops":[` + deleteOf("moved.md", "ent_1", 4, textAEdit) + `]}`},
		{name: "no JSON", who: "mara", line: push, body: `{`},

		{name: "from its beginning", who: "mara", line: "GET " + prj + "/changes?content=inline", headers: asOne},
		{name: "nothing new", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A5", headers: append([]string{"If-None-Match", "{etag}"}, asOne...)},
		{name: "a page", who: "mara", line: "GET " + prj + "/changes?content=inline&limit=1&since=epoch_1%3A2", headers: asOne},
		{name: "another history", who: "mara", line: "GET " + prj + "/changes?content=inline&since=eother%3A2", headers: asOne},
		{name: "ahead", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A9", headers: asOne},
		{name: "forked", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A2", headers: append([]string{"If-None-Match", `"epoch_1:2:` + sumOf("") + `"`}, asOne...)},
		{sql: "update projects set floor_seq = 2 where project_id = 'prj_1'"},
		{name: "too old", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A1", headers: asOne},
		{sql: "update projects set floor_seq = 0 where project_id = 'prj_1'"},

		{name: "all entries", who: "mara", line: "GET " + prj + "/manifest", headers: asOne},
		{name: "nothing new", who: "mara", line: "GET " + prj + "/manifest", headers: []string{"If-None-Match", "{etag}"}},
		{name: "texts", who: "mara", line: "POST " + prj + "/contents", headers: asOne, body: `{"items":[{"entry_id":"ent_1","rev":1},{"entry_id":"ent_1","rev":9}]}`},

		{name: "a page", who: "mara", line: "GET " + prj + "/entries?kind=project&limit=1"},
		{name: "as JSON", who: "mara", line: "GET " + prj + "/entry?path=moved.md"},
		{name: "as it is", who: "mara", line: "GET " + prj + "/entry?path=moved.md", headers: []string{"Accept", "text/markdown"}},
		{name: "no such entry", who: "mara", line: "GET " + prj + "/entry?path=none.md"},
		{name: "a new one", who: "mara", line: "PUT " + prj + "/entry?path=d.md", headers: []string{"If-None-Match", "*"}, body: `{"content":"new\n","note":"why"}`},
		{name: "one that is there", who: "mara", line: "PUT " + prj + "/entry?path=d.md", headers: []string{"If-None-Match", "*"}, body: `{"content":"newer\n"}`},
		{name: "as it was seen", who: "mara", line: "DELETE " + prj + "/entry?path=d.md", headers: []string{"If-Match", `"6"`}},
		{name: "without a base", who: "mara", line: "DELETE " + prj + "/entry?path=moved.md"},

		{name: "a page", who: "mara", line: "GET " + prj + "/revisions?entry_id=ent_1", headers: asOne},
		{name: "the newest only", who: "mara", line: "GET " + prj + "/revisions?entry_id=ent_1&limit=1"},
		{name: "one version", who: "mara", line: "GET " + prj + "/revision?entry_id=ent_1&rev=1", headers: asOne},
		{name: "no such version", who: "mara", line: "GET " + prj + "/revision?entry_id=ent_1&rev=2"},

		{name: "many at once", who: "mara", line: push, headers: asOne, body: pushOf("push-12", manyPuts(8)...)},
		{name: "too many deletes", who: "mara", line: push, headers: asOne, body: pushOf("push-13", deletesOf(6)...)},
		{name: "deletes that a person said yes to", who: "mara", line: push, headers: asOne, body: strings.Replace(pushOf("push-14", deletesOf(6)...), `"ops"`, `"release":{"hold":"hold-1","deletes":6},"ops"`, 1)},
		{name: "an earlier version", who: "mara", line: "POST " + prj + "/restore", body: `{"entry_id":"ent_1","rev":1}`},
		{name: "what a push would get", who: "mara", line: "POST " + prj + "/check", body: `{"path":"e.md","content":"clean\n"}`},
		{name: "clean", who: "mara", line: "POST " + base + "/check", body: `{"path":"e.md","content":"clean\n"}`},
		{name: "not clean", who: "mara", line: "POST " + base + "/check", body: `{"path":"e.md","content":"` + mark + `"}`},

		{name: "my own", who: "mara", line: "GET " + prj + "/proposals?author=me&state=pending", headers: asOne},
		{name: "for its reviewer", who: "ruth", line: "GET " + prj + "/proposals/prp_1"},
		{name: "approved", who: "ruth", line: "POST " + prj + "/proposals/prp_1/decision", body: `{"action":"approve","sha256":"` + sumOf(textB) + `","base_rev":0}`},
		{name: "decided before", who: "ruth", line: "POST " + prj + "/proposals/prp_1/decision", body: `{"action":"approve","sha256":"` + sumOf(textB) + `","base_rev":0}`},
		{name: "waiting, too", who: "mara", line: push, headers: asOne, body: pushOf("push-15", putOf("f.md", textB, `"base_rev":0,"review":true,`))},
		{name: "taken back", who: "mara", line: "DELETE " + prj + "/proposals/prp_2", headers: asOne},

		{
			name: "a text that lost", who: "mara", line: "POST " + prj + "/conflicts", headers: asOne,
			body: `{"id":"cnf_1","path":"moved.md","entry_id":"ent_1","base_rev":1,"server_rev":4,"sha256":"` + sumOf(textAOther) + `","content":` + strconv.Quote(textAOther) + `,"device":"dev_1","kept_at":"` + past + `"}`,
		},
		{name: "my own", who: "mara", line: "GET " + prj + "/conflicts?author=me&state=open", headers: asOne},
		{name: "with its texts", who: "mara", line: "GET " + prj + "/conflicts/cnf_1", headers: asOne},
		{name: "no such conflict", who: "mara", line: "GET " + prj + "/conflicts/cnf_none", headers: asOne},
		{name: "in the tree", who: "mara", line: "POST " + prj + "/conflicts/cnf_1/resolve", headers: asOne, body: `{"how":"local"}`},

		{name: "where the projects stand", who: "mara", line: "GET " + base + "/events", headers: append([]string{"Accept", "text/event-stream"}, asOne...)},

		{name: "an entry", who: "max", line: "POST " + prj + "/quarantine", body: `{"entry_ids":["ent_1"],"reason":"it is wrong"}`},
		{name: "what a member wrote, only asked", who: "max", line: "POST " + prj + "/quarantine", body: `{"member":"mem_1","since":"` + past + `","dry_run":true}`},
		{name: "no right", who: "mara", line: "POST " + prj + "/quarantine", body: `{"entry_ids":["ent_1"]}`},
		{name: "taken back", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A22", headers: asOne},
		{name: "a page", who: "max", line: "GET " + prj + "/quarantine"},
		{name: "one", who: "max", line: "GET " + prj + "/quarantine/qua_1"},
		{name: "it was right", who: "max", line: "POST " + prj + "/quarantine/qua_1/release", body: `{"reason":"it was right"}`},
		{name: "one version", who: "mara", line: "POST " + prj + "/purge", body: `{"entry_id":"ent_1","rev":3,"reason":"a customer is named"}`},
		{name: "without a reason", who: "mara", line: "POST " + prj + "/purge", body: `{"entry_id":"ent_1"}`},
		{name: "another's, by API token", who: "max", line: "POST " + prj + "/purge", body: `{"entry_id":"ent_1","reason":"a customer is named"}`},
		{name: "removed for good", who: "mara", line: "GET " + prj + "/changes?content=inline&since=epoch_1%3A22", headers: asOne},

		{
			name: "what is wrong", who: "mara", line: "POST " + prj + "/report", headers: asOne,
			body: `{"device":"dev_1","tree":"0a1b2c3d","holds":[{"hold":"00112233aabbccdd","deletes":30,"direction":"incoming"},{"hold":"h2","changes":5,"direction":"outgoing"}],` +
				`"refused":[{"path":"a.md","code":"secret_found"},{"code":"path_rejected","layer":"reserved"}],"refused_total":70,` +
				`"blocked":[{"path":"b.md","kind":"symlink"}],"blocked_total":1,"conflicts":1,"waiting":2,"mode":"pull-only"}`,
		},
		{name: "all is well", who: "mara", line: "POST " + prj + "/report", headers: asOne, body: `{"device":"dev_1","tree":"0a1b2c3d","mode":"both-ways"}`},
		{name: "another's computer", who: "viewer", line: "POST " + prj + "/report", body: `{"device":"dev_1","mode":"both-ways"}`},
		{name: "no mode", who: "mara", line: "POST " + prj + "/report", body: `{"device":"dev_1"}`},

		{name: "refused here", who: "mara", line: "POST " + prj + "/findings", headers: asOne, body: findingReport},
		{name: "a secret in its place", who: "mara", line: "POST " + prj + "/findings", body: strings.Replace(findingReport, "generic-api-key", "Generic "+mark, 1)},
		{name: "my own", who: "mara", line: "GET " + prj + "/findings?author=me&state=open&limit=1"},
		{name: "one", who: "max", line: "GET " + prj + "/findings/fnd_1"},
		{name: "another's", who: "viewer", line: "GET " + prj + "/findings/fnd_1"},
		{sql: `update secret_findings set entry_id = 'ent_1', rev = 1, first_rev = 1, state = 'denied' where finding_id = 'fnd_1'`},
		{sql: `insert into device_cursors (project_id, device_id, epoch, seq, client, at) select project_id, 'dev_1', epoch, seq, '', created_at from projects where project_id = 'prj_1'
			on conflict (project_id, device_id) do update set seq = excluded.seq`},
		{name: "one that is stored", who: "mara", line: "GET " + prj + "/findings/fnd_1"},
		{name: "stored ones", who: "mara", line: "GET " + prj + "/findings?author=me&leaked=true"},
		{sql: `update secret_findings set entry_id = '', rev = 0, first_rev = 0, state = 'open' where finding_id = 'fnd_1'`},
		{name: "asked for", who: "mara", line: "POST " + prj + "/findings/fnd_1/allow", body: `{"action":"request","reason":"test-value","note":"of the tutorial"}`},
		{name: "by an older program", who: "max", line: "POST " + prj + "/findings/fnd_1/allow", body: `{"action":"approve","days":30}`},
		{name: "by API token", who: "max", line: "POST " + prj + "/findings/fnd_1/decision", body: `{"action":"approve","days":30}`},
		{name: "denied", who: "mia", line: "POST " + prj + "/findings/fnd_1/decision", body: `{"action":"deny","note":"it opens the demo"}`},
		{name: "one's own", who: "mara", line: "DELETE " + prj + "/findings/fnd_1"},
		{sql: `insert into allow_rules (project_id, allow_id, finding_id, fingerprint, rule, glob, reason, author, approved_by, at, expires_at)
			select f.project_id, 'alw_1', f.finding_id, f.fingerprint, f.rule, f.glob, f.reason, f.author, m.member_id, f.asked_at, f.asked_at + interval '30 days'
			from secret_findings f, (select min(member_id) as member_id from members where name = 'maintainer') as m`},
		{name: "in force", who: "mara", line: "GET " + prj + "/allow-rules"},
		{name: "one that is in force", who: "max", line: "DELETE " + prj + "/allow-rules/alw_1"},
		{name: "no such rule", who: "max", line: "DELETE " + prj + "/allow-rules/alw_1"},

		{name: "a computer", headers: asOne, line: "POST " + base + "/auth/revoke", body: `{"refresh_token":"tmr_3"}`},
		{name: "a computer that was ended", who: "nobody", line: "POST " + base + "/auth/token", body: `{"grant_type":"refresh_token","refresh_token":"tmr_3","attempt":"attempt-attempt-2"}`},
	}
}
