package api

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// canary stands for what no answer and no log may repeat.
const canary = "CANARY"

func TestBody_Refuses(t *testing.T) {
	t.Parallel()
	const good = `{"path":"a.md","content":"x"}`
	tests := []struct {
		name, body string
		headers    []string
		status     int
		code       memory.Code
		layer      string
	}{
		{name: "empty", status: 415, code: memory.CodeUnsupportedMedia},
		{name: "empty JSON", body: " ", status: 400, code: memory.CodeInvalid},
		{name: "form", body: good, headers: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415, code: memory.CodeUnsupportedMedia},
		{name: "text", body: good, headers: []string{"Content-Type", "text/plain"}, status: 415, code: memory.CodeUnsupportedMedia},
		{name: "latin-1", body: good, headers: []string{"Content-Type", "application/json; charset=iso-8859-1"}, status: 415, code: memory.CodeUnsupportedMedia},
		{name: "broken media type", body: good, headers: []string{"Content-Type", "application/json; ="}, status: 415, code: memory.CodeUnsupportedMedia},
		{name: "not JSON", body: canary, status: 400, code: memory.CodeInvalid},
		{name: "array", body: `["CANARY"]`, status: 400, code: memory.CodeInvalid},
		{name: "null", body: `null`, status: 400, code: memory.CodeInvalid},
		{name: "number for text", body: `{"path":1,"content":"CANARY"}`, status: 400, code: memory.CodeInvalid},
		{name: "no path", body: `{"content":"CANARY"}`, status: 400, code: memory.CodeInvalid},
		{name: "null content", body: `{"path":"a.md","content":null}`, status: 400, code: memory.CodeInvalid},
		{name: "duplicate key", body: `{"path":"a.md","path":"CANARY"}`, status: 400, code: memory.CodeInvalid},
		{name: "unknown key", body: `{"path":"a.md","CANARY":1}`, status: 400, code: memory.CodeInvalid},
		{name: "key in another case", body: `{"Path":"CANARY"}`, status: 400, code: memory.CodeInvalid},
		{name: "trailing data", body: good + `{"path":"CANARY"}`, status: 400, code: memory.CodeInvalid},
		{name: "lone surrogate", body: `{"path":"a.md","content":"CANARY\ud800"}`, status: 400, code: memory.CodeInvalid, layer: "encoding"},
		{name: "invalid UTF-8", body: "{\"path\":\"CANARY\xff\"}", status: 400, code: memory.CodeInvalid, layer: "encoding"},
		{name: "deep nesting", body: strings.Repeat("[", 500_000), status: 400, code: memory.CodeInvalid},
		{name: "10 MB", body: `{"path":"a.md","content":"` + strings.Repeat("x", 10<<20) + `"}`, status: 413, code: memory.CodeTooLarge},
		{name: "just over the cap", body: strings.Repeat(" ", maxEntry-len(good)+1) + good, status: 413, code: memory.CodeTooLarge},
		{name: "gzip bomb", body: zipped(t, 100<<20), headers: encoding("gzip"), status: 413, code: memory.CodeTooLarge},
		{name: "zstd bomb", body: zstandard(t, 100<<20, 0), headers: encoding("zstd"), status: 413, code: memory.CodeTooLarge},
		{name: "zstd with a huge window", body: zstandard(t, 64<<20, 64<<20), headers: encoding("zstd"), status: 400, code: memory.CodeInvalid},
		{name: "gzip that is none", body: good, headers: encoding("gzip"), status: 400, code: memory.CodeInvalid},
		{name: "zstd that is none", body: good, headers: encoding("zstd"), status: 400, code: memory.CodeInvalid},
		{name: "gzip cut off", body: zipped(t, 1000)[:20], headers: encoding("gzip"), status: 400, code: memory.CodeInvalid},
		{name: "gzip header only", body: zipped(t, 1000)[:4], headers: encoding("gzip"), status: 400, code: memory.CodeInvalid},
		{name: "zstd cut off", body: zstandard(t, 1000, 0)[:10], headers: encoding("zstd"), status: 400, code: memory.CodeInvalid},
		{name: "gzip with trailing text", body: zipped(t, 10) + canary, headers: encoding("gzip"), status: 400, code: memory.CodeInvalid},
		{name: "gzip twice", body: good, headers: encoding("gzip, gzip"), status: 415, code: memory.CodeUnsupportedMedia},
		{name: "deflate", body: good, headers: encoding("deflate"), status: 415, code: memory.CodeUnsupportedMedia},
		{name: "brotli", body: good, headers: encoding("br"), status: 415, code: memory.CodeUnsupportedMedia},
		{name: "identity", body: good, headers: encoding("identity"), status: 415, code: memory.CodeUnsupportedMedia},
	}
	log := &logBuffer{}
	a, r := offline(t, Options{Log: jsonLog(log)})
	url := listen(t, a)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &client{t: t, url: url, token: r.token}
			got := c.post(base+"/check", tt.body, tt.headers...).want(t, tt.status, tt.code)
			if got.problem.Layer != tt.layer {
				t.Errorf("layer %q, want %q", got.problem.Layer, tt.layer)
			}
			if bytes.Contains(got.body, []byte(canary)) {
				t.Errorf("the answer quotes the body: %s", got.body)
			}
		})
	}
	t.Cleanup(func() {
		if s := log.String(); strings.Contains(s, canary) || strings.Contains(s, r.token) || !strings.Contains(s, "/check") {
			t.Errorf("the log holds what it must not, or nothing:\n%s", s)
		}
	})
}

