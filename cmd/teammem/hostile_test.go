package main

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// hostile is a server that offers whatever a test gives it.
type hostile struct {
	feed http.HandlerFunc
	rest http.HandlerFunc // what is asked for beside the feed; nil: there is none

	instance, member, device string // by which it and its guests go; "" for ordinary ones
	project                  wire.Project
}

const (
	hostileInstance = "ins_hostile"
	hostileProject  = "prj_hostile"
)

func (h hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	instance := cmp.Or(h.instance, hostileInstance)
	w.Header().Set("Teammem-Instance", instance)
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/version":
		answerJSON(w, wire.Version{Version: "0", API: 1, Instance: instance})
	case r.URL.Path == "/api/v1/me":
		answerJSON(w, wire.Me{ID: cmp.Or(h.member, "mem_x"), Name: "x", Scopes: []string{"sync:read", "sync:write"}})
	case r.URL.Path == "/api/v1/me/devices":
		answerJSON(w, wire.Device{ID: cmp.Or(h.device, "dev_hostile")})
	case r.URL.Path == "/api/v1/projects":
		p := h.project
		p.ID, p.Slug, p.Epoch = cmp.Or(p.ID, hostileProject), cmp.Or(p.Slug, "acme/app"), cmp.Or(p.Epoch, "e1")
		p.Role, p.Digest = "contributor", memory.Digest{}.String()
		answerJSON(w, wire.Page[wire.Project]{Items: []wire.Project{p}})
	case strings.HasSuffix(r.URL.Path, "/changes"):
		h.feed(w, r)
	case h.rest != nil:
		h.rest(w, r)
	default:
		http.NotFound(w, r)
	}
}

func answerJSON(w http.ResponseWriter, v any) {
	if b, err := wire.Encode(v); err == nil {
		_, _ = w.Write(b)
	}
}

// visit links a new member with the hostile server and syncs once.
func visit(t *testing.T, feed http.HandlerFunc) (*member, result) {
	t.Helper()
	m := guestOf(t, hostile{feed: feed})
	return m, m.run(t, "sync", m.work(), "--json")
}

// guestOf links a new member with a server.
func guestOf(t *testing.T, h http.Handler) *member {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	m := &member{home: filepath.Join(t.TempDir(), "home")}
	mkdir(t, m.work())
	mkdir(t, m.tree())
	m.must(t, "login", server.URL, "--token", "any", "--keep-token")
	m.must(t, "link", m.work(), "--project", "acme/app", "--memory-dir", filepath.Join(m.home, "memory"))
	return m
}

// offer answers with one change per path.
func offer(paths []string) http.HandlerFunc {
	feed := wire.Feed{Epoch: "e1", To: int64(len(paths)), Head: int64(len(paths)), Digest: memory.Digest{}.String()}
	for i, path := range paths {
		text := wire.Text("planted " + strconv.Itoa(i) + "\n")
		feed.Changes = append(feed.Changes, wire.Change{
			Seq: int64(i + 1), EntryID: fmt.Sprintf("ent_%d", i), Op: "put", Path: path, Rev: int64(i + 1),
			SHA256: memory.Sum(text).String(), Size: len(text), Content: &text, At: time.Unix(0, 0).UTC(),
		})
	}
	return func(w http.ResponseWriter, _ *http.Request) { answerJSON(w, feed) }
}

// vector is one line of the path-key vectors.
type vector struct {
	Key      string   `json:"key"`
	KeyHex   string   `json:"key_hex"`
	KeyJSON  string   `json:"key_json"`
	Existing []string `json:"existing"`
	Verdict  string   `json:"verdict"`
	Layer    string   `json:"layer"`
	Note     string   `json:"note"`
}

