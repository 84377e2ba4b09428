package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/teammem/teammem/memory"
)

// launchd runs an agent of the member's own.
type launchd struct{}

// agentName is the agent's.
const agentName = "com.github.teammem.watch"

const agentMark = `<?xml version="1.0" encoding="UTF-8"?>
<!-- ` + serviceMark + " -->\n"

func (launchd) file(getenv func(string) string) (string, error) {
	home := getenv("HOME")
	if home == "" {
		return "", memory.Invalid("service", "HOME is not set: set it to your home folder")
	}
	return filepath.Join(home, "Library", "LaunchAgents", agentName+".plist"), nil
}

func (launchd) ours(text string) bool { return strings.HasPrefix(text, agentMark) }

// start has launchd run the agent. One that it runs already is ended first if
// its file is another now.
func (l launchd) start(ctx context.Context, a *app, file, old, text string) error {
	if old == text && launchctl(ctx, "print", agentTarget()) == nil {
		_, err := fmt.Fprintln(a.stdout, serviceRuns)
		return err
	}
	_ = l.stop(ctx, file) // there may be none
	if err := launchctl(ctx, "bootstrap", agentDomain(), file); err != nil {
		a.tell("launchd was not told (%v); where you are logged in, run: launchctl bootstrap %s %q", err, agentDomain(), file)
		return nil
	}
	_, err := fmt.Fprintln(a.stdout, serviceRuns)
	return err
}

func (launchd) stop(ctx context.Context, _ string) error {
	return launchctl(ctx, "bootout", agentTarget())
}

func (launchd) forget(context.Context) error { return nil }

func (launchd) byHand() string { return "launchctl bootout " + agentTarget() }

// text is the agent for a program. launchd cannot be told with which codes not
// to start it again, so it waits a minute before it does.
func (launchd) text(program string, getenv func(string) string) string {
	var b strings.Builder
	b.WriteString(agentMark + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + agentName + `</string>
	<key>ProgramArguments</key>
	<array>
		<string>` + quotePlist(program) + `</string>
		<string>watch</string>
	</array>
`)
	if home := getenv("HOME"); home != "" {
		b.WriteString("	<key>StandardErrorPath</key>\n	<string>" + quotePlist(filepath.Join(home, "Library", "Logs", "teammem.log")) + "</string>\n")
	}
	b.WriteString("	<key>EnvironmentVariables</key>\n	<dict>\n")
	for _, name := range serviceEnvironment() {
		if value := getenv(name); value != "" {
			b.WriteString("		<key>" + name + "</key>\n		<string>" + quotePlist(value) + "</string>\n")
		}
	}
	b.WriteString(`	</dict>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ThrottleInterval</key>
	<integer>60</integer>
	<key>ExitTimeOut</key>
	<integer>20</integer>
	<key>ProcessType</key>
	<string>Background</string>
	<key>Nice</key>
	<integer>5</integer>
	<key>Umask</key>
	<integer>63</integer>
</dict>
</plist>
`)
	return b.String()
}

// quotePlist writes a text as XML reads it.
func quotePlist(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s)
}

// agentDomain is where launchd keeps what a member runs at their screen.
func agentDomain() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

func agentTarget() string { return agentDomain() + "/" + agentName }

func launchctl(ctx context.Context, args ...string) error {
	return tellSystem(ctx, "launchctl", args...)
}
