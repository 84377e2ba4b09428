package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude/install"
	"github.com/teammem/teammem/memory"
)

// serviceMark is at the top of a service file that is ours to replace.
const serviceMark = "Made by teammem install-service, which replaces it; teammem uninstall-service removes it."

const serviceRuns = "teammem watch runs in the background"

const serviceExits = `Exit codes:
  0   done, or nothing to do
  1   a file could not be written, or the service did not start
  2   wrong usage, no systemd or launchd, or a service of that name that is not
      teammem's`

// services is what runs programs for a member in the background.
type services interface {
	file(getenv func(string) string) (string, error)
	text(program string, getenv func(string) string) string
	ours(text string) bool
	start(ctx context.Context, a *app, file, old, text string) error
	stop(ctx context.Context, file string) error
	forget(ctx context.Context) error // what was removed
	byHand() string                   // how a person stops it
}

// servicesOf returns what a system has for that.
func servicesOf(goos string) (services, error) {
	switch goos {
	case "linux":
		return systemd{}, nil
	case "darwin":
		return launchd{}, nil
	case "windows":
		return nil, &memory.Error{
			Code: memory.CodeInvalid, Field: "service", Message: "on Windows the Task Scheduler is what starts programs in the background",
			Hint: `schtasks /Create /TN teammem /SC ONLOGON /TR "teammem watch"; to end that: schtasks /Delete /TN teammem`,
		}
	}
	return nil, memory.Invalid("service", "this is for systemd and launchd; have teammem watch started by what starts your programs")
}

func (a *app) newInstallServiceCommand() *cobra.Command {
	var show bool
	c := &cobra.Command{
		Use:   "install-service",
		Short: "Have the team memory kept in sync in the background",
		Long: `Have your system run "teammem watch" for you, from your next login on and at once:
systemd by ~/.config/systemd/user/teammem.service, on macOS launchd by
~/Library/LaunchAgents/com.github.teammem.watch.plist. What it needs of the
environment (folders, proxies, certificates) is kept as it is now; run it again when
that changes, or when this program has moved. A service that is not teammem's is left
alone. On other systems have teammem watch started by what starts your programs.

` + serviceExits,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := servicesOf(runtime.GOOS)
			if err != nil {
				return err
			}
			return a.installService(c.Context(), s, show)
		},
	}
	c.Flags().BoolVar(&show, "print", false, "only print the service's file")
	return c
}

func (a *app) newUninstallServiceCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall-service",
		Short: "End what install-service began",
		Long: `Stop the background service of install-service, and remove its file. Links, logins
and files stay as they are.

` + serviceExits,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := servicesOf(runtime.GOOS)
			if err != nil {
				return err
			}
			return a.uninstallService(c.Context(), s)
		},
	}
}

func (a *app) installService(ctx context.Context, s services, show bool) error {
	self, err := a.hookProgram(install.User)
	if err != nil {
		return err
	}
	text := s.text(self, a.getenv)
	if show {
		_, err := fmt.Fprint(a.stdout, text)
		return err
	}
	file, old, err := a.serviceFile(s)
	if err != nil {
		return err
	}
	if old != text {
		if err := client.WriteFile(file, []byte(text)); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "wrote %s\n", file)
	}
	return s.start(ctx, a, file, old, text)
}

func (a *app) uninstallService(ctx context.Context, s services) error {
	file, old, err := a.serviceFile(s)
	if err != nil {
		return err
	}
	if old == "" {
		_, err := fmt.Fprintln(a.stdout, "there is no such service")
		return err
	}
	stopped := s.stop(ctx, file)
	if err := os.Remove(file); err != nil {
		return fmt.Errorf("remove the service: %w", err)
	}
	if stopped == nil {
		stopped = s.forget(ctx)
	}
	if stopped != nil {
		a.tell("the system was not told (%v); if the service runs, run: %s", stopped, s.byHand())
	}
	_, err = fmt.Fprintf(a.stdout, "removed %s\n", file)
	return err
}

// serviceFile returns the path of the service's file and what is there; "" for
// nothing. What somebody else made is an error.
func (a *app) serviceFile(s services) (file, old string, err error) {
	if file, err = s.file(a.getenv); err != nil {
		return "", "", err
	}
	i, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("look at the service: %w", err)
	}
	b := []byte(nil)
	if i.Mode().IsRegular() {
		if b, err = os.ReadFile(file); err != nil {
			return "", "", fmt.Errorf("read the service: %w", err)
		}
	}
	if !s.ours(string(b)) {
		return "", "", memory.Invalid("service", file+" is not teammem's, so it stays as it is: move it away first")
	}
	return file, string(b), nil
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

// tellSystem has a program of the system do something for the member.
func tellSystem(ctx context.Context, program string, args ...string) error {
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, args...).CombinedOutput() //nolint:gosec // our own words
	if first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); err != nil && first != "" {
		return errors.New(first)
	}
	return err
}
