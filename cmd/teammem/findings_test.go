package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// A value that looks like a password is refused, another member allows it, and
// the author's next sync shares the file; with everybody on the way who may not.
func TestFindings_AllowedByAnother(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara := tm.join(t, "mara")
	mia := tm.join(t, "mia")
	tm.must(t, append(tm.admin, "role", "set", "--project", "acme/app", "--member", "mia", "--role", "maintainer")...)
	value := strings.Join([]string{"Xq7", "vR2m", "K9dL", "w4Tz"}, "")
	mara.write(t, "staging.md", "# Staging\n\nThe password of the demo page is password: "+value+" for everybody.\n")
	r := mara.sync(t, exitRefused)
	id := regexp.MustCompile(`fnd_[a-z2-7]{20}`).FindString(r.stderr)
	if id == "" || !strings.Contains(r.stderr, "teammem allow request "+id) {
		t.Fatalf("the refusal names no finding: %s", r.stderr)
	}
	if again := mara.sync(t, exitOK); !strings.Contains(again.stderr, "teammem allow request "+id) {
		t.Errorf("told again: %s", again.stderr)
	}
	if status := mara.run(t, "status", mara.work()); !strings.Contains(status.stdout+status.stderr, id) {
		t.Errorf("status: %s%s", status.stdout, status.stderr)
	}
	in := func(m *member, args ...string) []string { return append(args, "--folder", m.work()) }
	for _, tt := range []struct {
		who  *member
		code int
		args []string
	}{
		{mara, exitUsage, []string{"allow", "request", id, "--reason", "later"}},
		{mara, exitRefused, []string{"allow", "request", id, "--reason", "test-value", "--note", "it is password: " + value}},
		{mara, exitOK, []string{"allow", "request", id, "--reason", "test-value", "--note", "of the demo", "--paths", "staging*.md"}},
		{mia, exitUsage, []string{"allow", "approve", id}}, // a program decides on nothing
	} {
		if r := tt.who.run(t, in(tt.who, tt.args...)...); r.code != tt.code {
			t.Errorf("%v: exit %d, want %d: %s%s", tt.args, r.code, tt.code, r.stdout, r.stderr)
		} else if strings.Contains(r.stdout+r.stderr, value) {
			t.Errorf("%v repeats the value: %s%s", tt.args, r.stdout, r.stderr)
		}
	}
	asked := mara.must(t, in(mara, "findings")...)
	if !strings.Contains(asked, "another maintainer decides at "+tm.url+"/p/prj_") || !strings.Contains(asked, "/findings/"+id) {
		t.Errorf("it does not say where: %s", asked)
	}
	mara.requestStands(t, tm, id)
	person := tm.inPerson(t, "mia")
	if _, err := person.service.DecideAllow(t.Context(), person.who, person.project, memory.FindingID(id), memory.AllowAnswer{Approve: true, Glob: "staging*.md"}); err != nil {
		t.Fatal(err)
	}
	if r := mara.run(t, "status", mara.work()); !strings.Contains(r.stdout, "would send staging.md") || strings.Contains(r.stderr, id) {
		t.Errorf("status after the decision: %s%s", r.stdout, r.stderr)
	}
	if r := mara.sync(t, exitOK); !strings.Contains(r.stdout, "sent") {
		t.Errorf("after the decision: %s%s", r.stdout, r.stderr)
	}
	mia.sync(t, exitOK)
	if !strings.Contains(mia.read(t, "staging.md"), value) {
		t.Error("the file did not arrive")
	}
	mara.allowedEverywhere(t, "# Staging\n\nIts password: "+value+" is for everybody.\n")
	mia.importsAllowed(t, "# Staging\n\nAgain, password: "+value+" is for everybody.\n")
	var f struct {
		State, Excerpt string
		Request        struct {
			Note string `json:"note"`
		}
	}
	line := mara.must(t, in(mara, "findings", "--json", "--state", "completed")...)
	if err := json.Unmarshal([]byte(line), &f, json.MatchCaseInsensitiveNames(true)); err != nil || f.State != "completed" || f.Request.Note != "of the demo" ||
		!strings.Contains(f.Excerpt, "The password of the demo page") || strings.Contains(line, value) {
		t.Errorf("finding %s: %v", line, err)
	}
	rules := mara.must(t, in(mara, "allow", "list")...)
	rule := regexp.MustCompile(`alw_[a-z2-7]{20}`).FindString(rules)
	if !strings.Contains(rules, "staging*.md: test-value  asked by mara, approved by mia") {
		t.Errorf("rules: %s", rules)
	}
	if r := mara.run(t, in(mara, "allow", "revoke", rule)...); r.code != exitLogin {
		t.Errorf("a contributor revokes: exit %d", r.code)
	}
	mia.must(t, in(mia, "allow", "revoke", rule)...)
	mara.write(t, "staging.md", mara.read(t, "staging.md")+"\nIt is reset each night.\n")
	mara.sync(t, exitRefused)
	mara.must(t, in(mara, "findings", "resolve", id)...)
}

