package hook

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

const fine = "---\nname: x\ndescription: d\n---\nText.\n"

// denied checks that a write is refused for a reason, which does not quote.
func (m *member) denied(r reply, wants ...string) {
	m.Helper()
	if r.Specific.Event != PreToolUse || r.Specific.Permission != "deny" || r.Decision != "" {
		m.Errorf("got %s, want a denial", r.raw)
	}
	for _, want := range wants {
		if !strings.Contains(r.Specific.Reason, want) {
			m.Errorf("the reason %q does not say %q", r.Specific.Reason, want)
		}
	}
}

func (m *member) allowed(r reply) {
	m.Helper()
	if r.raw != "" {
		m.Errorf("got %s, want nothing", r.raw)
	}
}

// What would be refused later is refused before it is on disk: without a
// server, and without a login.
func TestGuard_Texts(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.must(os.Remove(filepath.Join(m.dirs.Config, "credentials.json")))
	file := m.team("notes", "access.md")
	m.allowed(m.put(file, fine))
	secret := token()
	r := m.put(file, "# Access\n\nThe token is "+secret+".\n")
	m.denied(r, "team/notes/access.md", "line 3", "looks like it holds a secret", "What helps: ")
	if strings.Contains(r.raw, secret) || strings.Contains(r.raw, secret[8:20]) {
		t.Error("the denial quotes the secret")
	}
	m.denied(m.put(file, strings.Repeat("0123456789abcde\n", 16<<10+1)), "more than 262144 bytes", "split it")
	m.denied(m.put(file, "a\x00b"), "team/notes/access.md")
	if f := m.failures(); f != nil {
		t.Errorf("noted %q", f)
	}
}

// Of an edit, the text that it makes counts.
func TestGuard_Edits(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	file, secret := m.team("a.md"), token()
	edit := func(old, with string, all bool) reply {
		return m.tool(PreToolUse, "Edit", map[string]any{"file_path": file, "old_string": old, "new_string": with, "replace_all": all})
	}
	m.allowed(edit("", fine, false)) // makes the file
	m.denied(edit("", "token: "+secret+"\n", false), "line 1")
	m.write(file, "one\r\nsee "+secret[:10]+"HERE\r\nlast HERE\r\n")
	m.allowed(edit("one", "two", false))
	m.denied(edit("HERE", secret[10:], false), "line 2")
	m.denied(edit("one\nsee "+secret[:10]+"HERE", secret, false), "line 1") // seen with other line ends
	m.denied(edit("not there", "token: "+secret, false), "line 1")
	m.write(file, "A\nA "+secret[:4]+"A\n")
	m.denied(edit("A", secret[4:], true), "secret")
	m.write(file, "token: "+secret+"\n")
	m.allowed(edit(secret, "(ask Ben)", false)) // takes it out
	m.write(file, strings.Repeat("x", memory.MaxEntryBytes+1))
	m.allowed(edit("x", "y", false)) // the engine tells
	if f := m.failures(); f != nil {
		t.Errorf("noted %q", f)
	}
}

// Names that would not be shared are refused, whatever is in the file.
func TestGuard_Names(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	for name, want := range map[string]string{
		"notes.txt":            "only Markdown files",
		"notes":                "only Markdown files",
		"NOTES.MD":             "only Markdown files",
		".teammem":             "only Markdown files",
		".hidden.md":           "start with a dot",
		"logs/.x/a.md":         "start with a dot",
		"a.md~":                "only Markdown files",
		"CON.md":               "(reserved",
		"a b./c.md":            "at byte",
		"a\u202eb.md":          "at byte",
		"CLAUDE.md":            "at byte",
		"a%2fb.md":             "at byte",
		"x<script>.md":         "at byte",
		"1/2/3/4/5/6/7/8/9.md": "at byte",
	} {
		if runtime.GOOS == "windows" && strings.ContainsAny(name, "<>") {
			continue
		}
		m.denied(m.put(m.team(filepath.FromSlash(name)), fine), "team/", want)
	}
	secret := token()
	r := m.put(m.team("t-"+secret+".md"), fine)
	m.denied(r, "This file", "secret")
	if strings.Contains(r.raw, secret) {
		t.Error("the denial quotes a name that is a secret")
	}
	m.allowed(m.put(m.team(".teammemignore"), "*.md\n"))
	m.allowed(m.put(m.team(), fine)) // a folder: the tool itself fails
}

