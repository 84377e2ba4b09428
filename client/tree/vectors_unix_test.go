//go:build unix

package tree

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/memory"
)

// A file whose name the server would refuse is never listed for upload, and told
// with the layer that refuses it, as far as this disk can hold such a name.
func TestTree_ListRefusesVectors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held, named := 0, 0
	for _, raw := range vectorKeys(t) {
		remove := b.hold(raw)
		if remove == nil {
			continue
		}
		held++
		l := b.list()
		_, want := memory.ParsePath(raw)
		switch got := told(l, raw); {
		case want == nil:
			if len(l.Files) != 1 || l.Files[0].Refused != nil || got != nil {
				t.Errorf("%+q: listed %v, blocked %v; want it for upload", raw, l.Files, got)
			}
		case len(l.Files) > 0 && l.Files[0].Refused == nil:
			t.Errorf("%+q: listed for upload as %s", raw, l.Files[0].Path)
		case len(got) > 0 && got[len(got)-1] != "": // else its kind keeps it here
			named++
			if got[len(got)-1] != layerIn(want) {
				t.Errorf("%+q: told with %v, want %s", raw, got, layerIn(want))
			}
		case len(got) == 0 && !mayBeQuiet(raw):
			t.Errorf("%+q: left out without a word", raw)
		case l.Ignored == 0 && len(l.Blocked) == 0:
			t.Errorf("%+q: neither told nor counted as left out", raw)
		}
		remove()
	}
	if held < 250 || named < 210 {
		t.Errorf("only %d names were held, %d of them told with a layer", held, named)
	}
}

// mayBeQuiet reports whether a refused name need not be told: there is no ".md" in
// it, it is in a hidden folder, or a program made it for itself.
func mayBeQuiet(raw string) bool {
	hidden := func(folder string) bool { return strings.HasPrefix(folder, ".") && !strings.HasPrefix(folder, "..") }
	folders := strings.Split(path.Dir(raw), "/")
	return !strings.Contains(strings.ToLower(norm.NFKC.String(raw)), ".md") || path.Dir(raw) != "." && slices.ContainsFunc(folders, hidden) ||
		slices.Contains([]string{"a.md~", "a.md.tmp", "a/._b.md"}, raw)
}

// told returns the layers for which a name is blocked: of its own, of one of its
// folders, or what keeps a listed one here.
func told(l Listing, raw string) (layers []string) {
	for _, blocked := range l.Blocked {
		if blocked.Disk == raw || blocked.Folder && strings.HasPrefix(raw, blocked.Disk+"/") {
			layers = append(layers, layerIn(blocked.Err))
		}
	}
	for _, f := range l.Files {
		if f.Refused != nil {
			layers = append(layers, layerIn(f.Refused))
		}
	}
	return layers
}

func layerIn(err error) string {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e.Layer
	}
	return ""
}

// hold writes a file of that name, and returns how to remove it again; nil if
// the name means something else to this system.
func (b *bundle) hold(raw string) (remove func()) {
	b.Helper()
	if !fs.ValidPath(strings.ToValidUTF8(raw, "x")) || raw == "." || strings.ContainsRune(raw, 0) {
		return nil
	}
	first, _, _ := strings.Cut(raw, "/")
	file := filepath.Join(b.dir, filepath.FromSlash(raw))
	if os.MkdirAll(filepath.Dir(file), 0o700) != nil || os.WriteFile(file, []byte("text\n"), 0o600) != nil {
		_ = os.RemoveAll(filepath.Join(b.dir, first))
		return nil
	}
	return func() { must(b, os.RemoveAll(filepath.Join(b.dir, first))) }
}

// vectorKeys are the keys of the vectors that need no other entry.
func vectorKeys(t *testing.T) (keys []string) {
	t.Helper()
	for _, name := range []string{"path-keys.json", "path-keys-more.json"} {
		data, err := os.ReadFile(filepath.Join("..", "..", "sanitize", "testdata", name))
		must(t, err)
		var vectors []struct {
			Key      *string  `json:"key"`
			KeyHex   string   `json:"key_hex"`
			Existing []string `json:"existing"`
		}
		must(t, json.Unmarshal(data, &vectors))
		for _, v := range vectors {
			switch {
			case v.Existing != nil:
			case v.Key != nil:
				keys = append(keys, *v.Key)
			case v.KeyHex != "":
				raw, err := hex.DecodeString(v.KeyHex)
				must(t, err)
				keys = append(keys, string(raw))
			}
		}
	}
	return keys
}