// requestStands has a member look how it stands with what they asked for: before a
// decision, after one against it, and once they asked anew.
func (m *member) requestStands(t *testing.T, tm *team, id string) {
	t.Helper()
	page := "/findings/" + id
	hears := func(words ...string) {
		t.Helper()
		for _, command := range []string{"status", "sync"} {
			r := m.run(t, command, m.work())
			tells(t, r.stderr, append(words, "finding "+id)...)
			if asked := strings.Contains(r.stderr, "you asked"); asked && strings.Contains(r.stderr, "allow request") {
				t.Errorf("%s tells how to ask for what is asked for: %s", command, r.stderr)
			}
		}
	}
	hears("you asked for it to be allowed; another maintainer decides, before ", page)
	if show := m.must(t, "findings", "show", id, "--folder", m.work()); strings.Count(show, page) != 1 {
		t.Errorf("its page is named %d times: %s", strings.Count(show, page), show)
	}
	mia := tm.inPerson(t, "mia")
	if _, err := mia.service.DecideAllow(t.Context(), mia.who, mia.project, memory.FindingID(id), memory.AllowAnswer{Note: "ask <ops> for it"}); err != nil {
		t.Fatal(err)
	}
	hears("mia did not allow it: ask ‹ops› for it; take it out and sync again, or say more and ask again: teammem allow request " + id)
	m.must(t, "allow", "request", id, "--reason", "test-value", "--note", "of the demo", "--paths", "staging*.md", "--folder", m.work())
	hears("you asked for it to be allowed")
}