// However a path is written: below team/ it is looked at, beside it it is not.
func TestGuard_Places(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.mkdir(m.at("app", "sub"))
	m.mkdir(m.team("sub"))
	m.must(os.Symlink(m.at("memory"), m.at("app", "mem")))
	m.must(os.Symlink(m.team(), m.at("app", "shared")))
	m.must(os.Symlink(m.team("new.md"), m.at("app", "new.md")))
	m.must(os.Symlink(m.at("app"), m.team("out")))
	m.must(os.Symlink(m.at("app", "real.md"), m.team("link.md")))
	bad := "token: " + token() + "\n"
	for _, below := range []string{
		m.team("x.md"),
		m.team() + "/sub/../x.md",
		m.at("memory") + "/./team//x.md",
		"../memory/team/x.md",
		"mem/team/x.md",
		"shared/x.md",
		"new.md",
		"shared/sub/deeper/x.md",
		"~/memory/team/x.md",
	} {
		m.denied(m.put(below, bad), "secret")
		m.allowed(m.put(below, fine))
	}
	for _, beside := range []string{
		m.at("memory", "x.md"), m.at("memory", "teams", "x.md"), m.at("memory", "team.md"), m.at("app", "x.md"), "x.md", "../memory/x.md",
		"mem/x.md", m.at("app", "team", "x.md"), `C:\memory\team\x.md`, "/", "", "\x00", strings.Repeat("/x", 3000),
	} {
		m.allowed(m.put(beside, bad))
	}
	for _, out := range []string{m.team() + "/../x.md", m.team() + "/sub/../../../app/x.md"} {
		m.denied(m.put(out, fine), "leads out of it")
	}
	for _, out := range []string{m.team("out", "x.md"), m.team("link.md"), "shared/out/x.md"} {
		if strings.HasPrefix(out, "shared") {
			m.allowed(m.put(out, bad)) // its real place is in the member's own folder
			continue
		}
		m.denied(m.put(out, fine), "symbolic link")
	}
	if f := m.failures(); f != nil {
		t.Errorf("noted %q", f)
	}
}

// The memory folder may be a link, and a folder may have several links of ours.
func TestGuard_Links(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	m.mkdir(m.at("other"))
	m.mkdir(m.at("disk"))
	m.must(os.Symlink(m.at("disk"), m.at("typed")))
	l := m.linked(m.at("other"), m.at("disk"), "http://127.0.0.1:1")
	l.MemoryDir = m.at("typed")
	m.must(m.dirs.SaveLink(l))
	bad := "token: " + token() + "\n"
	for _, file := range []string{m.at("typed", "team", "x.md"), m.at("disk", "team", "x.md"), m.team("x.md")} {
		m.denied(m.put(file, bad), "secret")
	}
	m.must(os.RemoveAll(m.at("disk"))) // not mounted: the name alone tells
	m.denied(m.put(m.at("typed", "team", "x.md"), bad), "secret")
	m.allowed(m.put(m.at("elsewhere", "x.md"), bad))
}

// Tools that write no files of their own are none of our business, and neither
// is input of another shape.
func TestGuard_OtherTools(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	bad := "token: " + token()
	for tool, input := range map[string]map[string]any{
		"Bash":  {"command": "echo " + bad + " >" + m.team("x.md")},
		"Read":  {"file_path": m.team("x.md")},
		"Write": {"file_path": []string{m.team("x.md")}, "content": bad},
		"Edit":  {"file_path": 7},
		"":      {"file_path": m.team("x.md"), "content": bad},
	} {
		m.allowed(m.tool(PreToolUse, tool, input))
	}
	m.allowed(m.tool(PreToolUse, "Write", nil))
}

// The second of two installations stays silent; another call does not.
func TestGuard_TwoInstallations(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	stdin := strings.Replace(m.recorded("pre_write"), "a real database.", token(), 1)
	m.denied(m.run(PreToolUse, strings.NewReader(stdin)))
	m.allowed(m.run(PreToolUse, strings.NewReader(stdin)))
	m.denied(m.run(PreToolUse, strings.NewReader(strings.Replace(stdin, "toolu_01A", "toolu_02A", 1))))
	m.must(os.RemoveAll(m.dirs.State))
	m.must(os.MkdirAll(filepath.Dir(m.dirs.State), 0o700))
	m.write(m.dirs.State, "not a folder") // where nothing can be kept, all of them answer
	m.denied(m.run(PreToolUse, strings.NewReader(stdin)))
	m.denied(m.run(PreToolUse, strings.NewReader(stdin)))
}

// A scanner that cannot be built lets the write pass, and is noted.
func TestGuard_FailsOpen(t *testing.T) {
	t.Parallel()
	m := newMember(t, "http://127.0.0.1:1")
	h := m.hooks()
	h.Scanner = func() (memory.Scanner, error) { return nil, client.ErrOffline }
	var out strings.Builder
	m.must(h.Run(t.Context(), PreToolUse, strings.NewReader(m.recorded("pre_write")), &out))
	if f := m.failures(); out.Len() > 0 || len(f) != 1 {
		t.Errorf("got %q, noted %q", out.String(), f)
	}
}

func TestEdited(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		before, old, with string
		all               bool
		want              string
	}{
		{"a b a", "a", "c", false, "c b a"},
		{"a b a", "a", "c", true, "c b c"},
		{"a\r\nb\r\n", "a\nb", "c", false, "c\n"},
		{"a\r\nb\r\n", "a", "c", false, "c\r\nb\r\n"},
		{"", "", "new", false, "new"},
		{"a", "x", "new", false, "new"},
	} {
		if got := edited(tt.before, write{Old: tt.old, New: tt.with, All: tt.all}); string(got) != tt.want {
			t.Errorf("%+v: got %q", tt, got)
		}
	}
}

func TestTokenLike(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"integration-tests-database.md": false, "testing/2026-03-12-outage.md": false, "internationalisationofeverything.md": false,
		"t-" + token() + ".md": true,
	} {
		if got := tokenLike(name); got != want {
			t.Errorf("got %t, want %t", got, want)
		}
	}
}
