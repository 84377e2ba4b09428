package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/memory"
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
		{mara, exitOK, []string{"allow", "request", id, "--reason", "test-value", "--note", "of the demo"}},
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
	person := tm.inPerson(t, "mia")
	if _, err := person.service.DecideAllow(t.Context(), person.who, person.project, memory.FindingID(id), memory.AllowAnswer{Approve: true}); err != nil {
		t.Fatal(err)
	}
	if r := mara.sync(t, exitOK); !strings.Contains(r.stdout, "sent") {
		t.Errorf("after the decision: %s%s", r.stdout, r.stderr)
	}
	mia.sync(t, exitOK)
	if !strings.Contains(mia.read(t, "staging.md"), value) {
		t.Error("the file did not arrive")
	}
	var f struct {
		State, Excerpt string
		Request        struct {
			Note string `json:"note"`
		}
	}
	line := mara.must(t, in(mara, "findings", "--json")...)
	if err := json.Unmarshal([]byte(line), &f, json.MatchCaseInsensitiveNames(true)); err != nil || f.State != "completed" || f.Request.Note != "of the demo" ||
		!strings.Contains(f.Excerpt, "The password of the demo page") || strings.Contains(line, value) {
		t.Errorf("finding %s: %v", line, err)
	}
	rules := mara.must(t, in(mara, "allow", "list")...)
	rule := regexp.MustCompile(`alw_[a-z2-7]{20}`).FindString(rules)
	if !strings.Contains(rules, "staging.md: test-value  asked by mara, approved by mia") {
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
