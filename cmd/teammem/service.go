package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/install"
	"github.com/teammem/teammem/memory"
)

// serviceName is the unit's.
const serviceName = "teammem.service"

// serviceMark is the first line of a unit that is ours to replace.
const serviceMark = "# Made by teammem install-service, which replaces it; teammem uninstall-service removes it."

const serviceExits = `Exit codes:
  0   done, or nothing to do
  1   a file could not be written, or the service did not start
  2   wrong usage, no systemd, or a unit of that name that is not teammem's`

func (a *app) newInstallServiceCommand() *cobra.Command {
	var show bool
	c := &cobra.Command{
		Use:   "install-service",
		Short: "Have the team memory kept in sync in the background",
		Long: `Have systemd run "teammem watch" for you, from your next login on and at once:
~/.config/systemd/user/teammem.service. What it needs of the environment (folders,
proxies, certificates) is kept as it is now; run it again when that changes, or
when this program has moved. A unit that is not teammem's is left alone. On systems
without systemd have teammem watch started by what starts your programs.

` + serviceExits,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.installService(c.Context(), show) },
	}
	c.Flags().BoolVar(&show, "print", false, "only print the unit")
	return c
}

func (a *app) newUninstallServiceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall-service",
		Short: "End what install-service began",
		Long: `Stop the background service of install-service, and remove its unit. Links, logins
and files stay as they are.

` + serviceExits,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.uninstallService(c.Context()) },
	}
}

func (a *app) installService(ctx context.Context, show bool) error {
	self, err := a.hookProgram(install.User)
	if err != nil {
		return err
	}
	unit := serviceUnit(self, a.getenv)
	if show {
		_, err := fmt.Fprint(a.stdout, unit)
		return err
	}
	file, old, err := a.serviceFile()
	if err != nil {
		return err
	}
	if old != unit {
		if err := client.WriteFile(file, []byte(unit)); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "wrote %s\n", file)
	}
	if err := a.startService(ctx, old != "" && old != unit); err != nil {
		return err
	}
	a.tell("it runs while you are logged in; for always: loginctl enable-linger")
	return nil
}

// startService has systemd run the unit, or says how to.
func (a *app) startService(ctx context.Context, replaced bool) error {
	const by = "systemctl --user enable --now " + serviceName
	if err := systemctl(ctx, "daemon-reload"); err != nil {
		a.tell("systemd was not told (%v); where you are logged in, run: systemctl --user daemon-reload && %s", err, by)
		return nil
	}
	if err := systemctl(ctx, "enable", "--now", serviceName); err != nil {
		return fmt.Errorf("start the service: %w", err)
	}
	if replaced { // what runs is the one before
		if err := systemctl(ctx, "restart", serviceName); err != nil {
			return fmt.Errorf("start the service: %w", err)
		}
	}
	_, err := fmt.Fprintln(a.stdout, "teammem watch runs in the background")
	return err
}

func (a *app) uninstallService(ctx context.Context) error {
	file, old, err := a.serviceFile()
	if err != nil {
		return err
	}
	if old == "" {
		_, err := fmt.Fprintln(a.stdout, "there is no such service")
		return err
	}
	stopped := systemctl(ctx, "disable", "--now", serviceName)
	if err := os.Remove(file); err != nil {
		return fmt.Errorf("remove the unit: %w", err)
	}
	if stopped == nil {
		stopped = systemctl(ctx, "daemon-reload")
	}
	if stopped != nil {
		a.tell("systemd was not told (%v); if the service runs, run: systemctl --user stop %s", stopped, serviceName)
	}
	_, err = fmt.Fprintf(a.stdout, "removed %s\n", file)
	return err
}

// serviceFile returns the path of the unit and what is there; "" for nothing.
// What somebody else made is an error.
func (a *app) serviceFile() (file, old string, err error) {
	if runtime.GOOS != "linux" {
		return "", "", memory.Invalid("service", "this is for systemd; have teammem watch started by what starts your programs")
	}
	config := a.getenv("XDG_CONFIG_HOME")
	if home := a.getenv("HOME"); !filepath.IsAbs(config) && home == "" {
		return "", "", memory.Invalid("service", "neither XDG_CONFIG_HOME nor HOME is set: set one of them to a folder of yours")
	} else if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	file = filepath.Join(config, "systemd", "user", serviceName)
	i, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("look at the unit: %w", err)
	}
	b := []byte(nil)
	if i.Mode().IsRegular() {
		if b, err = os.ReadFile(file); err != nil {
			return "", "", fmt.Errorf("read the unit: %w", err)
		}
	}
	if !strings.HasPrefix(string(b), serviceMark+"\n") {
		return "", "", memory.Invalid("service", file+" is not teammem's, so it stays as it is: move it away first")
	}
	return file, string(b), nil
}

// serviceUnit is the unit for a program, hardened as far as a member's own
// systemd can: it has to read and write wherever they have their memory.
func serviceUnit(program string, getenv func(string) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s
[Unit]
Description=teammem, keeps the memory of your team in sync
Documentation=https://github.com/teammem/teammem

[Service]
Type=exec
ExecStart=%s watch
`, serviceMark, quoteUnit(strings.ReplaceAll(program, "$", "$$")))
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

// serviceEnvironment lists the variables without which teammem would look
// elsewhere, or ask another way.
func serviceEnvironment() []string {
	return []string{
		"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
		"CLAUDE_CODE_PROJECT_DIR_NAME", "CLAUDE_CODE_REMOTE_MEMORY_DIR", "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy",
		"https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR",
	}
}

// quoteUnit writes a word as systemd reads it.
func quoteUnit(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(s) + `"`
}

// systemctl asks the member's systemd.
func systemctl(ctx context.Context, args ...string) error {
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, "systemctl", append([]string{"--user"}, args...)...).CombinedOutput() //nolint:gosec // our own words
	if first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err != nil && first != "" {
		return errors.New(first)
	}
	return err
}
