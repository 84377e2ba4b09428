package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Caps of bodies, which count before and after decompression. A push has 4 MB
// of content; quotes and line breaks at most double it in JSON.
const (
	maxPush  = 8 << 20
	maxEntry = 1 << 20
	maxSmall = 64 << 10
)

// maxWindow bounds the memory that a zstd stream makes the decoder take.
const maxWindow = 8 << 20

// newZstd makes the decoder of all bodies. It decodes a few at a time, each in
// one go: whoever sends slowly holds what it sent, and no window.
func newZstd() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxPush), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}

// decode reads the body of a request into v. It is the only reader of bodies.
func (c *call) decode(v any, most int) (body []byte, err error) {
	if err := isJSON(c.Request().Header); err != nil {
		return nil, err
	}
	if body, err = c.read(most); err != nil {
		return nil, err
	}
	return body, wire.Decode(body, v)
}

func isJSON(h http.Header) error {
	media, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || media != "application/json" || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return &memory.Error{Code: memory.CodeUnsupportedMedia, Message: "the body must be application/json in UTF-8"}
	}
	return nil
}

// read returns the decompressed body. Then the call's own time begins, and the
// connection has no deadline for reading any more: the server's look-out for a
// client that hangs up would take it for one.
func (c *call) read(most int) ([]byte, error) {
	body, err := c.readAll(most)
	if err != nil {
		c.limitRest(err)
		return nil, unreadable(err)
	}
	c.readUntil(time.Time{})
	c.startTimer()
	return body, nil
}

func (c *call) readAll(most int) ([]byte, error) {
	r := c.Request()
	if r.ContentLength > int64(most) {
		return nil, tooLarge(most)
	}
	sent := &cappedReader{r: &pacedReader{r: r.Body, c: c, left: callDeadline}, left: most, most: most}
	switch strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")) {
	case "":
		return c.collect(sent)
	case "gzip":
		plain, err := gzip.NewReader(sent)
		if err != nil {
			return nil, err
		}
		return c.collect(&cappedReader{r: plain, left: most, most: most})
	case "zstd":
		packed, err := c.collect(sent)
		if err != nil {
			return nil, err
		}
		return c.unpack(packed, most)
	}
	return nil, &memory.Error{Code: memory.CodeUnsupportedMedia, Message: "the content encoding is gzip or zstd, once, or absent"}
}

// collect reads r to its end, and counts it as the caller's.
func (c *call) collect(r io.Reader) ([]byte, error) { return io.ReadAll(&roomReader{r, c}) }

// unpack decompresses zstd.
func (c *call) unpack(packed []byte, most int) ([]byte, error) {
	plain, err := c.api.zstd.DecodeAll(packed, nil)
	if len(plain) > most || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, tooLarge(most)
	}
	if err != nil {
		return nil, err
	}
	return plain, c.takeRoom(len(plain))
}

// limitRest bounds the time in which net/http reads what is left of a body, to
// keep the connection; one that is too slow is not kept.
func (c *call) limitRest(err error) {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.Response().Header().Set("Connection", "close")
	}
	c.readUntil(c.api.clock().Add(callDeadline))
}

func tooLarge(most int) *memory.Error {
	return &memory.Error{Code: memory.CodeTooLarge, Message: fmt.Sprintf("the body has more than %d bytes", most)}
}

// unreadable says why a body cannot be read, without the decoder's words.
func unreadable(err error) error {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e
	}
	message := "the body breaks off or its encoding is broken"
	if errors.Is(err, os.ErrDeadlineExceeded) {
		message = "the body took too long to arrive"
	}
	return &memory.Error{Code: memory.CodeInvalid, Message: message, Err: err}
}

// cappedReader fails, rather than ends, behind its cap.
type cappedReader struct {
	r          io.Reader
	left, most int
}

func (c *cappedReader) Read(p []byte) (int, error) {
	if len(p) > c.left+1 {
		p = p[:c.left+1]
	}
	n, err := c.r.Read(p)
	if c.left -= n; c.left < 0 {
		return 0, tooLarge(c.most)
	}
	return n, err
}

// pacedReader gives a body its time: some to begin with, and more with every
// byte, so that a slow line can push. What is left is never more than at the
// beginning, so that nobody can send fast and then stall for as long.
type pacedReader struct {
	r    io.Reader
	c    *call
	left time.Duration
}

func (p *pacedReader) Read(buf []byte) (int, error) {
	start := p.c.api.clock()
	p.c.readUntil(start.Add(p.left))
	n, err := p.r.Read(buf)
	p.left = min(callDeadline, p.left-p.c.api.clock().Sub(start)+paceOf(n))
	return n, err
}

// paceOf is the time of so many bytes on the slowest line.
func paceOf(bytes int) time.Duration {
	const slowest = 16 << 10 // bytes a second
	return time.Duration(bytes) * time.Second / slowest
}
