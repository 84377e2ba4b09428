package claude

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/client"
)

// examine returns the case of a repository called app.
func (p *place) examine() *Case {
	p.t.Helper()
	c, err := NewCase(p.dirs(), p.dir("app"), p.getenv)
	must(p.t, err)
	c.Events = []string{"SessionStart", "Stop"}
	return c
}

// program makes a command that can be run. No process is started meanwhile: it
// would have the file open for writing until it has become its own program, and
// such a file cannot be run.
func (p *place) program(script string, parts ...string) string {
	p.t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	name := p.file("#!/bin/sh\n"+script+"\n", parts...)
	must(p.t, os.Chmod(name, 0o700))
	return name
}

// hooks are settings that run a program on events.
func hooksText(program string, events ...string) string {
	var lists []string
	for _, e := range events {
		lists = append(lists, `"`+e+`":[{"hooks":[{"type":"command","command":"`+program+`","args":["hook","`+e+`"],"timeout":5}]}]`)
	}
	return `{"hooks":{` + strings.Join(lists, ",") + `}}`
}

func TestHooks_InstalledOnce(t *testing.T) {
	t.Parallel()
	const user, local = ".claude/settings.json", "app/.claude/settings.local.json"
	for _, tt := range []struct {
		name   string
		files  map[string]string // PROGRAM is one that can be run
		grade  client.Grade
		detail string
	}{
		{"nowhere", nil, client.Look, "not installed"},
		{"other hooks", map[string]string{user: hooksText("other", "Stop")}, client.Look, "not installed"},
		{"in the member's settings", map[string]string{user: hooksText("PROGRAM", "SessionStart", "Stop")}, client.Well, "installed once"},
		{"by hand, for a shell", map[string]string{
			local: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"'PROGRAM' hook Stop"}]}],"SessionStart":[{"hooks":[{"command":"PROGRAM hook SessionStart"}]}]}}`,
		}, client.Well, "installed once"},
		{"not for all events", map[string]string{user: hooksText("PROGRAM", "Stop")}, client.Look, "not for SessionStart"},
		{"twice", map[string]string{user: hooksText("PROGRAM", "SessionStart", "Stop"), local: hooksText("PROGRAM", "Stop")}, client.Look, "installed 2 times"},
		{"with the plugin turned off", map[string]string{
			user:  strings.Replace(hooksText("PROGRAM", "SessionStart", "Stop"), "{", `{"enabledPlugins":{"teammem@teammem":true},`, 1),
			local: `{"enabledPlugins":{"teammem@teammem":false}}`,
		}, client.Well, "installed once"},
		{"turned off", map[string]string{
			user: hooksText("PROGRAM", "SessionStart", "Stop"), local: `{"disableAllHooks":true}`,
		}, client.Wrong, "kept from running by disableAllHooks"},
		{"administrator's word that a member says", map[string]string{
			user: strings.Replace(hooksText("PROGRAM", "SessionStart", "Stop"), "{", `{"allowManagedHooksOnly":true,`, 1),
		}, client.Well, "installed once"},
		{"a program that is gone", map[string]string{user: hooksText("/nowhere/teammem", "SessionStart", "Stop")}, client.Wrong, "cannot run"},
		{"values of other shapes", map[string]string{
			user: strings.Replace(hooksText("PROGRAM", "SessionStart", "Stop"), "{", `{"disableAllHooks":"yes","enabledPlugins":[1],"autoMemoryEnabled":null,`, 1),
		}, client.Well, "installed once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			program := p.program("exit 0", "bin", "teammem")
			for file, text := range tt.files {
				p.file(strings.ReplaceAll(text, "PROGRAM", program), strings.Split(file, "/")...)
			}
			c := p.examine()
			checks := c.checkHooks(c.readSettings())
			got := checks[len(checks)-1]
			if got.Grade != tt.grade || !strings.Contains(got.Detail, tt.detail) || (got.Fix == "") != (got.Grade == client.Well) || len(checks) != 1 {
				t.Errorf("got %+v; want %s, and words on %q", checks, tt.grade, tt.detail)
			}
		})
	}
}

// Settings that cannot be read are a finding; what the others say still counts.
func TestHooks_DamagedSettings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	program := p.program("exit 0", "bin", "teammem")
	p.file(hooksText(program, "SessionStart", "Stop"), configFolder, "settings.json")
	broken := p.file(`{"hooks": // mine`, "app", configFolder, "settings.json")
	c := p.examine()
	checks := c.checkHooks(c.readSettings())
	if len(checks) != 2 || checks[0].Source != broken || checks[0].Grade != client.Look || checks[1].Grade != client.Well {
		t.Errorf("got %+v", checks)
	}
}

// Only the administrator silences the administrator's hooks.
func TestHooks_Managed(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := p.dir("managed")
	first := p.file("{}", "managed", "managed-settings.json")
	second := p.file("{}", "managed", "managed-settings.d", "10-a.json")
	third := p.file("{}", "managed", "managed-settings.d", "20-b.json")
	if diff := cmp.Diff([]string{third, second, first}, managedFiles(dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	read := func(text string, managed bool) agentSettings {
		t.Helper()
		s, err := readAgentSettings(settingsFile{path: p.file(text, "some.json"), managed: managed})
		must(t, err)
		return s
	}
	off, only := read(`{"disableAllHooks":true}`, false), read(`{"allowManagedHooksOnly":true}`, true)
	for _, tt := range []struct {
		name    string
		all     []agentSettings
		managed bool // the hooks
		want    bool
	}{
		{"member against member", []agentSettings{off}, false, true},
		{"member against administrator", []agentSettings{off}, true, false},
		{"administrator against member", []agentSettings{only}, false, true},
		{"administrator's own", []agentSettings{only}, true, false},
		{"administrator against all", []agentSettings{read(`{"disableAllHooks":true}`, true)}, true, true},
	} {
		if got := silencedBy(tt.all, tt.managed); (got != "") != tt.want {
			t.Errorf("%s: got %q", tt.name, got)
		}
	}
}

func TestAutoMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, user, local, env string
		on                     bool
		detail, source         string
	}{
		{"nothing said", "", "", "", true, "on", "default"},
		{"off", `{"autoMemoryEnabled":false}`, "", "", false, "off", "settings.json"},
		{"local before user", `{"autoMemoryEnabled":false}`, `{"autoMemoryEnabled":true}`, "", true, "on", "settings.local.json"},
		{"variable before all", "", `{"autoMemoryEnabled":true}`, "1", false, "off", envNoAutoMemory},
		{"variable that turns it on", `{"autoMemoryEnabled":false}`, "", "0", true, "on", envNoAutoMemory},
		{"variable without a meaning", `{"autoMemoryEnabled":false}`, "", "perhaps", false, "off", "settings.json"},
		{"dream", `{"autoDreamEnabled":true}`, "", "", true, "tidied up by the agent itself", "default"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.env[envNoAutoMemory] = tt.env
			if tt.user != "" {
				p.file(tt.user, configFolder, "settings.json")
			}
			if tt.local != "" {
				p.file(tt.local, "app", configFolder, "settings.local.json")
			}
			c := p.examine()
			got := c.checkAutoMemory(c.readSettings())
			if (got.Grade == client.Well) != tt.on || !strings.Contains(got.Detail, tt.detail) || !strings.HasSuffix(got.Source, tt.source) || (got.Fix == "") != tt.on {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// The agent is asked for its version, and not waited for.
func TestAgentVersion(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		grade        client.Grade
		detail       string
	}{
		{"new enough", "echo '2.1.228 (Claude Code)'", client.Well, "Claude Code 2.1.228"},
		{"with the sweep", "echo '2.1.227 (Claude Code)'", client.Look, "Claude Code 2.1.227"},
		{"far newer", "echo 10.0.0", client.Well, "Claude Code 10.0.0"},
		{"no version", "echo hello", client.Well, "version not known"},
		{"fails", "exit 3", client.Well, "version not known"},
		{"never answers", "exec sleep 60", client.Well, "did not answer within 1s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlace(t)
			program := p.program(tt.script, "bin", agentProgram)
			t.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
			got := checkVersion(t.Context())
			if got.Grade != tt.grade || !strings.Contains(got.Detail, tt.detail) || got.Source != program {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if got := checkVersion(t.Context()); got.Grade != client.Well || !strings.Contains(got.Detail, "version not known") {
			t.Errorf("got %+v", got)
		}
	})
}
