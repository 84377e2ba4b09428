package memory

import (
	"strings"
	"testing"
)

func TestParseSlug(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"app", "acme/app", "a/b/c/d", "acme/app.js", "a_b/c-d", "0/1", strings.Repeat("x", 63)} {
		if got, err := ParseSlug(good); err != nil || got != good {
			t.Errorf("%q: got %q, %v", good, got, err)
		}
	}
	for _, bad := range []string{
		"", "/", "a/", "/a", "a//b", "a/b/c/d/e", "Acme/app", "acme app", ".hidden", "_x", "-x", "a/.b", "..", "über", "a\n",
		strings.Repeat("x", 64), "a/" + strings.Repeat("x", 64),
	} {
		if got, err := ParseSlug(bad); CodeOf(err) != CodeInvalid || got != "" {
			t.Errorf("%q: got %q, %v", bad, got, err)
		}
	}
}

func TestNormalizeRemote(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"scp form", "git@github.com:acme/app.git", "github.com/acme/app"},
		{"scp form without user", "github.com:acme/app", "github.com/acme/app"},
		{"scp form with an absolute path", "git@host.example:/srv/git/app.git", "host.example/srv/git/app"},
		{"scp form, host without dots", "git@gitserver:acme/app.git", "gitserver/acme/app"},
		{"scp form without user, absolute", "gitserver:/srv/app", "gitserver/srv/app"},
		{"scp form, a number as folder", "git@host.example:2024/app", "host.example/2024/app"},
		{"scp form, IPv6", "git@[fe80::1]:acme/app", "[fe80::1]/acme/app"},
		{"https", "https://github.com/acme/app.git", "github.com/acme/app"},
		{"https with user and token", "https://user:pw@github.com/acme/app", "github.com/acme/app"},
		{"final slashes", "https://github.com/acme/app.git//", "github.com/acme/app"},
		{"the folder of git itself", "https://host.example/acme/app/.git", "host.example/acme/app"},
		{"ssh", "ssh://git@github.com/acme/app", "github.com/acme/app"},
		{"ssh, standard port", "ssh://git@github.com:22/acme/app", "github.com/acme/app"},
		{"ssh, another port", "ssh://git@host.example:2222/acme/app", "host.example:2222/acme/app"},
		{"https, standard port", "https://github.com:443/acme/app", "github.com/acme/app"},
		{"http, standard port", "http://github.com:80/acme/app", "github.com/acme/app"},
		{"git", "git://github.com:9418/acme/app", "github.com/acme/app"},
		{"IPv6", "ssh://git@[::1]:22/acme/app", "[::1]/acme/app"},
		{"IPv6, another port", "https://[fe80::22]:8443/acme/app", "[fe80::22]:8443/acme/app"},
		{"IPv4", "https://192.0.2.1/acme/app", "192.0.2.1/acme/app"},
		{"capitals and blanks", "  HTTPS://GitHub.com/Acme/App \n", "github.com/acme/app"},
		{"normal already", "github.com/acme/app", "github.com/acme/app"},
		{"normal already, host without dots", "gitserver/acme/app", "gitserver/acme/app"},
		{"normal already, with a port", "host.example:8443/acme/app", "host.example:8443/acme/app"},
		{"git in the middle", "https://host.example/acme/app.git/sub", "host.example/acme/app.git/sub"},
		{"twice .git", "https://host.example/app.git.git", "host.example/app"},

		{"empty", "", ""},
		{"host alone", "https://github.com", ""},
		{"host and slash", "https://github.com/", ""},
		{"scp form without path", "git@github.com:", ""},
		{"no host", "https:///acme/app", ""},
		{"only .git", "https://host.example/.git", ""},
		{"file URL", "file:///srv/git/app.git", ""},
		{"file URL with a host", "FILE://host.example/srv/app", ""},
		{"absolute path", "/srv/git/app.git", ""},
		{"relative path", "../app.git", ""},
		{"relative path with a dot in it", "./my.repo/app", ""},
		{"home folder", "~/app.git", ""},
		{"Windows path", `C:\src\app`, ""},
		{"Windows path, forward", "C:/src/app", ""},
		{"Windows share", `\\server\share\app`, ""},
		{"blank in the host", "https://ho st/app", ""},
		{"bad port", "https://host.example:x/app", ""},
		{"empty port", "https://host.example:/app", ""},
		{"half an IPv6 address", "https://[::1/app", ""},
		{"junk behind an IPv6 address", "https://[::1]x/app", ""},
		{"not an IPv6 address", "https://[host]/app", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := NormalizeRemote(tt.in); got != tt.want {
				t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

// Clients send what they normalised and servers normalise what they get, so
// doing it twice must be doing it once.
func FuzzNormalizeRemote(f *testing.F) {
	for _, seed := range []string{
		"git@github.com:acme/app.git", "ssh://git@[::1]:22/a/b", "https://u:p@h:8443/a/.git/", "c:/x", "h:22:443/x", "h:1/x", "[::1]:x/y", "a@b:c@d:e/f",
		"h/.git.git/", "h/x/ ", "h/ .git",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		once := NormalizeRemote(remote)
		if twice := NormalizeRemote(once); twice != once {
			t.Errorf("%q: once %q, twice %q", remote, once, twice)
		}
	})
}

func TestParsePreset(t *testing.T) {
	t.Parallel()
	for _, good := range []Preset{PresetOpen, PresetGuarded, PresetStrict} {
		if got, err := ParsePreset(string(good)); err != nil || got != good {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if got, err := ParsePreset("Open"); CodeOf(err) != CodeInvalid || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
}
