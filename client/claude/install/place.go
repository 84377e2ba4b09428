package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/teammem/teammem/memory"
)

// Scope is whose sessions get the hooks.
type Scope string

// The scopes, by the settings files that the agent reads.
const (
	User    Scope = "user"    // all of the member's
	Project Scope = "project" // everybody's in a repository; the file is committed
	Local   Scope = "local"   // the member's in a repository; the file is not committed
)

// Place is where one installation goes.
type Place struct {
	Scope    Scope
	Settings string // file, as it is named
	Skill    string // file
	base     string // folder in which the agent looks for both
}

// Where the agent looks.
const (
	configFolder      = ".claude"
	envConfigDir      = "CLAUDE_CONFIG_DIR"
	settingsFile      = "settings.json"
	localSettingsFile = "settings.local.json"
	skillFile         = "skills/team-memory/SKILL.md"
)

// PlaceOf returns where a scope's files are. The folder counts for scopes of a
// repository only: they are at the top of its working tree.
func PlaceOf(scope Scope, folder string, getenv func(string) string) (Place, error) {
	var base string
	var err error
	name := settingsFile
	switch scope {
	case User:
		base, err = userBase(getenv)
	case Project, Local:
		base, err = projectBase(folder)
	default:
		err = memory.Invalid("scope", "a scope is user, project or local")
	}
	if err != nil {
		return Place{}, err
	}
	if scope == Local {
		name = localSettingsFile
	}
	return Place{scope, filepath.Join(base, name), filepath.Join(base, filepath.FromSlash(skillFile)), base}, nil
}

func userBase(getenv func(string) string) (string, error) {
	if dir := getenv(envConfigDir); dir != "" {
		return absolute(dir)
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		if home := getenv(variable); home != "" {
			return absolute(filepath.Join(home, configFolder))
		}
	}
	return "", errors.New("HOME is not set, so the agent's settings cannot be found")
}

// projectBase is in the folder that holds .git, or in the folder itself.
func projectBase(folder string) (string, error) {
	start, err := absolute(folder)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(start); err != nil || !info.IsDir() {
		return "", memory.Invalid("dir", "there is no folder "+start)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if err == nil {
			return filepath.Join(dir, configFolder), nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("look for git: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Join(start, configFolder), nil
		}
	}
}

func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find folder: %w", err)
	}
	return abs, nil
}
