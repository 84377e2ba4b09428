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
	paced := &pacedReader{r: r.Body, c: c, start: c.api.clock()}
	plain, err := decompressed(&cappedReader{r: paced, left: most, most: most}, r.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	return io.ReadAll(&cappedReader{r: plain, left: most, most: most})
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

// decompressed undoes the one encoding that a body may have.
func decompressed(r io.Reader, encodings []string) (io.ReadCloser, error) {
	switch strings.ToLower(strings.Join(encodings, ",")) {
	case "":
		return io.NopCloser(r), nil
	case "gzip":
		return gzip.NewReader(r)
	case "zstd":
		plain, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		return plain.IOReadCloser(), nil
	}
	return nil, &memory.Error{Code: memory.CodeUnsupportedMedia, Message: "the content encoding is gzip or zstd, once, or absent"}
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
// byte, so that a slow line can push and a stalled one cannot hold on.
type pacedReader struct {
	r     io.Reader
	c     *call
	start time.Time
	bytes int
}

func (p *pacedReader) Read(buf []byte) (int, error) {
	p.c.readUntil(p.start.Add(allowance(p.bytes)))
	n, err := p.r.Read(buf)
	p.bytes += n
	return n, err
}

// allowance is the time that so many bytes may take.
func allowance(bytes int) time.Duration {
	const slowest = 16 << 10 // bytes a second
	return callDeadline + time.Duration(bytes)*time.Second/slowest
}
