package sanitize_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/sanitize"
)

// A vector is one line of testdata/path-keys*.json: an input in one of three
// forms, and the verdict that server, client and documentation agree on.
type vector struct {
	Key       *string  `json:"key"`
	KeyHex    string   `json:"key_hex"`
	KeyJSON   string   `json:"key_json"`
	Existing  []string `json:"existing"`
	Verdict   string   `json:"verdict"`
	Canonical string   `json:"canonical"`
	Layer     string   `json:"layer"`
	Note      string   `json:"note"`
}

func loadVectors(tb testing.TB) []vector {
	tb.Helper()
	var all []vector
	for _, name := range []string{"path-keys.json", "path-keys-more.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			tb.Fatal(err)
		}
		var vectors []vector
		if err := json.Unmarshal(data, &vectors); err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		all = append(all, vectors...)
	}
	return all
}

func (v vector) raw(tb testing.TB) string {
	tb.Helper()
	switch {
	case v.KeyHex != "":
		b, err := hex.DecodeString(v.KeyHex)
		if err != nil {
			tb.Fatal(err)
		}
		return string(b)
	case v.KeyJSON != "":
		// The protocol's decoder refuses a lone surrogate itself. This lax one turns it into U+FFFD, which must not get
		// through either: both count as layer encoding.
		var key string
		if err := json.Unmarshal([]byte(v.KeyJSON), &key); err != nil {
			tb.Fatal(err)
		}
		return key
	}
	return *v.Key
}

// parse applies all thirteen layers.
func parse(raw string, existing []string) (string, error) {
	key, err := sanitize.ParseKey(raw)
	if err != nil {
		return "", err
	}
	var names sanitize.Names
	for _, other := range existing {
		names.Add(other)
	}
	return key, names.Check(key)
}

func layerOf(tb testing.TB, err error) string {
	tb.Helper()
	pe, ok := errors.AsType[*sanitize.PathError](err)
	if !ok {
		tb.Fatalf("error %v is no *PathError", err)
	}
	return string(pe.Layer)
}

func TestParseKey_Vectors(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t) {
		raw := v.raw(t)
		got, err := parse(raw, v.Existing)
		switch {
		case v.Verdict == "accept" && err != nil:
			t.Errorf("%+q (%s): refused: %v", raw, v.Note, err)
		case v.Verdict == "accept" && got != v.Canonical:
			t.Errorf("%+q (%s): canonical %+q, want %+q", raw, v.Note, got, v.Canonical)
		case v.Verdict == "reject" && err == nil:
			t.Errorf("%+q (%s): accepted as %+q, want layer %s", raw, v.Note, got, v.Layer)
		case v.Verdict == "reject" && layerOf(t, err) != v.Layer:
			t.Errorf("%+q (%s): %v, want layer %s", raw, v.Note, err, v.Layer)
		}
	}
}

// A client must refuse what the server refuses, but for code points that the
// server may know from a later Unicode version.
func TestParseServedKey_Vectors(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t) {
		raw := v.raw(t)
		want, wantErr := sanitize.ParseKey(raw)
		got, err := sanitize.ParseServedKey(raw)
		if raw == "a\u0378.md" {
			want, wantErr = raw, nil
		}
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%+q: got %+q, %v; want %+q, %v", raw, got, err, want, wantErr)
		}
		if err != nil && wantErr != nil && err.Error() != wantErr.Error() {
			t.Errorf("%+q: got %v, want %v", raw, err, wantErr)
		}
	}
}

func TestParseKey_ErrorsPointIntoTheKeyAndDoNotQuoteIt(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t) {
		raw := v.raw(t)
		_, err := sanitize.ParseKey(raw)
		if err == nil {
			continue
		}
		pe, ok := errors.AsType[*sanitize.PathError](err)
		if !ok {
			t.Fatalf("%+q: error %v is no *PathError", raw, err)
		}
		if pe.Offset < 0 || pe.Offset > len(raw) || pe.Offset == len(raw) && raw != "" && !strings.HasSuffix(raw, "/") {
			t.Errorf("%+q: offset %d is outside", raw, pe.Offset)
		}
		for i := range len(err.Error()) {
			if c := err.Error()[i]; c < ' ' || c >= utf8.RuneSelf-1 {
				t.Errorf("%+q: error text %+q is not plain", raw, err.Error())
				break
			}
		}
		if len(raw) > 8 && strings.Contains(err.Error(), raw) {
			t.Errorf("%+q: error text %+q quotes the key", raw, err.Error())
		}
	}
}

// Every accepted key can be written on the system that runs this test, and
// is the only file there afterwards.
func TestParseKey_AcceptedKeysCanBeWritten(t *testing.T) {
	t.Parallel()
	for _, v := range loadVectors(t) {
		if v.Verdict != "accept" {
			continue
		}
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(v.Canonical)), 0o700); err != nil {
			t.Errorf("%+q: %v", v.Canonical, err)
		}
		if err := root.WriteFile(filepath.FromSlash(v.Canonical), nil, 0o600); err != nil {
			t.Errorf("%+q: %v", v.Canonical, err)
		}
		if err := root.Close(); err != nil {
			t.Fatal(err)
		}
		var files []string
		err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				files = append(files, norm.NFC.String(filepath.ToSlash(rel))) // HFS+ lists NFD
			}
			return err
		})
		if err != nil || len(files) != 1 || files[0] != v.Canonical {
			t.Errorf("%+q was written as %+q (%v)", v.Canonical, files, err)
		}
	}
}
