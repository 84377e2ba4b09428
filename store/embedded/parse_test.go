package embedded

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		out     string
		version string
		major   int
	}{
		{"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n", "15.18", 15},
		{"postgres (PostgreSQL) 18.0\n", "18.0", 18},
		{"postgres (PostgreSQL) 18beta1\n", "18beta1", 18},
		{"postgres (PostgreSQL) 9.6.24\n", "9.6.24", 9},
		{"postgres (PostgreSQL) devel\n", "", 0},
		{"", "", 0},
	} {
		version, major := parseVersion(tt.out)
		if version != tt.version || major != tt.major {
			t.Errorf("parseVersion(%q) = %q, %d, want %q, %d", tt.out, version, major, tt.version, tt.major)
		}
	}
}

func TestParsePIDFile(t *testing.T) {
	t.Parallel()
	whole := "4242\n/srv/teammem/postgres\n1764445400\n5432\n/srv/teammem/socket\n\n  5432001    196608\nready   \n"
	for _, tt := range []struct {
		name string
		text string
		want pidFile
	}{
		{"whole", whole, pidFile{4242, 5432, "/srv/teammem/socket", 196608, true}},
		{"starting", strings.Replace(whole, "ready   ", "starting", 1), pidFile{4242, 5432, "/srv/teammem/socket", 196608, false}},
		{"being written", "4242\n/srv/teammem/postgres\n1764445400\n5432\n", pidFile{4242, 5432, "", -1, false}},
		{"single-user server", "-4242\n/srv/teammem/postgres\n", pidFile{4242, 0, "", -1, false}},
		{"segment nought", "1\n\n\n\n\n\n 5432001 0\n", pidFile{1, 0, "", 0, false}},
		{"empty", "", pidFile{0, 0, "", -1, false}},
	} {
		if diff := cmp.Diff(tt.want, parsePIDFile(tt.text), cmp.AllowUnexported(pidFile{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestServerArgs_SafetyWins(t *testing.T) {
	t.Parallel()
	args := serverArgs("/data", `/so"cket, it is`, Options{Settings: map[string]string{"listen_addresses": "*", "work_mem": "8MB"}})
	last := map[string]string{}
	for _, arg := range args {
		if name, value, ok := strings.Cut(arg, "="); ok {
			last[name] = value
		}
	}
	for name, want := range map[string]string{
		"listen_addresses": "", "work_mem": "8MB", "unix_socket_directories": `"/so""cket, it is"`, "fsync": "on",
	} {
		if got, ok := last[name]; got != want || !ok {
			t.Errorf("%s=%s, want %s", name, got, want)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
