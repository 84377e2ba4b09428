package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

// plist reads a property list: texts, truths and numbers as they are written,
// arrays and dictionaries as Go has them.
func plist(t *testing.T, text string) any {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("no property list: %v\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "plist" {
			values := plistValues(t, d)
			if _, err := d.Token(); len(values) != 1 || !errors.Is(err, io.EOF) && err != nil {
				t.Fatalf("%d values, and then %v", len(values), err)
			}
			return values[0]
		}
	}
}

// plistValues reads up to the end of an element.
func plistValues(t *testing.T, d *xml.Decoder) (values []any) {
	t.Helper()
	for {
		token, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.EndElement:
			return values
		case xml.StartElement:
			values = append(values, plistValue(t, d, e))
		}
	}
}

func plistValue(t *testing.T, d *xml.Decoder, e xml.StartElement) any {
	t.Helper()
	switch e.Name.Local {
	case "array":
		return plistValues(t, d)
	case "dict":
		all, dict := plistValues(t, d), map[string]any{}
		for i := 0; i+1 < len(all); i += 2 {
			dict[all[i].(string)] = all[i+1]
		}
		return dict
	case "true", "false":
		plistValues(t, d)
		return e.Name.Local == "true"
	}
	var text string
	if err := d.DecodeElement(&text, &e); err != nil {
		t.Fatal(err)
	}
	return text
}

// The agent for launchd is a property list that starts this program with what
// it needs of the environment, however that is spelled.
func TestService_LaunchAgent(t *testing.T) {
	t.Parallel()
	env := map[string]string{"HOME": "/Users/a & b", "HTTPS_PROXY": `http://u:<p>"@proxy`, "SHELL": "/bin/zsh"}
	text := launchd{}.text("/Applications/Team & Co/teammem", func(name string) string { return env[name] })
	want := map[string]any{
		"Label": "com.github.teammem.watch", "ProgramArguments": []any{"/Applications/Team & Co/teammem", "watch"},
		"StandardErrorPath": "/Users/a & b/Library/Logs/teammem.log", "EnvironmentVariables": map[string]any{"HTTPS_PROXY": `http://u:<p>"@proxy`},
		"RunAtLoad": true, "KeepAlive": map[string]any{"SuccessfulExit": false}, "ThrottleInterval": "60", "ExitTimeOut": "20",
		"ProcessType": "Background", "Nice": "5", "Umask": "63",
	}
	if diff := cmp.Diff(want, plist(t, text)); diff != "" {
		t.Errorf("agent (-want +got):\n%s", diff)
	}
	if !(launchd{}).ours(text) || (launchd{}).ours(strings.Replace(text, "Made by", "Mine, not", 1)) {
		t.Error("it does not know its own from others'")
	}
}

// It is written once, told to launchd when it changed or does not run, and never
// put in the place of a foreign one.
func TestService_Launchd(t *testing.T) { //nolint:paralleltest // it has a launchctl of its own
	bin, a := t.TempDir(), newTestApp(t)
	asked := filepath.Join(bin, "asked")
	script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >>'%s'\n[ \"$1\" != print ] || [ -e '%s/runs' ]\n", asked, bin)
	if err := os.WriteFile(filepath.Join(bin, "launchctl"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	file := filepath.Join(a.getenv("HOME"), "Library", "LaunchAgents", "com.github.teammem.watch.plist")
	told := func(want string) {
		t.Helper()
		b, _ := os.ReadFile(asked) // none: nothing was asked
		if got := strings.Join(strings.Fields(string(b)), " "); got != want {
			t.Errorf("launchctl was asked %q, want %q", got, want)
		}
		_ = os.Remove(asked)
	}
	install := func() {
		t.Helper()
		if err := a.installService(t.Context(), launchd{}, false); err != nil {
			t.Fatal(err)
		}
	}
	install()
	told("bootout bootstrap")
	install() // as it is, and it does not run
	told("print bootout bootstrap")
	if err := os.WriteFile(filepath.Join(bin, "runs"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	install()
	told("print")
	if got := a.out.String(); strings.Count(got, "wrote "+file) != 1 || strings.Count(got, serviceRuns) != 3 {
		t.Errorf("it said %q", got)
	}
	if err := a.uninstallService(t.Context(), launchd{}); err != nil {
		t.Fatal(err)
	}
	told("bootout")
	if _, err := os.Stat(file); err == nil {
		t.Error("the agent is still there")
	}

	foreign := []byte("<plist/>")
	if err := os.WriteFile(file, foreign, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{a.installService(t.Context(), launchd{}, false), a.uninstallService(t.Context(), launchd{})} {
		if exitCode(t.Context(), err) != exitUsage {
			t.Errorf("over a foreign agent: %v", err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != string(foreign) {
		t.Errorf("the foreign agent reads %q: %v", got, err)
	}
	told("")
}

// Where there is neither, it says what to do instead.
func TestService_Elsewhere(t *testing.T) {
	t.Parallel()
	for goos, want := range map[string]string{"windows": "schtasks /Create", "plan9": "have teammem watch started"} {
		_, err := servicesOf(goos)
		e, ok := errors.AsType[*memory.Error](err)
		if !ok || !strings.Contains(e.Message+e.Hint, want) || exitCode(t.Context(), err) != exitUsage {
			t.Errorf("%s: %v", goos, err)
		}
	}
	if _, err := servicesOf(runtime.GOOS); err != nil {
		t.Error(err)
	}
}
