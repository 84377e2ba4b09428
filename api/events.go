package api

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/teammem/teammem/api/wire"
)

// eventDeadline is how long one write to a stream may take. Whoever reads more
// slowly is dropped, and told everything when it comes again.
const eventDeadline = 10 * time.Second

// events streams where the caller's projects stand: at once, and whenever one of
// them moves on. It ends with the server, with the caller's credentials, and
// with a role that is lost.
func (a *API) events(c *call) error {
	if c.Request().Method == http.MethodHead {
		c.streamHeader()
		return nil
	}
	done, err := a.streams.open(c.who.Member)
	if err != nil {
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(beat.Seconds())))
		return err
	}
	defer done()
	news := a.streams.hub.subscribe()
	defer news.end()
	cursors, err := a.service.Cursors(c.ctx(), c.who)
	if err != nil {
		return err
	}
	news.follow(cursors)
	defer a.options.Metrics.stream()()
	c.stream(news)
	return nil
}

func (c *call) streamHeader() {
	h := c.Response().Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // for nginx, which would collect events
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set(gzhttp.HeaderNoCompression, "1") // which is taken out again
}

// stream writes what is new until the stream has to end.
func (c *call) stream(news *subscription) {
	c.streamHeader()
	c.began = c.api.clock()
	hub := c.api.streams.hub
	tick := time.NewTicker(c.api.streams.beat)
	defer tick.Stop()
	first := "retry: 2000\n\n" // ms until a client comes again
	for live := c.send(first, news.take()); live; {
		c.rest()
		select {
		case <-c.request.Context().Done():
			return
		case <-hub.closed:
			return
		case <-news.ready:
			live = c.send("", news.take())
		case <-tick.C:
			live = c.mayGoOn(news) && c.send(":\n\n", news.take())
		}
	}
}

// rest lets the call wait: nothing of it has a deadline until the next event.
func (c *call) rest() {
	c.stopTimer()
	c.SetRequest(c.request)
	c.writeUntil(time.Time{})
}

// mayGoOn checks credentials and roles once more, as a stream outlives both, and
// looks where the projects stand, for hints get lost. If the database cannot be
// asked the stream ends as well: nobody knows who may still read it.
func (c *call) mayGoOn(news *subscription) bool {
	c.allowed = callDeadline
	c.startTimer()
	who, err := c.authenticate()
	if err != nil {
		return false
	}
	cursors, err := c.api.service.Cursors(c.ctx(), who)
	return err == nil && news.follow(cursors)
}

// send writes a text and an event for every hint, and reports whether the
// reader is still there.
func (c *call) send(text string, hints []hint) bool {
	var b bytes.Buffer
	b.WriteString(text)
	for _, n := range hints {
		if err := writeHint(&b, n); err != nil {
			return false
		}
	}
	if b.Len() == 0 {
		return true
	}
	c.writeUntil(c.api.clock().Add(eventDeadline))
	_, err := c.Response().Write(b.Bytes())
	if err == nil {
		err = http.NewResponseController(c.Response().Writer).Flush() // echo's own hides what went wrong
	}
	c.aborted = err != nil
	return err == nil
}

func writeHint(b *bytes.Buffer, n hint) error {
	event, of := "head", any(wire.NewHeadEvent(n.project, n.at))
	if n.at.IsZero() {
		event, of = "finding", wire.FindingEvent{Project: string(n.project)}
	}
	data, err := wire.Encode(of)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "event: %s\ndata: %s\n\n", event, bytes.TrimSpace(data))
	return nil
}