func encoding(name string) []string { return []string{"Content-Encoding", name} }

func zipped(t *testing.T, size int) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write(make([]byte, size))
	must(t, err)
	must(t, w.Close())
	return buf.String()
}

func zstandard(t *testing.T, size, window int) string {
	t.Helper()
	options := []zstd.EOption{zstd.WithEncoderConcurrency(1)}
	if window > 0 {
		options = append(options, zstd.WithWindowSize(window))
	}
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, options...)
	must(t, err)
	_, err = w.Write(make([]byte, size))
	must(t, err)
	must(t, w.Close())
	return buf.String()
}

func TestBody_Accepts(t *testing.T) {
	t.Parallel()
	const good = `{"path":"a.md","content":"x"}`
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	_, err := w.Write([]byte(good))
	must(t, err)
	must(t, w.Close())
	enc, err := zstd.NewWriter(nil)
	must(t, err)
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	for name, req := range map[string]struct {
		body    string
		headers []string
	}{
		"plain":          {body: good},
		"with a charset": {body: good, headers: []string{"Content-Type", "application/json; charset=UTF-8"}},
		"gzip":           {body: buf.String(), headers: encoding("gzip")},
		"zstd":           {body: string(enc.EncodeAll([]byte(good), nil)), headers: encoding("zstd")},
		"upper case":     {body: string(enc.EncodeAll([]byte(good), nil)), headers: encoding("ZSTD")},
		"at the cap":     {body: strings.Repeat(" ", maxEntry-len(good)) + good},
	} {
		got := read[wire.Result](t, c.post(base+"/check", req.body, req.headers...))
		if got.Verdict != string(memory.RulingPublished) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Every vector of a path key gets the verdict and the layer that the vectors
// name, also after its trip through JSON. Bytes that are no text are refused
// with the request.
func TestCheck_PathVectors(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	for _, v := range pathVectors(t) {
		if v.Layer == string(sanitize.LayerCase) {
			continue // needs a project: TestCheck_PathVectorsInProject
		}
		got := c.post(base+"/check", `{"path":`+v.json(t)+`}`)
		if v.Key == nil {
			if got.want(t, http.StatusBadRequest, memory.CodeInvalid); got.problem.Layer != "encoding" {
				t.Errorf("%s: %s", v.Note, got.body)
			}
			continue
		}
		v.compare(t, read[wire.Result](t, got))
	}
}

func TestCheck_PathVectorsInProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, memory.RoleContributor)
	for _, v := range pathVectors(t) {
		if v.Existing == nil {
			continue
		}
		b.sql(t, "delete from changes")
		b.sql(t, "delete from revisions")
		b.sql(t, "delete from entries")
		b.sql(t, "update projects set seq = 0, live = 0, digest = decode(repeat('00', 32), 'hex')")
		for _, key := range v.Existing {
			b.put(t, c, key, "text of "+key)
		}
		v.compare(t, read[wire.Result](t, c.post(b.in("/check"), `{"path":`+v.json(t)+`,"content":"new"}`)))
	}
}

// pathVector is a line of the vectors; its key has one of three forms.
type pathVector struct {
	Key      *string  `json:"key"`
	KeyHex   string   `json:"key_hex"`
	KeyJSON  string   `json:"key_json"`
	Existing []string `json:"existing"`
	Verdict  string   `json:"verdict"`
	Layer    string   `json:"layer"`
	Note     string   `json:"note"`
}

func pathVectors(t *testing.T) []pathVector {
	t.Helper()
	file, err := os.ReadFile("../sanitize/testdata/path-keys.json")
	must(t, err)
	var all []pathVector
	must(t, json.Unmarshal(file, &all))
	if len(all) < 300 {
		t.Fatalf("only %d vectors", len(all))
	}
	return all
}

// json returns the key as a JSON text, or as the bytes in quotes that no
// encoder would write.
func (v pathVector) json(t *testing.T) string {
	t.Helper()
	if v.KeyJSON != "" {
		return v.KeyJSON
	}
	if v.Key == nil {
		raw, err := hex.DecodeString(v.KeyHex)
		must(t, err)
		return `"` + string(raw) + `"`
	}
	b, err := json.Marshal(*v.Key)
	must(t, err)
	return string(b)
}

func (v pathVector) compare(t *testing.T, got wire.Result) {
	t.Helper()
	want := wire.Result{Verdict: string(memory.RulingPublished)}
	if v.Verdict == "reject" {
		want.Verdict = string(memory.RulingRefused)
	}
	layer := ""
	if got.Problem != nil {
		layer = got.Problem.Layer
	}
	if got.Verdict != want.Verdict || layer != v.Layer {
		t.Errorf("%+q (%s): got %s by layer %q, want %s by %q", *v.Key, v.Note, got.Verdict, layer, want.Verdict, v.Layer)
	}
}

// What was rejected before reading costs the sender nothing more either.
func TestBody_TellsSizeFirst(t *testing.T) {
	t.Parallel()
	a, r := offline(t, Options{})
	c := &client{t: t, url: listen(t, a), token: r.token}
	body := strings.Repeat("x", maxSmall+1)
	got := c.post(base+"/me/devices", body).want(t, http.StatusRequestEntityTooLarge, memory.CodeTooLarge)
	if !strings.Contains(got.problem.Detail, strconv.Itoa(maxSmall)) {
		t.Errorf("the limit is not named: %s", got.body)
	}
}