func vectors(t *testing.T) []vector {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "sanitize", "testdata", "path-keys.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []vector
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// All keys that must be refused come as entries of the feed, among good ones.
// Each is reported with its layer, none is on disk, and the rest is.
func TestHostile_BadPathsInTheFeed(t *testing.T) {
	t.Parallel()
	paths, want := []string{"good/first.md"}, map[string]string{}
	for _, v := range vectors(t) {
		if v.Verdict == "reject" && v.Key != "" && len(v.Existing) == 0 && !newerThanUs(v.Key) {
			paths, want[v.Key] = append(paths, v.Key), v.Layer
		}
	}
	paths = append(paths, "good/last.md")
	m, r := visit(t, offer(paths))
	if r.code != exitRefused {
		t.Errorf("exit %d, want %d\n%s", r.code, exitRefused, r.stderr)
	}
	got := refusals(t, r)
	for key, layer := range want {
		if got[key] != layer {
			t.Errorf("%+q: got layer %q, want %q", key, got[key], layer)
		}
	}
	if files := m.files(t); len(files) != 2 || files["good/first.md"] == "" || files["good/last.md"] == "" {
		t.Errorf("team/ holds %q, want the two good entries", files)
	}
	nothingPlanted(t, m.home, filepath.Join(m.home, "memory", "team", "good"))

	again := refusals(t, m.run(t, "sync", m.work(), "--json"))
	if len(again) < len(want) {
		t.Errorf("the next run lists %d refusals, want all %d again", len(again), len(want))
	}
}

// newerThanUs reports the one key that a client lets pass from a server: a code
// point that only newer tables know.
func newerThanUs(key string) bool { return strings.Contains(key, "\u0378") }

// refusals returns the keys that a sync did not take from the server, each with
// the layer that refused it.
func refusals(t *testing.T, r result) map[string]string {
	t.Helper()
	layers := map[string]string{}
	for line := range strings.Lines(r.stdout) {
		var l refusedLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Type == "refused" && l.Remote {
			layers[l.Path] = l.Layer
		}
	}
	return layers
}

// nothingPlanted looks for a text of the hostile server outside of one folder.
func nothingPlanted(t *testing.T, home, but string) {
	t.Helper()
	for name, text := range filesBelow(t, home) {
		if strings.Contains(text, "planted") && !strings.HasPrefix(filepath.Join(home, name), but) {
			t.Errorf("%q was written", name)
		}
	}
}

// Two names that are one on some disks: the server offers both.
func TestHostile_TwinsInTheFeed(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if v.Layer != "case" {
			continue
		}
		t.Run(v.Note, func(t *testing.T) {
			t.Parallel()
			m, r := visit(t, offer(append(v.Existing, v.Key)))
			if r.code != exitRefused || refusedIn(t, r.stdout)[norm.NFC.String(v.Key)] != string(memory.CodePathRejected) || !strings.Contains(r.stdout, `"layer":"case"`) {
				t.Errorf("exit %d, want %d and %q refused by layer case\n%s", r.code, exitRefused, v.Key, r.stdout)
			}
			if got := len(m.files(t)); got != len(v.Existing) {
				t.Errorf("%d files, want the %d that came first", got, len(v.Existing))
			}
		})
	}
}

// Keys that are no text at all make the whole answer unreadable: nothing is
// written, and the person is told.
func TestHostile_UnreadableKeys(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if v.KeyHex == "" && v.KeyJSON == "" {
			continue
		}
		t.Run(v.Note, func(t *testing.T) {
			t.Parallel()
			key := v.KeyJSON
			if v.KeyHex != "" {
				raw, err := hex.DecodeString(v.KeyHex)
				if err != nil {
					t.Fatal(err)
				}
				key = `"` + string(raw) + `"`
			}
			m, r := visit(t, func(w http.ResponseWriter, _ *http.Request) {
				sum := memory.Sum([]byte("planted\n"))
				fmt.Fprintf(w, `{"epoch":"e1","from":0,"to":1,"head":1,"floor":0,"digest":"%s","more":false,"changes":[{"seq":1,"entry_id":"ent_1",`+
					`"op":"put","path":%s,"rev":1,"sha256":"%s","size":8,"content":"planted\n","at":"2026-01-01T00:00:00Z","author":{"member":"m","name":"m"}}]}`,
					memory.Digest{}, key, sum)
			})
			if r.code == exitOK || r.stderr == "" {
				t.Errorf("exit %d with %q on stderr, want an error that is explained", r.code, r.stderr)
			}
			if files := m.files(t); len(files) != 0 {
				t.Errorf("team/ holds %q, want nothing", files)
			}
			nothingPlanted(t, m.home, "nowhere")
		})
	}
}

// The command line gives every key the verdict of the vectors.
func TestCheck_Vectors(t *testing.T) {
	t.Parallel()
	for i, v := range vectors(t) {
		if v.Key == "" && v.Layer != "segment" || len(v.Existing) > 0 || strings.ContainsRune(v.Key, 0) {
			continue // an argument of a process is a text without NUL
		}
		a := newTestApp(t)
		code := a.run(t.Context(), []string{"check", "--json", "--path=" + v.Key})
		var line checkLine
		if err := json.Unmarshal(a.out.Bytes(), &line); err != nil {
			t.Fatalf("vector %d: %v\n%s", i, err, a.out)
		}
		want := exitOK
		if v.Verdict == "reject" {
			want = exitRefused
		}
		if code != want || line.Layer != v.Layer {
			t.Errorf("vector %d %+q: exit %d, layer %q; want %d, %q", i, v.Key, code, line.Layer, want, v.Layer)
		}
	}
}
