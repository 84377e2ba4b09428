package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/go-json-experiment/json"
)

// setting is a memory folder that one of the agent's settings files names.
type setting struct {
	dir  string
	file string
}

// settingsDir looks for autoMemoryDirectory in the agent's settings: managed,
// local, project, user. A repository must not decide where teammem writes, so
// what stands in its own files only counts once the member has named that very
// folder with --memory-dir.
func settingsDir(root repository, getenv func(string) string) (setting, bool, error) {
	userDir := getenv(envConfigDir)
	if userDir == "" {
		userDir = filepath.Join(homeOf(getenv), configFolder)
	}
	for _, f := range []struct {
		file string
		ours bool // belongs to the member or to the machine, not to the repository
	}{
		{managedSettings(), true},
		{filepath.Join(root.real, configFolder, "settings.local.json"), false},
		{filepath.Join(root.real, configFolder, "settings.json"), false},
		{filepath.Join(userDir, "settings.json"), true},
	} {
		value, err := memorySetting(f.file)
		if err != nil {
			return setting{}, false, err
		}
		if value == "" {
			continue
		}
		if !allowedSetting(value) {
			return setting{}, false, fmt.Errorf("%s names %q as the memory folder, which is not one: correct it, or use --memory-dir", f.file, value)
		}
		dir, err := expand(value, getenv)
		if err != nil {
			return setting{}, false, err
		}
		if !f.ours {
			return setting{}, false, fmt.Errorf("%s, a file of the repository, wants the memory in %s: if you agree, link with --memory-dir %s",
				f.file, dir, dir)
		}
		return setting{dir, f.file}, true, nil
	}
	return setting{}, false, nil
}

func managedSettings() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

// memorySetting reads one value; a missing file has none.
func memorySetting(file string) (string, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read agent settings: %w", err)
	}
	var s struct {
		AutoMemoryDirectory string `json:"autoMemoryDirectory"`
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return "", fmt.Errorf("the agent's settings in %s cannot be read; correct them, or use --memory-dir", file)
	}
	return s.AutoMemoryDirectory, nil
}

// allowedSetting refuses what the agent refuses: relative and UNC paths, NUL,
// and names of the home folder or a drive.
func allowedSetting(dir string) bool {
	if len(dir) < 3 || strings.ContainsRune(dir, 0) || strings.HasPrefix(dir, `\\`) || strings.HasPrefix(dir, "//") {
		return false
	}
	if rest, ok := strings.CutPrefix(dir, "~/"); ok {
		return rest != "" && rest != "." && rest != ".."
	}
	return filepath.IsAbs(dir)
}