// allowedEverywhere has the checks that ask no server let a text pass under the
// names that it is allowed for, and under no other.
func (m *member) allowedEverywhere(t *testing.T, text string) {
	t.Helper()
	for name, code := range map[string]int{"staging-check.md": exitOK, "other.md": exitRefused} {
		m.write(t, name, text)
		if r := m.run(t, "check", filepath.Join(m.tree(), name)); r.code != code {
			t.Errorf("check %s: exit %d: %s%s", name, r.code, r.stdout, r.stderr)
		}
		m.remove(t, name)
	}
	outside := filepath.Join(m.home, "staging-check.md")
	if err := os.WriteFile(outside, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := m.run(t, "check", outside); r.code != exitRefused {
		t.Errorf("check of a file that is in no tree: exit %d: %s", r.code, r.stdout)
	}
	for name, permission := range map[string]string{"staging-agent.md": "", "other.md": "deny"} {
		if before, _ := m.writes(t, "of "+name, name, text+name); before.Specific.Permission != permission {
			t.Errorf("an agent writes %s: %s", name, before.raw)
		}
		m.remove(t, name)
	}
}

// importsAllowed has a member take a text in that another has an exception for;
// nothing of that is known on their computer.
func (m *member) importsAllowed(t *testing.T, text string) {
	t.Helper()
	notes := filepath.Join(m.home, "notes")
	mkdir(t, notes)
	for _, name := range []string{"staging-import.md", "other.md"} {
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := m.runImport(t, "import", notes, "--yes")
	if r.code != exitRefused || r.results["staging-import.md"] != "published" || r.files["other.md"].Code != "secret_found" {
		t.Errorf("import: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
}

// The author of a text that newer rules take back is told in status, and in the
// session of an agent, until they have rotated the secret; with what to do and
// who has it, and never with the secret.
func TestFindings_TakenBack(t *testing.T) {
	t.Parallel()
	tm := newTeam(t)
	mara, ben := tm.join(t, "mara"), tm.join(t, "ben")
	token := credentials()["github"]
	person := tm.inPerson(t, "mara")
	tm.shareUnderOlderRules(t, person, "access.md", "# Access\n\nThe token is "+token+", ask first.\n")
	ben.sync(t, exitOK)
	mara.sync(t, exitOK)
	sql(t, tm.database, `insert into device_cursors (project_id, device_id, epoch, seq, client, at)
		select p.project_id, d.device_id, p.epoch, p.seq, '', now() from projects p, devices d
		on conflict (project_id, device_id) do update set seq = excluded.seq`) // as the server does every few seconds
	if status := mara.run(t, "status", mara.work()); strings.Contains(status.stderr, "taken back") {
		t.Errorf("told too early: %s", status.stderr)
	}
	if err := errors.Join(person.service.WantRescan(t.Context()), person.service.Rescan(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	mara.sync(t, exitOK)
	if _, err := os.Stat(filepath.Join(mara.tree(), "access.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	status := mara.run(t, "status", mara.work())
	id := regexp.MustCompile(`fnd_[a-z2-7]{20}`).FindString(status.stderr)
	tells(t, status.stderr, "taken back: access.md, revision 1: the rule github-pat found a secret at line 3", "rotate it: teammem findings show "+id)
	asJSON := mara.must(t, "status", "--json", mara.work())
	tells(t, asJSON, `{"type":"taken_back","finding":"`+id+`","path":"access.md","rule":"github-pat","hard":true,"state":"open"`, `"console":"`+tm.url+"/p/prj_")
	in := func(m *member, args ...string) []string { return append(args, "--folder", m.work()) }
	show := mara.must(t, in(mara, "findings", "show", id)...)
	tells(t, show, id, "access.md, line 3", "may have got it: ", "1 computer of ben", "2. end the old one: github.com", tm.url+"/p/prj_", "/findings/"+id)
	showJSON := mara.must(t, in(mara, "findings", "show", "--json", id)...)
	tells(t, showJSON, `"rev":1`, `"computers":1`, `"provider":"GitHub"`, `/findings/`+id+`"`)
	hook := mara.starts(t, "a session", "startup").Specific.Context
	tells(t, hook, "Taken back: the server found a secret in team/access.md (github-pat)", "teammem findings show "+id)
	for _, out := range []string{status.stdout + status.stderr, asJSON, show, showJSON, hook} {
		if strings.Contains(out, token) {
			t.Errorf("it repeats the secret: %s", out)
		}
	}
	mara.noteTakenBack(t, tm, person)
	if r := ben.run(t, in(ben, "findings", "show", id)...); r.code != exitUsage || strings.Contains(r.stdout, "github") {
		t.Errorf("somebody else's: exit %d, %s", r.code, r.stdout)
	}
	if status := ben.run(t, "status", ben.work()); strings.Contains(status.stderr, "taken back:") {
		t.Errorf("ben is told: %s", status.stderr)
	}
	mara.must(t, in(mara, "findings", "resolve", id)...)
	if status := mara.run(t, "status", mara.work()); strings.Contains(status.stdout+status.stderr, id) {
		t.Errorf("it is done: %s%s", status.stdout, status.stderr)
	}
}

// noteTakenBack has another round find a secret in the note of a change: its author
// is told where it stood, and that everybody could read it.
func (m *member) noteTakenBack(t *testing.T, tm *team, person reviewer) {
	t.Helper()
	token := credentials()["stripe"]
	sql(t, tm.database, `update revisions set note = 'by `+token+`' where rev = 1`)
	admin := memory.Principal{Admin: true, Scopes: []memory.Scope{memory.ScopeAdmin}}
	if err := errors.Join(person.service.ForceRescan(t.Context(), admin), person.service.Rescan(t.Context(), nil)); err != nil {
		t.Fatal(err)
	}
	status := m.run(t, "status", m.work())
	found := regexp.MustCompile(`taken back: the note of ent_\w+@1: the rule .*\n.*findings show (fnd_\w+)`).FindStringSubmatch(status.stderr)
	if found == nil {
		t.Fatalf("the note is not told of: %s", status.stderr)
	}
	show := m.must(t, "findings", "show", found[1], "--folder", m.work())
	tells(t, show, "was in the note of ent_", "everybody in the project could read it", "end the old one")
	if all := status.stderr + show + m.must(t, "status", "--json", m.work()); strings.Contains(all, token) {
		t.Errorf("it repeats the secret: %s", all)
	}
	m.must(t, "findings", "resolve", found[1], "--folder", m.work())
}

// shareUnderOlderRules publishes a text that an older server let pass.
func (tm *team) shareUnderOlderRules(t *testing.T, by reviewer, path, text string) {
	t.Helper()
	s, err := store.Open(t.Context(), tm.database, store.Options{MaxConns: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	older := memory.NewService(s, laxScanner{}, api.NewHub(), time.Now, memory.Limits{})
	p, err := older.Project(t.Context(), by.who, by.project)
	if err != nil {
		t.Fatal(err)
	}
	r, err := older.Push(t.Context(), by.who, by.project, memory.Push{
		Epoch: p.Head.Epoch, Ops: []memory.Op{{Action: memory.ActionPut, Path: path, Content: []byte(text)}},
	})
	if err != nil || r.Verdicts[0].Ruling != memory.RulingPublished {
		t.Fatalf("%+v, %v", r, err)
	}
}
