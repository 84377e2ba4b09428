package adopt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

func TestPlan_Verdicts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	write(t, d.team(""), map[string]string{"there.md": "same\n", "other.md": "theirs\n", "Case/kept.md": "kept\n", "copy.md": "a copy\n"})
	p := d.plan(t, map[string]string{
		"new.md": "new\n", "there.md": "same\n", "other.md": "mine\n", "notes.txt": "text\n", "a:b.md": "colon\n", "SHOUT.MD": "loud\n",
		"me.md": "---\ntype: user\n---\nI like tea\n", "USER.md": "me\n", "secret.md": "line\n" + mark + "\n", "latin.md": "caf\xe9\n",
		".hidden.md": "h\n", ".git/x.md": "g\n", "case/new.md": "twin of a folder\n", "dup-1.md": "twice\n", "dup-2.md": "twice\n",
		"Twin.md": "one\n", "twin.md": "two\n", "renamed.md": "a copy\n", "empty-1.md": "", "empty-2.md": "",
		"draft.sync-conflict-1.md": "d\n", "large.md": strings.Repeat("x", memory.MaxEntryBytes+1),
	}, adopt.PlanOptions{})
	want := map[string]adopt.Verdict{
		"new.md": adopt.New, "there.md": adopt.Same, "other.md": adopt.Differs, "notes.txt": adopt.Skipped, "a:b.md": adopt.Refused,
		"SHOUT.MD": adopt.Refused, "me.md": adopt.Skipped, "USER.md": adopt.Skipped, "secret.md": adopt.Refused, "latin.md": adopt.Refused,
		".hidden.md": adopt.Skipped, ".git": adopt.Skipped, "case/new.md": adopt.Refused, "dup-1.md": adopt.New, "dup-2.md": adopt.Skipped,
		"Twin.md": adopt.New, "twin.md": adopt.Skipped, "renamed.md": adopt.Skipped, "empty-1.md": adopt.New, "empty-2.md": adopt.New,
		"draft.sync-conflict-1.md": adopt.Skipped, "large.md": adopt.Refused,
	}
	if diff := cmp.Diff(want, verdicts(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for file, code := range map[string]memory.Code{
		"a:b.md": memory.CodePathRejected, "SHOUT.MD": memory.CodePathRejected, "case/new.md": memory.CodePathRejected,
		"secret.md": memory.CodeSecretFound, "latin.md": memory.CodeTextRejected, "large.md": memory.CodeTooLarge,
	} {
		if got := itemOf(t, p, file, 0).Problem.Code; got != code {
			t.Errorf("%s: refused as %s, want %s", file, got, code)
		}
	}
	for file, name := range map[string]string{"a:b.md": "a-b.md", "SHOUT.MD": "SHOUT.md", "case/new.md": "Case/new.md"} {
		if got := itemOf(t, p, file, 0).Suggested.String(); got != name {
			t.Errorf("%s: %q is suggested, want %q", file, got, name)
		}
	}
	if f := itemOf(t, p, "secret.md", 0).Problem.Findings; len(f) != 1 || f[0].Line != 2 {
		t.Errorf("findings: %v", f)
	}
	for _, i := range p.Items {
		if i.Verdict == adopt.Skipped && i.Reason == "" || i.Verdict == adopt.Refused && i.Problem == nil {
			t.Errorf("%s is %s without a reason", i.File, i.Verdict)
		}
	}
	if got := below(t, d.team("")); len(got) != 4 {
		t.Errorf("a plan changed the tree: %v", got)
	}
}

func TestPlan_Options(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a:b.md": "colon\n", "me.md": "---\ntype: user\n---\ntea\n", "USER.md": "me\n", "con.md": "device\n"}
	for _, tt := range []struct {
		name string
		o    adopt.PlanOptions
		want map[string]string // path, "" for none
	}{
		{"plain", adopt.PlanOptions{}, map[string]string{"a:b.md": "", "me.md": "", "USER.md": "", "con.md": ""}},
		{"prefix", adopt.PlanOptions{To: "old/"}, map[string]string{"a:b.md": "", "me.md": "", "USER.md": "", "con.md": ""}},
		{
			"rename",
			adopt.PlanOptions{Rename: true, To: "old"},
			map[string]string{"a:b.md": "old/a-b.md", "me.md": "", "USER.md": "", "con.md": "old/con-note.md"},
		},
		{"people", adopt.PlanOptions{IncludeUser: true}, map[string]string{"a:b.md": "", "me.md": "me.md", "USER.md": "USER.md", "con.md": ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			p := d.plan(t, files, tt.o)
			got := map[string]string{}
			for _, i := range p.Items {
				got[i.File] = ""
				if i.Verdict == adopt.New {
					got[i.File] = i.Path.String()
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			d.take(t, p)
			if again := d.plan(t, nil, tt.o); again.Takes() != 0 {
				t.Errorf("a second import would take %d files once more", again.Takes())
			}
		})
	}
	for _, o := range []adopt.PlanOptions{{To: "../out"}, {To: "/etc"}, {To: "a//b"}, {As: "../x.md"}, {As: "CLAUDE.md"}, {As: "x.txt"}} {
		d := newDesk(t)
		if _, err := d.Plan(t.Context(), d.notes(t, files), o); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%+v: got %v, want wrong usage", o, err)
		}
	}
}

func TestPlan_Layouts(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"MEMORY.md": "# Index\n", "SOUL.md": "soul\n", "memory/2026-01-01.md": "day\n", "memory/old/x.md": "old\n", "skills/s/SKILL.md": "s\n",
		"reviewer/MEMORY.md": "# Reviewer\n", "reviewer/a.md": "a\n",
	}
	for _, tt := range []struct {
		layout adopt.Layout
		want   map[string]string
	}{
		{adopt.LayoutOpenClaw, map[string]string{"MEMORY.md": "MEMORY.md", "memory/2026-01-01.md": "memory/2026-01-01.md", "memory/old/x.md": "memory/old/x.md"}},
		{adopt.LayoutAgents, map[string]string{
			"MEMORY.md": "agents/MEMORY.md", "SOUL.md": "agents/SOUL.md", "memory/2026-01-01.md": "agents/memory/2026-01-01.md",
			"memory/old/x.md": "agents/memory/old/x.md", "reviewer/MEMORY.md": "agents/reviewer/MEMORY.md", "reviewer/a.md": "agents/reviewer/a.md",
		}},
		{adopt.LayoutFolder, map[string]string{
			"MEMORY.md": "MEMORY.md", "SOUL.md": "SOUL.md", "memory/2026-01-01.md": "memory/2026-01-01.md",
			"memory/old/x.md": "memory/old/x.md", "reviewer/MEMORY.md": "reviewer/MEMORY.md", "reviewer/a.md": "reviewer/a.md",
		}},
	} {
		t.Run(string(tt.layout), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			s := d.notes(t, files)
			s.Layout = tt.layout
			p, err := d.Plan(t.Context(), s, adopt.PlanOptions{})
			must(t, err)
			got := map[string]string{}
			for _, i := range p.Items {
				if i.Verdict == adopt.New && i.Part == 0 {
					got[i.File] = i.Path.String()
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What entries say about themselves is read as tolerantly as everywhere else.
func TestPlan_ReadsFrontmatter(t *testing.T) {
	t.Parallel()
	const block = "---\nname: DB tests\ndescription: how tests get a database\nmetadata: \n  type: feedback\n---\n# Body\n"
	type said struct {
		Name, Description string
		Kind              memory.Kind
	}
	for _, tt := range []struct {
		name, text string
		want       said
	}{
		{"nested", block, said{"DB tests", "how tests get a database", memory.KindFeedback}},
		{"BOM", "\ufeff" + block, said{"DB tests", "how tests get a database", memory.KindFeedback}},
		{"CRLF", strings.ReplaceAll(block, "\n", "\r\n"), said{"DB tests", "how tests get a database", memory.KindFeedback}},
		{"malformed", "---\nname: x\ndescription: Rule: never push on Friday\ntype: reference\n---\n", said{"x", "Rule: never push on Friday", memory.KindReference}},
		{"absent", "# How to deploy\n\nText.\n", said{"note", "How to deploy", memory.KindProject}},
		{"never closed", "---\nname: x\n\n# Head\n", said{"note", "name: x", memory.KindProject}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newDesk(t).plan(t, map[string]string{"note.md": tt.text}, adopt.PlanOptions{})
			m := p.Items[0].Meta
			if diff := cmp.Diff(tt.want, said{m.Name, m.Description, m.Kind}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A preview changes nothing, and goes by what the next sync would bring.
func TestPlan_PreviewKnowsWhatArrives(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.report.Done = []client.Done{{Kind: msync.Download, Path: key(t, "a.md")}}
	p := d.plan(t, map[string]string{"a.md": "mine\n", "A.md": "mine, too\n", "b.md": "free\n"}, adopt.PlanOptions{Preview: true})
	want := map[string]adopt.Verdict{"a.md": adopt.Differs, "A.md": adopt.Refused, "b.md": adopt.New}
	if diff := cmp.Diff(want, verdicts(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is in the way in team/ is no free place, whatever it is.
func TestPlan_BlockedPlaces(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	must(t, os.Symlink(t.TempDir(), d.team("linked")))
	must(t, os.Symlink("/etc/passwd", d.team("entry.md")))
	mkdir(t, d.team("folder.md"))
	p := d.plan(t, map[string]string{"linked/a.md": "a\n", "entry.md": "b\n", "folder.md": "c\n"}, adopt.PlanOptions{})
	for _, i := range p.Items {
		if i.Verdict != adopt.Refused || i.Problem.Code != memory.Code(tree.KindClash) {
			t.Errorf("%s is %s: %v", i.File, i.Verdict, i.Problem)
		}
	}
}

func TestFindSource(t *testing.T) {
	t.Parallel()
	repo := t.TempDir()
	for _, dir := range []string{".claude/memory", ".claude/agent-memory/reviewer", "memory-bank", "ws/memory", "plain", "home/.openclaw/workspace"} {
		mkdir(t, filepath.Join(repo, dir))
	}
	write(t, repo, map[string]string{"ws/MEMORY.md": "x", "AGENTS.md": "x"})
	at := func(name string) string { return filepath.Join(repo, filepath.FromSlash(name)) }
	places := adopt.Places{Repository: repo, Getenv: func(name string) string { return map[string]string{"HOME": at("home")}[name] }}
	for _, tt := range []struct {
		name, dir string
		want      adopt.Source
	}{
		{"claude", "", adopt.Source{Layout: adopt.LayoutClaude, Dir: at(".claude/memory")}},
		{"agent-memory", "", adopt.Source{Layout: adopt.LayoutAgents, Dir: at(".claude/agent-memory")}},
		{"memory-bank", "", adopt.Source{Layout: adopt.LayoutBank, Dir: at("memory-bank")}},
		{"openclaw", "", adopt.Source{Layout: adopt.LayoutOpenClaw, Dir: at("home/.openclaw/workspace")}},
		{"openclaw", at("plain"), adopt.Source{Layout: adopt.LayoutOpenClaw, Dir: at("plain")}},
		{at(".claude/memory"), "", adopt.Source{Layout: adopt.LayoutClaude, Dir: at(".claude/memory")}},
		{at(".claude/agent-memory"), "", adopt.Source{Layout: adopt.LayoutAgents, Dir: at(".claude/agent-memory")}},
		{at("memory-bank"), "", adopt.Source{Layout: adopt.LayoutBank, Dir: at("memory-bank")}},
		{at("ws"), "", adopt.Source{Layout: adopt.LayoutOpenClaw, Dir: at("ws")}},
		{at("plain"), "", adopt.Source{Layout: adopt.LayoutFolder, Dir: at("plain")}},
		{at("AGENTS.md"), "", adopt.Source{Layout: adopt.LayoutFiles, Files: []string{at("AGENTS.md")}}},
	} {
		got, err := adopt.FindSource(tt.name, tt.dir, places)
		if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
			t.Errorf("%s %s: %v (-want +got):\n%s", tt.name, tt.dir, err, diff)
		}
	}
	for _, name := range []string{"", "codex", at("nowhere"), "folder"} {
		if _, err := adopt.FindSource(name, "", places); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%q: got %v, want wrong usage", name, err)
		}
	}
	if _, err := adopt.FindSource(at("plain"), at("ws"), places); memory.CodeOf(err) != memory.CodeInvalid {
		t.Errorf("two folders: got %v", err)
	}
}

func key(t testing.TB, s string) memory.Path {
	t.Helper()
	p, err := memory.ParsePath(s)
	must(t, err)
	return p
}
