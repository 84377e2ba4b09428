package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"github.com/teammem/teammem/internal/golden"
	"github.com/teammem/teammem/memory"
)

const goldenDir = "../api/testdata/golden"

// What the client sends is what was recorded for the server, byte for byte but
// for the layout, and it understands the recorded answers.
func TestGolden(t *testing.T) {
	t.Parallel()
	left := uncalled()
	recorded := map[string]map[string]golden.Call{}
	for _, c := range goldenCalls(t) {
		method, path, _ := strings.Cut(c.route, " ")
		file := golden.FileOf(method, path)
		if recorded[file] == nil {
			var err error
			if recorded[file], err = golden.Read(filepath.Join(goldenDir, file)); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(file+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			call, ok := recorded[file][c.name]
			if !ok {
				t.Fatalf("no call of this name is in %s", file)
			}
			c.check(t, call)
		})
		left[file] = true
	}
	files, err := filepath.Glob(goldenDir + "/*.http")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		if !left[filepath.Base(file)] {
			t.Errorf("%s is new: say in goldenCalls how the client makes the call, or in uncalled that it does not", file)
		}
		delete(left, filepath.Base(file))
	}
	for file := range left {
		t.Errorf("%s is named here, and is not there", file)
	}
}

// goldenCall is a call that the client makes.
type goldenCall struct {
	route string
	name  string // of the recorded call
	make  func(ctx context.Context, s *Server, recorded golden.Call) (string, error)
	want  string // what the client makes of the answer: the code, if that is an error
}

// check lets the client make the call, and gives it the recorded answer.
func (c goldenCall) check(t *testing.T, recorded golden.Call) {
	t.Helper()
	clock := func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	o := ServerOptions{Instance: "ins_abcdefghijklmnopqrst", Version: "1.2.3", Clock: clock}
	for _, h := range recorded.Request.Header {
		if device, ok := strings.CutPrefix(h, "Teammem-Device: "); ok {
			o.Device = memory.DeviceID(device)
		}
		if h == "Authorization: Bearer token" {
			o.Token = "token"
		}
	}
	s, err := NewServer("http://127.0.0.1:1", o)
	if err != nil {
		t.Fatal(err)
	}
	sent := &playback{answer: recorded.Answer}
	s.http.Transport = sent
	got, err := c.make(t.Context(), s, recorded)
	if err != nil {
		e, _ := errors.AsType[*memory.Error](err)
		if e == nil {
			t.Fatalf("the client cannot read the answer: %v", err)
		}
		got = string(e.Code)
	}
	if got != c.want {
		t.Errorf("the client makes %q of the answer, want %q", got, c.want)
	}
	want := recorded.Request
	want.Body = sorted(want.Body)
	if diff := gocmp.Diff([]golden.Message{want}, sent.requests); diff != "" {
		t.Errorf("the client's request is not as recorded (-recorded +sent):\n%s", diff)
	}
}

// playback keeps requests, and answers them all alike.
type playback struct {
	answer   golden.Message
	requests []golden.Message
}

func (p *playback) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	m := golden.NewMessage(req.Method+" "+req.URL.RequestURI(), req.Header, golden.RequestHeader(), body)
	m.Body = sorted(strings.ReplaceAll(m.Body, `"os": "`+runtime.GOOS+`"`, `"os": "linux"`))
	p.requests = append(p.requests, m)
	status, err := strconv.Atoi(p.answer.Line)
	if err != nil {
		return nil, err
	}
	res := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(p.answer.Body + "\n\n")), Request: req}
	for _, h := range p.answer.Header {
		name, value, _ := strings.Cut(h, ": ")
		res.Header.Add(name, value)
	}
	return res, nil
}

func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	if req.Header.Get("Content-Encoding") != "gzip" {
		return io.ReadAll(req.Body)
	}
	z, err := gzip.NewReader(req.Body)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// sorted lays JSON out with its names in order.
func sorted(body string) string {
	v := jsontext.Value(bytes.Clone([]byte(body)))
	if v.Canonicalize() != nil || v.Indent() != nil {
		return body
	}
	return string(v)
}

// nameless is a result of which only matters that it could be read.
func nameless(_ any, err error) (string, error) { return "read", err }

// counted is a list as long as it is.
func counted[T any](list []T, rest string, err error) (string, error) {
	return strings.TrimSpace(fmt.Sprint(len(list), " ", rest)), err
}

func rulings(r memory.Receipt, err error) (string, error) {
	var all []string
	for _, v := range r.Verdicts {
		all = append(all, cmp.Or(string(v.Proposal), string(v.Ruling)))
	}
	return strings.Join(all, " "), err
}
