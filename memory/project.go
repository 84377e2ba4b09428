package memory

import (
	"strings"
	"time"
)

// Preset says which changes wait for a reviewer.
type Preset string

// The review presets.
const (
	PresetOpen    Preset = "open"
	PresetGuarded Preset = "guarded"
	PresetStrict  Preset = "strict"
)

// ParsePreset reads the name of a preset.
func ParsePreset(s string) (Preset, error) {
	switch p := Preset(s); p {
	case PresetOpen, PresetGuarded, PresetStrict:
		return p, nil
	}
	return "", Invalid("review", "the review preset is open, guarded or strict")
}

// Project is one shared memory space.
type Project struct {
	ID          ProjectID
	Slug        string
	Remotes     []string // normalised git remotes, see NormalizeRemote
	Review      Preset
	DefaultRole Role // of members without a role of their own; RoleNone closes the project
	Head        Head
	CreatedAt   time.Time
}

// ParseSlug checks a project's slug: 1 to 4 segments of
// [a-z0-9][a-z0-9._-]{0,62}, joined by "/".
func ParseSlug(s string) (string, error) {
	segments := strings.Split(s, "/")
	for _, seg := range segments {
		if !slugSegment(seg) {
			return "", Invalid("slug", "a slug has 1 to 4 segments of a-z, 0-9, '.', '_' and '-', such as acme/app")
		}
	}
	if len(segments) > 4 {
		return "", Invalid("slug", "a slug has at most 4 segments")
	}
	return s, nil
}

func slugSegment(s string) bool {
	if s == "" || len(s) > 63 || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "_") || strings.HasPrefix(s, "-") {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789._-") == ""
}

// NormalizeRemote reduces a git remote to host and path, such as
// "github.com/acme/app": no scheme, user, standard port, ".git" or final
// slash, in lower case, since remotes are compared without case. Remotes that
// name no host (a local path) give "".
func NormalizeRemote(remote string) string {
	s := strings.ToLower(strings.TrimSpace(remote))
	scheme, rest, isURL := strings.Cut(s, "://")
	if isURL {
		s = rest
	} else if host, path, ok := strings.Cut(s, ":"); ok && !strings.Contains(host, "/") && len(host) > 1 {
		s = host + "/" + strings.TrimPrefix(path, "/") // scp form: user@host:path
	} else if !hasHost(s) {
		return ""
	}
	if scheme == "file" {
		return ""
	}
	host, path, _ := strings.Cut(s, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	for _, port := range []string{":22", ":443", ":80", ":9418"} {
		host = strings.TrimSuffix(host, port)
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || path == "" {
		return ""
	}
	return host + "/" + path
}

// hasHost reports whether a remote without scheme starts with a host name, as
// a normalised one does.
func hasHost(s string) bool {
	host, path, ok := strings.Cut(s, "/")
	return ok && path != "" && strings.Contains(strings.Trim(host, "."), ".") && !strings.HasPrefix(host, ".")
}
