package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// answerBody is the memory that an answer is read into. A first sync reads many large
// ones, and fresh memory costs it more than what is in use already.
type answerBody struct{ packed, plain []byte }

// errTooLarge says that an answer has more than maxAnswer bytes.
var errTooLarge = errors.New("the answer is too large")

// read returns the body of an answer. Much of what a first sync costs both sides
// is packing, so it asks for zstd, at half the cost of gzip; but something between
// may pack the answer again.
func (a *answerBody) read(res *http.Response, unzstd func() *zstd.Decoder) (body []byte, err error) {
	switch packed := res.Header.Get("Content-Encoding"); packed {
	case "", "identity":
		a.plain, err = readInto(a.plain, res.Body, res.ContentLength)
	case "gzip":
		var z *gzip.Reader
		if z, err = gzip.NewReader(res.Body); err == nil {
			a.plain, err = readInto(a.plain, z, res.ContentLength)
		}
	case "zstd":
		if a.packed, err = readInto(a.packed, res.Body, res.ContentLength); err == nil {
			a.plain, err = unzstd().DecodeAll(a.packed, a.plain[:0])
		}
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			err = errTooLarge
		}
	default:
		return nil, fmt.Errorf("the answer is packed as %s, which was not asked for", visible(packed))
	}
	return a.plain, err
}

// readInto reads up to what an answer may have, in place of what is in b. The
// length is what is expected, if that is known.
func readInto(b []byte, r io.Reader, length int64) ([]byte, error) {
	if want := min(length, maxAnswer) + 1; int64(cap(b)) < want {
		b = make([]byte, 0, want)
	}
	for b = b[:0]; len(b) <= maxAnswer; {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Read(b[len(b):cap(b)])
		if b = b[:len(b)+n]; err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
	return b, errTooLarge
}

// newUnzstd makes the decoder of a server's answers.
func newUnzstd() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxAnswer))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
}
