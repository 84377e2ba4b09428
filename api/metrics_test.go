package api

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestMetrics_Write(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Request(http.MethodGet, "/b", 200, 2*time.Millisecond)
	m.Request(http.MethodGet, "/b", 200, time.Minute)
	m.Request(http.MethodGet, "/b", 404, time.Millisecond)
	m.Request(http.MethodPost, "", 404, 3*time.Second)
	m.push([]memory.Verdict{{Ruling: memory.RulingPublished}, {Ruling: memory.RulingRefused}, {Ruling: memory.RulingPublished}})
	m.Scan(time.Second)
	done := m.poll()
	m.poll()
	done()
	m.stream()
	var out strings.Builder
	must(t, m.Write(&out))
	var got []string
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(line, "_bucket{") || strings.Contains(line, `route="/b"`) {
			got = append(got, strings.TrimSpace(line))
		}
	}
	if diff := cmp.Diff(strings.Split(written, "\n"), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

const written = `# HELP teammem_http_requests_total Requests answered.
# TYPE teammem_http_requests_total counter
teammem_http_requests_total{method="GET",route="/b",status="200"} 2
teammem_http_requests_total{method="GET",route="/b",status="404"} 1
teammem_http_requests_total{method="POST",route="none",status="404"} 1
# HELP teammem_http_request_seconds Time to answer a request, a long poll's wait included, and of a stream until it began.
# TYPE teammem_http_request_seconds histogram
teammem_http_request_seconds_bucket{route="/b",le="0.001"} 1
teammem_http_request_seconds_bucket{route="/b",le="0.0025"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.005"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.01"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.025"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.05"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.1"} 2
teammem_http_request_seconds_bucket{route="/b",le="0.25"} 2
teammem_http_request_seconds_bucket{route="/b",le="1"} 2
teammem_http_request_seconds_bucket{route="/b",le="5"} 2
teammem_http_request_seconds_bucket{route="/b",le="10"} 2
teammem_http_request_seconds_bucket{route="/b",le="30"} 2
teammem_http_request_seconds_bucket{route="/b",le="+Inf"} 3
teammem_http_request_seconds_sum{route="/b"} 60.003
teammem_http_request_seconds_count{route="/b"} 3
teammem_http_request_seconds_sum{route="none"} 3
teammem_http_request_seconds_count{route="none"} 1
# HELP teammem_push_ops_total Changes that clients pushed, by what became of them.
# TYPE teammem_push_ops_total counter
teammem_push_ops_total{verdict="published"} 2
teammem_push_ops_total{verdict="refused"} 1
# HELP teammem_scan_seconds Time to search one text for secrets.
# TYPE teammem_scan_seconds histogram
teammem_scan_seconds_sum 1
teammem_scan_seconds_count 1
# HELP teammem_long_polls Long polls that are being held.
# TYPE teammem_long_polls gauge
teammem_long_polls 1
# HELP teammem_event_streams Streams of events that are open.
# TYPE teammem_event_streams gauge
teammem_event_streams 1
# HELP teammem_kept_pages_served_total Pages of feeds that were ready when they were asked for.
# TYPE teammem_kept_pages_served_total counter
teammem_kept_pages_served_total 0
# HELP teammem_kept_page_bytes Memory of pages of feeds that are ready.
# TYPE teammem_kept_page_bytes gauge
teammem_kept_page_bytes 0`

// Whoever reads the metrics slowly, or not at all, holds up nobody else.
func TestMetrics_SlowReader(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	r, w := io.Pipe()
	wrote := make(chan error, 1)
	go func() { wrote <- m.Write(w) }()
	_, err := r.Read(make([]byte, 1))
	must(t, err)
	m.Request(http.MethodGet, "/b", 200, time.Millisecond) // would wait for the reader
	must(t, r.Close())
	if err := <-wrote; err == nil {
		t.Error("a reader that went away was not noticed")
	}
}

// Whoever makes up methods and paths makes up no labels.
func TestMetrics_StrangersAddNoLabels(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	a, _ := offline(t, Options{Metrics: m})
	url := listen(t, a)
	for i := range 20 {
		for _, path := range []string{"/canary-%d", base + "/projects/canary-%d", base + "/projects/prj_a/canary-%d", base + "/me/canary-%d"} {
			r, err := http.NewRequestWithContext(t.Context(), fmt.Sprintf("CANARY%d", i), url+fmt.Sprintf(path, i), nil)
			must(t, err)
			resp, err := http.DefaultClient.Do(r)
			must(t, err)
			must(t, resp.Body.Close())
		}
	}
	var out strings.Builder
	must(t, m.Write(&out))
	if strings.Contains(strings.ToLower(out.String()), "canary") {
		t.Errorf("the metrics repeat what strangers sent:\n%s", &out)
	}
	if n := strings.Count(out.String(), `method="other"`); n == 0 || n > 4 {
		t.Errorf("%d kinds of requests:\n%s", n, &out)
	}
}
