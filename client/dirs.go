package client

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// Dirs are the member's folders outside the memory tree.
type Dirs struct {
	Config string // credentials and links
	State  string // index files and locks
	Data   string // trash and conflicts
}

// UserDirs returns the platform's folders for teammem. The XDG variables win
// everywhere, so that one machine can hold several members.
func UserDirs(getenv func(string) string) (Dirs, error) {
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	at := func(variable string, fallback ...string) (string, error) {
		if dir := getenv(variable); filepath.IsAbs(dir) {
			return filepath.Join(dir, "teammem"), nil
		}
		if home == "" {
			return "", fmt.Errorf("neither %s nor HOME is set: set one of them to a folder of yours", variable)
		}
		return filepath.Join(append([]string{home}, fallback...)...), nil
	}
	config, state, data := []string{".config", "teammem"}, []string{".local", "state", "teammem"}, []string{".local", "share", "teammem"}
	switch runtime.GOOS {
	case "darwin":
		support := []string{"Library", "Application Support", "teammem"}
		config, state, data = support, append(support[:3:3], "state"), append(support[:3:3], "data")
	case "windows":
		local := []string{"AppData", "Local", "teammem"}
		config, state, data = local, append(local[:3:3], "state"), append(local[:3:3], "data")
	}
	var d Dirs
	var err error
	if d.Config, err = at("XDG_CONFIG_HOME", config...); err != nil {
		return Dirs{}, err
	}
	if d.State, err = at("XDG_STATE_HOME", state...); err != nil {
		return Dirs{}, err
	}
	d.Data, err = at("XDG_DATA_HOME", data...)
	return d, err
}

// Watched returns the files of logins and of links, which change when a member
// logs in or links a folder.
func (d Dirs) Watched() (credentials, links string) { return d.credentialsFile(), d.linksFile() }
