package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/settings"
)

const (
	agentProgram    = "claude"
	ourProgram      = "teammem"
	hookCommand     = "hook"
	pluginName      = "teammem@" // and the marketplace it came from
	envNoAutoMemory = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"

	// Older ones sweep files out of folders in the memory folder when they were
	// not written to for a month, and team/ is such a folder.
	agentWithoutSweep = "2.1.228"

	agentPatience = time.Second
)

// checkVersion asks the agent for its version, if it is installed as a command.
func checkVersion(ctx context.Context) client.Check {
	check := client.Check{Name: "agent", Grade: client.Well}
	program, err := exec.LookPath(agentProgram)
	if err != nil {
		check.Detail = "version not known: there is no " + agentProgram + " on the PATH"
		return check
	}
	check.Source = program
	version, err := askVersion(ctx, program)
	switch {
	case err != nil:
		check.Detail = "version not known: " + err.Error()
	case client.OlderThan(version, agentWithoutSweep):
		check.Grade, check.Fix = client.Look, "upgrade it: before "+agentWithoutSweep+" it could remove files from team/ that nobody had written to for 30 days"
		check.Detail = "Claude Code " + version
	default:
		check.Detail = "Claude Code " + version
	}
	return check
}

func askVersion(ctx context.Context, program string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	c := exec.CommandContext(ctx, program, "--version")
	c.WaitDelay = agentPatience / 10 // what it started may hold its output open
	out, err := c.Output()
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("it did not answer within %s", agentPatience)
	case err != nil:
		return "", err
	case client.OlderThan("0.0.0", version):
		return version, nil
	}
	return "", errors.New("its answer is none")
}

// agentSettings is one of the agent's settings files, read as far as doctor
// understands it: what has another shape is as if it was missing.
type agentSettings struct {
	settingsFile

	hooks   []settings.Hook
	values  map[string]jsontext.Value
	problem error
}

func (c *Case) readSettings() []agentSettings {
	var all []agentSettings
	for _, f := range settingsFiles(c.root, c.Getenv) {
		s, err := readAgentSettings(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		s.problem = err
		all = append(all, s)
	}
	return all
}

func readAgentSettings(f settingsFile) (agentSettings, error) {
	s := agentSettings{settingsFile: f}
	b, err := os.ReadFile(f.path)
	if err != nil {
		return s, err
	}
	if s.hooks, err = settings.Hooks(b); err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(strings.TrimPrefix(string(b), "\ufeff")), &s.values)
}

// flag returns a value that is true or false.
func (s agentSettings) flag(name string) (on, set bool) {
	err := json.Unmarshal(s.values[name], &on)
	return on, err == nil && s.values[name] != nil
}

// firstFlag returns the value that wins.
func firstFlag(all []agentSettings, name string) (on bool, file string) {
	for _, s := range all {
		if on, set := s.flag(name); set {
			return on, s.path
		}
	}
	return false, ""
}

// checkAutoMemory tells whether the agent reads and writes memory at all.
func (c *Case) checkAutoMemory(all []agentSettings) client.Check {
	check := client.Check{Name: "auto memory", Grade: client.Well, Detail: "on", Source: fromDefault}
	on, file := firstFlag(all, "autoMemoryEnabled")
	if file != "" {
		check.Source = file
	} else {
		on = true
	}
	switch strings.ToLower(c.Getenv(envNoAutoMemory)) {
	case "1", "true", "yes", "on":
		on, check.Source = false, envNoAutoMemory
	case "0", "false", "no", "off":
		on, check.Source = true, envNoAutoMemory
	}
	if !on {
		check.Grade, check.Detail = client.Look, "off: the agent neither reads nor writes its memory, so it writes nothing to team/ by itself"
		check.Fix = "turn it on with /memory, or take it out of " + check.Source
	}
	if dream, file := firstFlag(all, "autoDreamEnabled"); file != "" {
		check.Detail += map[bool]string{true: ", and tidied up by the agent itself", false: ", and not tidied up by the agent itself"}[dream] + " (" + file + ")"
	}
	return check
}

