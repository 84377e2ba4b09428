package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/teammem/teammem/memory"
)

// systemd runs a unit of the member's own.
type systemd struct{}

// unitName is the unit's.
const unitName = "teammem.service"

const unitMark = "# " + serviceMark + "\n"

func (systemd) file(getenv func(string) string) (string, error) {
	config := getenv("XDG_CONFIG_HOME")
	if home := getenv("HOME"); !filepath.IsAbs(config) && home == "" {
		return "", memory.Invalid("service", "neither XDG_CONFIG_HOME nor HOME is set: set one of them to a folder of yours")
	} else if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "systemd", "user", unitName), nil
}

func (systemd) ours(text string) bool { return strings.HasPrefix(text, unitMark) }

// start has systemd run the unit, or says how to.
func (systemd) start(ctx context.Context, a *app, _, old, text string) error {
	if err := systemctl(ctx, "daemon-reload"); err != nil {
		a.tell("systemd was not told (%v); where you are logged in, run: systemctl --user daemon-reload && systemctl --user enable --now %s", err, unitName)
	} else if err := enable(ctx, old != "" && old != text); err != nil {
		return fmt.Errorf("start the service: %w", err)
	} else {
		fmt.Fprintln(a.stdout, serviceRuns)
	}
	a.tell("it runs while you are logged in; for always: loginctl enable-linger")
	return nil
}

func enable(ctx context.Context, replaced bool) error {
	if err := systemctl(ctx, "enable", "--now", unitName); err != nil || !replaced {
		return err
	}
	return systemctl(ctx, "restart", unitName) // what runs is the one before
}

func (systemd) stop(ctx context.Context, _ string) error {
	return systemctl(ctx, "disable", "--now", unitName)
}

func (systemd) forget(ctx context.Context) error { return systemctl(ctx, "daemon-reload") }

func (systemd) byHand() string { return "systemctl --user stop " + unitName }

// systemctl asks the member's systemd.
func systemctl(ctx context.Context, args ...string) error {
	return tellSystem(ctx, "systemctl", append([]string{"--user"}, args...)...)
}

// text is the unit for a program, hardened as far as a member's own
// systemd can: it has to read and write wherever they have their memory.
func (systemd) text(program string, getenv func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s[Unit]
Description=teammem, keeps the memory of your team in sync
Documentation=https://github.com/teammem/teammem

[Service]
Type=exec
ExecStart=%s watch
`, unitMark, quoteUnit(strings.ReplaceAll(program, "$", "$$")))
	for _, name := range serviceEnvironment() {
		if value := getenv(name); value != "" {
			fmt.Fprintf(&b, "Environment=%s\n", quoteUnit(name+"="+value))
		}
	}
	b.WriteString(`# It ends with 130 when it is stopped. 5: another process watches, and 2 needs a person.
SuccessExitStatus=130
RestartPreventExitStatus=2 5
Restart=on-failure
RestartSec=10
TimeoutStopSec=20
Nice=5

UMask=0077
LockPersonality=yes
MemoryDenyWriteExecute=yes
NoNewPrivileges=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service

[Install]
WantedBy=default.target
`)
	return b.String()
}

// quoteUnit writes a word as systemd reads it.
func quoteUnit(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(s) + `"`
}
