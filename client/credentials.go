package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/memory"
)

// Login is what the client keeps of a login to one server.
type Login struct {
	Server   string          `json:"server"`
	Instance string          `json:"instance"`
	Member   memory.MemberID `json:"member"`
	Name     string          `json:"name"`
	Device   memory.DeviceID `json:"device"`
	Token    string          `json:"token"`
}

// String leaves out the token, so that no message shows it by accident.
func (l Login) String() string { return fmt.Sprintf("login of %s at %s", l.Name, l.Server) }

// GoString does, too.
func (l Login) GoString() string { return l.String() }

type credentials struct {
	Logins []Login `json:"logins"`
}

// ErrNotLoggedIn means that there is no login for the server.
var ErrNotLoggedIn = errors.New("not logged in")

func (d Dirs) credentialsFile() string { return filepath.Join(d.Config, "credentials.json") }

// Login returns the login for a server.
func (d Dirs) Login(server string) (Login, error) {
	c, err := d.readCredentials()
	if err != nil {
		return Login{}, err
	}
	for _, l := range c.Logins {
		if l.Server == server {
			return l, nil
		}
	}
	return Login{}, fmt.Errorf("%w at %s: run teammem login %s --token TOKEN", ErrNotLoggedIn, server, server)
}

// Logins returns all logins.
func (d Dirs) Logins() ([]Login, error) {
	c, err := d.readCredentials()
	return c.Logins, err
}

// SaveLogin keeps a login in place of an earlier one for the same server.
func (d Dirs) SaveLogin(l Login) error {
	return d.exclusive(func() error { return d.saveLogin(l) })
}

func (d Dirs) saveLogin(l Login) error {
	c, err := d.readCredentials()
	if err != nil {
		return err
	}
	kept := []Login{l}
	for _, other := range c.Logins {
		if other.Server != l.Server {
			kept = append(kept, other)
		}
	}
	return writeJSON(d.credentialsFile(), credentials{kept})
}

// readCredentials refuses a file that other accounts can read: a token in it
// may be known to them already.
func (d Dirs) readCredentials() (credentials, error) {
	path := d.credentialsFile()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return credentials{}, nil
	}
	if err != nil {
		return credentials{}, fmt.Errorf("read credentials: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return credentials{}, fmt.Errorf("other accounts can read %s (mode %#o): make a new token, then chmod 600 the file",
			path, info.Mode().Perm())
	}
	var c credentials
	return c, readJSON(path, &c)
}

// readJSON reads one of teammem's own files.
func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: it is damaged; move it away and run teammem login and link again (%v)", path, err) //nolint:errorlint // nobody branches on it
	}
	return nil
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return WriteFile(path, append(b, '\n'))
}