// checkHooks tells whether our hooks are installed once, and can run.
func (c *Case) checkHooks(all []agentSettings) []client.Check {
	var checks []client.Check
	for _, s := range all {
		if s.problem != nil {
			checks = append(checks, client.Check{
				Name: "settings", Grade: client.Look, Detail: s.problem.Error(), Source: s.path, Fix: "correct the file: the agent may not read it either",
			})
		}
	}
	places, managed := installsOf(all)
	check := client.Check{Name: "hooks", Grade: client.Well, Source: strings.Join(places, ", ")}
	switch {
	case len(places) == 0:
		check.Grade, check.Detail, check.Fix = client.Look, "not installed: sessions are told nothing of the team's memory", "teammem install claude"
	case len(places) > 1:
		check.Grade, check.Detail, check.Fix = client.Look, fmt.Sprintf("installed %d times; one of them stays silent", len(places)), "teammem uninstall claude, or turn the plugin off"
	case len(c.missing(all)) > 0:
		check.Grade, check.Detail, check.Fix = client.Look, "installed, but not for "+strings.Join(c.missing(all), ", "), "teammem install claude"
	default:
		check.Detail = "installed once"
	}
	if by := silencedBy(all, managed); by != "" && len(places) > 0 {
		check.Grade, check.Detail, check.Fix = client.Wrong, check.Detail+", and kept from running by "+by, "take that out, or ask whoever administers this computer"
	} else if broken := brokenCommand(all); broken != "" {
		check.Grade, check.Detail, check.Fix = client.Wrong, check.Detail+", and cannot run: "+broken, "put teammem there, or teammem install claude again"
	}
	return append(checks, check)
}

// installsOf names the places in which our hooks are installed, and tells
// whether all of them are the administrator's.
func installsOf(all []agentSettings) (places []string, managed bool) {
	managed = true
	for _, s := range all {
		if slices.ContainsFunc(s.hooks, isOurs) {
			places, managed = append(places, s.path), managed && s.managed
		}
	}
	if plugin, by := pluginOf(all); plugin != "" {
		places, managed = append(places, "plugin "+visible(plugin)+" ("+by.path+")"), managed && by.managed
	}
	return places, managed
}

func isOurs(h settings.Hook) bool { return h.Runs(ourProgram, hookCommand) }

// pluginOf returns our plugin as the settings turn it on, "" if they do not.
func pluginOf(all []agentSettings) (name string, by agentSettings) {
	for _, s := range all {
		var plugins map[string]jsontext.Value
		if json.Unmarshal(s.values["enabledPlugins"], &plugins) != nil {
			continue
		}
		for name, value := range plugins {
			if !strings.HasPrefix(name, pluginName) {
				continue
			}
			if value.Kind() == jsontext.KindFalse {
				return "", s
			}
			return name, s
		}
	}
	return "", agentSettings{}
}

// missing returns the events that no hook of ours is installed for. The plugin
// brings all of them.
func (c *Case) missing(all []agentSettings) []string {
	if plugin, _ := pluginOf(all); plugin != "" {
		return nil
	}
	var missing []string
	for _, event := range c.Events {
		if !slices.ContainsFunc(all, func(s agentSettings) bool {
			return slices.ContainsFunc(s.hooks, func(h settings.Hook) bool { return isOurs(h) && h.Event == event })
		}) {
			missing = append(missing, event)
		}
	}
	return missing
}

// silencedBy names the setting that keeps our hooks from running. Only the
// administrator can do that to the administrator's own.
func silencedBy(all []agentSettings, managed bool) string {
	for _, s := range all {
		if on, _ := s.flag("disableAllHooks"); on && (s.managed || !managed) {
			return "disableAllHooks in " + s.path
		}
		if on, _ := s.flag("allowManagedHooksOnly"); on && s.managed && !managed {
			return "allowManagedHooksOnly in " + s.path
		}
	}
	return ""
}

// brokenCommand says which of our hooks names a program that cannot be run.
func brokenCommand(all []agentSettings) string {
	plugin, _ := pluginOf(all)
	commands := map[string]bool{}
	if plugin != "" {
		commands[ourProgram] = true
	}
	for _, s := range all {
		for _, h := range s.hooks {
			if isOurs(h) {
				commands[programOf(h)] = true
			}
		}
	}
	for command := range commands {
		if strings.ContainsAny(command, "$~") {
			continue // the shell knows
		}
		if _, err := exec.LookPath(filepath.FromSlash(command)); err != nil {
			return err.Error()
		}
	}
	return ""
}

// programOf returns what a hook runs, in either of the two forms.
func programOf(h settings.Hook) string {
	if len(h.Args) > 0 {
		return h.Command
	}
	program, _, _ := strings.Cut(h.Command, " ")
	return strings.Trim(program, `"'`)
}
