package memory

import (
	"strings"
	"time"
	"unicode"
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
// slash, in lower case, since remotes are compared without case. What is
// normal already stays as it is. Remotes that name no host (a local path, a
// file URL) give "".
func NormalizeRemote(remote string) string {
	s := strings.ToLower(strings.TrimSpace(remote))
	scheme, rest, isURL := strings.Cut(s, "://")
	if scheme == "file" {
		return ""
	}
	if !isURL {
		rest = unscp(s)
	}
	host, path, _ := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	for _, port := range []string{":22", ":443", ":80", ":9418"} {
		if without, ok := strings.CutSuffix(host, port); ok {
			host = without
			break
		}
	}
	path = trimPath(path)
	for strings.HasSuffix(path, ".git") {
		path = trimPath(strings.TrimSuffix(path, ".git"))
	}
	if !isHost(host) || path == "" {
		return ""
	}
	return host + "/" + path
}

func trimPath(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
}

// unscp turns the form "user@host:path" into "user@host/path". A remote that is
// normal already can have a port there.
func unscp(s string) string {
	end := strings.IndexByte(s, ']') + 1 // of an IPv6 address, which has colons of its own
	colon := strings.IndexByte(s[end:], ':') + end
	if colon < end || strings.Contains(s[:colon], "/") {
		return s
	}
	host, path := s[:colon], strings.TrimPrefix(s[colon+1:], "/")
	port, _, _ := strings.Cut(s[colon+1:], "/")
	if port != "" && digits(port) && !strings.Contains(host, "@") {
		return s
	}
	return host + "/" + path
}

// isHost reports whether s is a host name or address, perhaps with a port. One
// letter is a drive of Windows.
func isHost(s string) bool {
	name, port, hasPort := strings.Cut(s, ":")
	if address, ok := strings.CutPrefix(s, "["); ok {
		name, port, hasPort = strings.Cut(address, "]")
		port, ok = strings.CutPrefix(port, ":")
		return hasPort && name != "" && strings.Trim(name, "0123456789abcdef:.") == "" && digits(port) && ok == (port != "")
	}
	return len(name) > 1 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == "" &&
		name[0] != '.' && name[0] != '-' && digits(port) && hasPort == (port != "")
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }
