package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Bounds of what an answer may cost, of which 64 MiB are read.
const (
	mostTaken  = 256 << 20 // bytes on the wire
	mostMemory = "1048576" // KiB
)

// An answer without an end is cut off early, costs little memory, and the run
// says why it ended. Nothing is written.
func TestHostile_WithoutEnd(t *testing.T) {
	t.Parallel()
	const start = `{"epoch":"e1","from":0,"to":1,"head":1,"floor":0,"more":false,"changes":[`
	for _, tt := range []struct {
		name, encoding, start string
		piece                 []byte
	}{
		{"blanks", "", start, bytes.Repeat([]byte(" "), 1<<20)},
		{"a text", "", start + `{"seq":1,"entry_id":"ent_1","op":"put","path":"`, bytes.Repeat([]byte("planted"), 1<<17)},
		{"a line of small changes", "", start, bytes.Repeat([]byte(`{"seq":1,"path":"a.md"},`), 1<<15)},
		{"packed a thousandfold", "zstd", "", zstdOf(bytes.Repeat([]byte(" "), 32<<20))},
		{"packed another way", "gzip", "", gzipOf(bytes.Repeat([]byte(" "), 1<<20))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var taken atomic.Int64
			m, c := guest(t, func(w http.ResponseWriter, _ *http.Request) {
				if tt.encoding != "" {
					w.Header().Set("Content-Encoding", tt.encoding)
				}
				_, _ = w.Write([]byte(tt.start))
				for range 10 << 10 { // ten gigabytes
					n, err := w.Write(tt.piece)
					taken.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			if c.code == exitOK || c.stderr == "" {
				t.Errorf("exit %d with %q on stderr, want an error that is explained", c.code, c.stderr)
			}
			if n := taken.Load(); n > mostTaken {
				t.Errorf("%d MiB were taken", n>>20)
			}
			if strings.Contains(c.stderr, "out of memory") || strings.Contains(c.stderr, "goroutine ") {
				t.Errorf("it came to an end by itself\n%s", c.stderr)
			}
			nothingPlanted(t, m.home, "nowhere")
		})
	}
}

// Pages that never come to an end, or to which the same cursor leads again, are
// given up.
func TestHostile_PagesWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(since int64) int64{
		"the same again": func(int64) int64 { return 1 },
		"nothing new":    func(since int64) int64 { return since },
		"backwards":      func(since int64) int64 { return since - 1 },
		"one by one":     func(since int64) int64 { return since + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			_, c := guest(t, func(w http.ResponseWriter, r *http.Request) {
				since := sinceOf(r)
				if asked.Add(1) > 10_000 {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				answerJSON(w, wire.Feed{Epoch: "e1", From: since, To: next(since), Head: 1 << 40, Digest: memory.Digest{}.String(), More: true})
			})
			if c.code == exitOK || c.stderr == "" {
				t.Errorf("exit %d with %q on stderr, want an error that is explained", c.code, c.stderr)
			}
			if n := asked.Load(); n > 1000 {
				t.Errorf("asked %d times", n)
			}
		})
	}
}

// Fifty bad entries among five thousand: each is named, and the rest arrives.
func TestHostile_FewAmongMany(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 5000 {
		path := fmt.Sprintf("good/%d/%d.md", i%50, i)
		if i%100 == 7 {
			path = fmt.Sprintf("../%d.md", i)
		}
		paths = append(paths, path)
	}
	m, r := visit(t, offer(paths))
	if n := strings.Count(r.stdout, `"layer":"traversal"`); r.code != exitRefused || n != 50 {
		t.Errorf("exit %d, %d refused; want %d, 50\n%s", r.code, n, exitRefused, r.stderr)
	}
	if n := len(m.files(t)); n != 4950 {
		t.Errorf("%d files, want 4950", n)
	}
	nothingPlanted(t, m.home, m.tree())
}

// guest links a new member with a hostile server and syncs once, with little
// memory unless the race detector takes some for itself.
func guest(t *testing.T, feed http.HandlerFunc) (*member, result) {
	t.Helper()
	m := guestOf(t, hostile{feed: feed})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := program(ctx, m.home, "sync", m.work())
	if testing.Short() || !raceDetector() {
		c.Args = append([]string{"sh", "-c", "ulimit -d " + mostMemory + ` && exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	_ = c.Run() // its code says what became of it
	if ctx.Err() != nil {
		t.Fatalf("the run does not end\n%s", &stderr)
	}
	return m, result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func gzipOf(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

func zstdOf(text []byte) []byte {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are ours
	}
	return w.EncodeAll(text, nil)
}
