package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/memory"
)

// Login is what the client keeps of a login to one server: the tokens of this
// computer, or an API token.
type Login struct {
	Server   string          `json:"server"`
	Instance string          `json:"instance"`
	Member   memory.MemberID `json:"member"`
	Name     string          `json:"name"`
	Device   memory.DeviceID `json:"device"`
	CAFile   string          `json:"ca_file,omitzero"` // absolute; trusted beside the system's authorities
	Token    string          `json:"token,omitzero"`   // an API token that was kept

	Access      string    `json:"access,omitzero"`
	AccessEnds  time.Time `json:"access_ends,omitzero"` // by the server's clock
	RenewAt     time.Time `json:"renew_at,omitzero"`    // by this computer's clock
	Refresh     string    `json:"refresh,omitzero"`     // is good for one use
	RefreshEnds time.Time `json:"refresh_ends,omitzero"`
	Attempt     string    `json:"attempt,omitzero"` // nonce of a refresh whose answer did not come yet
}

// String leaves out the tokens, so that no message shows one by accident.
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

// replaceLogin keeps the next state of a login, unless it is not the one any
// more that has the refresh token. It returns what there is now.
func (d Dirs) replaceLogin(refresh string, next Login) (now Login, err error) {
	err = d.exclusive(func() error {
		if now, err = d.Login(next.Server); err != nil || now.Refresh != refresh {
			return err
		}
		now = next
		return d.saveLogin(next)
	})
	return now, err
}

// RemoveLogin forgets a login, and with it its tokens.
func (d Dirs) RemoveLogin(server string) error {
	return d.exclusive(func() error {
		c, err := d.readCredentials()
		if err != nil {
			return err
		}
		c.Logins = slices.DeleteFunc(c.Logins, func(l Login) bool { return l.Server == server })
		return writeJSON(d.credentialsFile(), c)
	})
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
	if isOpen(info) {
		return credentials{}, fmt.Errorf("other accounts can read %s (mode %#o): make a new token, then chmod 600 the file",
			path, info.Mode().Perm())
	}
	var c credentials
	return c, readJSON(path, &c)
}

// mostPrivate is how large a file of the state may be that people do not edit.
const mostPrivate = 8 << 20

// readPrivate reads one of teammem's own files that nobody but the member may
// read or write. Another is not taken for it.
func readPrivate(path string, v any) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", path, err)
	case !info.Mode().IsRegular() || info.Size() > mostPrivate:
		return fmt.Errorf("read %s: it is not what teammem wrote", path)
	case isOpen(info):
		return fmt.Errorf("read %s: other accounts can read or write it (mode %#o)", path, info.Mode().Perm())
	}
	return readJSON(path, v)
}

// isOpen reports whether other accounts have rights to a file. Windows does not
// say it by the mode.
func isOpen(info fs.FileInfo) bool { return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 }

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

func writeJSON(path string, v any) error { return putJSON(WriteFile, path, v) }

func putJSON(write func(path string, data []byte) error, path string, v any) error {
	b, err := json.Marshal(v, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return write(path, append(b, '\n'))
}
