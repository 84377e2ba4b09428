package api

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/teammem/teammem/memory"
)

// Metrics counts what a server process does, in the text form that Prometheus
// reads. Every label has one of a fixed set of values: nothing that a member or
// a stranger chose becomes one. It is safe for use by many goroutines, and nil
// counts nothing.
type Metrics struct {
	mu       sync.Mutex
	requests map[requestKind]uint64
	times    map[string]*timing // by route
	rulings  map[memory.Ruling]uint64
	scans    timing
	polls    atomic.Int64 // long polls that are being held
	streams  atomic.Int64 // of events, that are open
	kept     atomic.Int64 // pages of feeds that were ready when they were asked for
	keptRoom atomic.Int64 // bytes of those that are
}

// requestKind is what requests are counted by.
type requestKind struct {
	route  string
	method string
	status int
}

// NewMetrics returns metrics of a process that has done nothing yet.
func NewMetrics() *Metrics {
	return &Metrics{requests: map[requestKind]uint64{}, times: map[string]*timing{}, rulings: map[memory.Ruling]uint64{}}
}

// Request counts an answered request. The route is a pattern of a table of
// routes, or "" for a path that is in none.
func (m *Metrics) Request(method, route string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	route = cmp.Or(route, "none")
	m.requests[requestKind{route, method, status}]++
	if m.times[route] == nil {
		m.times[route] = &timing{}
	}
	m.times[route].add(took)
}

// Scan counts a text that was searched for secrets.
func (m *Metrics) Scan(took time.Duration) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scans.add(took)
}

// push counts the verdicts of a receipt.
func (m *Metrics) push(verdicts []memory.Verdict) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, v := range verdicts {
		m.rulings[v.Ruling]++
	}
}

// poll counts a long poll until the returned function is called.
func (m *Metrics) poll() (done func()) {
	if m == nil {
		return func() {}
	}
	return count(&m.polls)
}

// stream counts a stream of events until the returned function is called.
func (m *Metrics) stream() (done func()) {
	if m == nil {
		return func() {}
	}
	return count(&m.streams)
}

// keptPage counts a page of a feed that was ready.
func (m *Metrics) keptPage() {
	if m != nil {
		m.kept.Add(1)
	}
}

// keptSize tells how many bytes of pages are ready.
func (m *Metrics) keptSize(bytes int) {
	if m != nil {
		m.keptRoom.Store(int64(bytes))
	}
}

func count(n *atomic.Int64) (done func()) {
	n.Add(1)
	return func() { n.Add(-1) }
}

// Write writes all of it.
func (m *Metrics) Write(to io.Writer) error {
	_, err := to.Write(m.text()) // without the lock: whoever reads slowly would stop every request
	return err
}

func (m *Metrics) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &bytes.Buffer{}
	describeMetric(w, "teammem_http_requests_total", "counter", "Requests answered.")
	for _, k := range slices.SortedFunc(maps.Keys(m.requests), requestKind.compare) {
		fmt.Fprintf(w, "teammem_http_requests_total{method=%q,route=%q,status=\"%d\"} %d\n", k.method, k.route, k.status, m.requests[k])
	}
	describeMetric(w, "teammem_http_request_seconds", "histogram", "Time to answer a request, a long poll's wait included, and of a stream until it began.")
	for _, route := range slices.Sorted(maps.Keys(m.times)) {
		m.times[route].write(w, "teammem_http_request_seconds", fmt.Sprintf("route=%q", route))
	}
	describeMetric(w, "teammem_push_ops_total", "counter", "Changes that clients pushed, by what became of them.")
	for _, r := range slices.Sorted(maps.Keys(m.rulings)) {
		fmt.Fprintf(w, "teammem_push_ops_total{verdict=%q} %d\n", r, m.rulings[r])
	}
	describeMetric(w, "teammem_scan_seconds", "histogram", "Time to search one text for secrets.")
	m.scans.write(w, "teammem_scan_seconds", "")
	describeMetric(w, "teammem_long_polls", "gauge", "Long polls that are being held.")
	fmt.Fprintf(w, "teammem_long_polls %d\n", m.polls.Load())
	describeMetric(w, "teammem_event_streams", "gauge", "Streams of events that are open.")
	fmt.Fprintf(w, "teammem_event_streams %d\n", m.streams.Load())
	describeMetric(w, "teammem_kept_pages_served_total", "counter", "Pages of feeds that were ready when they were asked for.")
	fmt.Fprintf(w, "teammem_kept_pages_served_total %d\n", m.kept.Load())
	describeMetric(w, "teammem_kept_page_bytes", "gauge", "Memory of pages of feeds that are ready.")
	fmt.Fprintf(w, "teammem_kept_page_bytes %d\n", m.keptRoom.Load())
	return w.Bytes()
}

func (k requestKind) compare(o requestKind) int {
	return cmp.Or(cmp.Compare(k.route, o.route), cmp.Compare(k.method, o.method), cmp.Compare(k.status, o.status))
}

// describeMetric writes what stands before a metric's values.
func describeMetric(w io.Writer, name, kind, help string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// bounds are the upper ends of the buckets, in seconds: from a request with
// nothing new to the longest long poll.
func bounds() [buckets]float64 {
	return [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 10, 30}
}

const buckets = 12

// timing is a histogram of durations.
type timing struct {
	below [buckets]uint64 // each without those of the bounds before
	count uint64
	sum   float64
}

func (t *timing) add(took time.Duration) {
	s := took.Seconds()
	t.count++
	t.sum += s
	for i, most := range bounds() {
		if s <= most {
			t.below[i]++
			return
		}
	}
}

// write writes the histogram as Prometheus adds it up: each bucket holds those
// below it as well.
func (t *timing) write(w io.Writer, name, labels string) {
	before, all := "", ""
	if labels != "" {
		before, all = labels+",", "{"+labels+"}"
	}
	var n uint64
	for i, most := range bounds() {
		n += t.below[i]
		fmt.Fprintf(w, "%s_bucket{%sle=%q} %d\n", name, before, strconv.FormatFloat(most, 'g', -1, 64), n)
	}
	fmt.Fprintf(w, "%s_bucket{%sle=\"+Inf\"} %d\n", name, before, t.count)
	fmt.Fprintf(w, "%s_sum%s %s\n%s_count%s %d\n", name, all, strconv.FormatFloat(t.sum, 'g', -1, 64), name, all, t.count)
}
