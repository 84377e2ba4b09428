package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
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
	for _, f := range settingsFiles(root, getenv) {
		value, err := memorySetting(f.path)
		if err != nil {
			return setting{}, false, err
		}
		if value == "" {
			continue
		}
		if !allowedSetting(value) {
			return setting{}, false, fmt.Errorf("%s names %q as the memory folder, which is not one: correct it, or use --memory-dir", f.path, value)
		}
		dir, err := expand(value, getenv)
		if err != nil {
			return setting{}, false, err
		}
		if f.repository {
			return setting{}, false, fmt.Errorf("%s, a file of the repository, wants the memory in %s: if you agree, link with --memory-dir %s",
				f.path, dir, dir)
		}
		return setting{dir, f.path}, true, nil
	}
	return setting{}, false, nil
}

// settingsFile is one of the files in which the agent looks for settings.
type settingsFile struct {
	path       string
	managed    bool // by whoever administers the computer
	repository bool // comes with the repository, or lies in it
}

// settingsFiles returns the agent's settings files; what stands in an earlier
// one wins.
func settingsFiles(root repository, getenv func(string) string) []settingsFile {
	var files []settingsFile
	for _, f := range managedFiles(managedDir()) {
		files = append(files, settingsFile{path: f, managed: true})
	}
	here, user := filepath.Join(root.real, configFolder), userConfig(getenv)
	foreign := !sameFile(here, user) // it is the member's own where the home folder is the project
	return append(
		files,
		settingsFile{path: filepath.Join(here, "settings.local.json"), repository: foreign},
		settingsFile{path: filepath.Join(here, "settings.json"), repository: foreign},
		settingsFile{path: filepath.Join(user, "settings.json")},
	)
}

// userConfig is the member's own folder for the agent.
func userConfig(getenv func(string) string) string {
	if dir := getenv(envConfigDir); dir != "" {
		return dir
	}
	return filepath.Join(homeOf(getenv), configFolder)
}

func managedDir() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// managedFiles returns the administrator's settings: additions beside the file
// win over it, the last by name first.
func managedFiles(dir string) []string {
	added, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json")) // its pattern is well-formed
	slices.Reverse(added)
	return append(added, filepath.Join(dir, "managed-settings.json"))
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
