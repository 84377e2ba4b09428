package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

type request struct {
	method string // "": POST with a body, else GET
	path   string
	query  url.Values
	tag    string // If-None-Match
	only   string // If-Match
	body   any
	anyone bool       // no credentials are needed, so none are sent
	date   *time.Time // takes the time of the answer by the server's clock, if not nil
}

func (s *Server) get(ctx context.Context, path string, query url.Values, answer any) error {
	_, err := s.call(ctx, request{path: path, query: query}, answer)
	return err
}

func (s *Server) post(ctx context.Context, path string, body, answer any) error {
	_, err := s.call(ctx, request{path: path, body: body}, answer)
	return err
}

// call sends a request and reads the answer into v, or the problem into the
// error. If the server takes the access token for ended, whatever our clock
// says, it is renewed and the request is sent once more: never twice.
func (s *Server) call(ctx context.Context, r request, v any) (status int, err error) {
	if r.anyone {
		return s.persist(ctx, r, "", v)
	}
	if s.session == nil {
		return s.persist(ctx, r, s.token, v)
	}
	token, err := s.session.bearer(ctx, s)
	if err != nil {
		return 0, err
	}
	status, err = s.persist(ctx, r, token, v)
	if memory.CodeOf(err) != memory.CodeUnauthenticated || errors.Is(err, errForeign) { // also if another instance says so
		return status, err
	}
	if token, err = s.session.renew(ctx, s, token); err != nil {
		return status, err
	}
	return s.persist(ctx, r, token, v)
}

// persist asks a server that is busy, or whose database is being started, again
// a few times; a push is safe to repeat because of its key.
func (s *Server) persist(ctx context.Context, r request, token string, v any) (status int, err error) {
	for _, pause := range retryPauses() {
		status, err = s.try(ctx, r, token, v)
		busy := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests
		if err == nil || !busy {
			return status, err
		}
		timer := time.NewTimer(pause/2 + rand.N(pause)) //nolint:gosec // all clients at once would only prolong it
		select {
		case <-ctx.Done():
			timer.Stop()
			return status, ctx.Err()
		case <-timer.C:
		}
	}
	return s.try(ctx, r, token, v)
}

// retryPauses are about how long to wait between tries.
func retryPauses() []time.Duration {
	return []time.Duration{200 * time.Millisecond, 600 * time.Millisecond, 2 * time.Second}
}

// try sends one request.
func (s *Server) try(ctx context.Context, r request, token string, v any) (status int, err error) {
	limited, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	req, err := s.build(limited, r, token)
	if err != nil {
		return 0, err
	}
	res, err := s.http.Do(req)
	if err != nil {
		return 0, s.offline(ctx, err)
	}
	defer res.Body.Close()
	if err := s.recognise(res); err != nil {
		return res.StatusCode, err
	}
	if at, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		s.at.Store(at.Unix())
		if r.date != nil {
			*r.date = at
		}
	}
	if res.StatusCode == http.StatusNotModified {
		return res.StatusCode, nil
	}
	into := s.bodies.Get().(*answerBody)
	defer s.bodies.Put(into)
	body, err := into.read(res, s.unzstd)
	switch {
	case errors.Is(err, errTooLarge):
		return res.StatusCode, fmt.Errorf("the server's answer to %s is larger than %d bytes", r.path, maxAnswer)
	case err != nil:
		return res.StatusCode, s.offline(ctx, err)
	case res.StatusCode/100 != 2:
		return res.StatusCode, s.problem(res, int(req.ContentLength), body)
	}
	if err := wire.DecodeAnswer(body, v); err != nil {
		return res.StatusCode, fmt.Errorf("the server's answer to %s makes no sense: %w", r.path, err)
	}
	return res.StatusCode, nil
}

// offline says that no answer came, unless the caller gave up.
func (s *Server) offline(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if unusable := s.unusable(err); unusable != nil {
		return unusable
	}
	return fmt.Errorf("%w: %v", ErrOffline, withoutURL(err)) //nolint:errorlint // ends the chain
}

// build writes only the headers that the protocol needs: a sync without news
// is little more than them.
func (s *Server) build(ctx context.Context, r request, token string) (*http.Request, error) {
	method, address := cmp.Or(r.method, http.MethodGet), s.base+r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var sent parcel
	if r.body != nil {
		method = cmp.Or(r.method, http.MethodPost)
		var err error
		if sent, err = s.pack(r.body); err != nil {
			return nil, err
		}
	}
	header := http.Header{"User-Agent": nil, "Accept-Encoding": {"zstd"}}
	if sent.encoding != "" {
		header.Set("Content-Encoding", sent.encoding)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(sent.body))
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	req.Header = header
	header.Set("Teammem-Client", "teammem/"+s.version+" ("+runtime.GOOS+")")
	if r.body != nil {
		header.Set("Content-Type", "application/json")
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	if s.device != "" {
		header.Set("Teammem-Device", string(s.device))
	}
	if r.tag != "" {
		header.Set("If-None-Match", r.tag)
	}
	if r.only != "" {
		header.Set("If-Match", r.only)
	}
	return req, nil
}

// parcel is a body as it travels.
type parcel struct {
	body     []byte
	encoding string // "" is plain
}

// pack writes v as JSON and compresses it, unless it is a parcel already.
// Packing is much of what a first upload costs: zstd does it in two thirds of
// gzip's time, and the server unpacks it in one third. But gzip makes less of a
// short body.
func (s *Server) pack(v any) (parcel, error) {
	if ready, ok := v.(parcel); ok {
		return ready, nil
	}
	body, err := wire.Encode(v)
	switch {
	case err != nil:
		return parcel{}, err
	case len(body) < compressFrom:
		return parcel{body, ""}, nil
	case len(body) < zstdFrom:
		return parcel{gzipped(body), "gzip"}, nil
	}
	return parcel{s.zstd().EncodeAll(body, make([]byte, 0, len(body)/2)), "zstd"}, nil // prose becomes less
}

// newZstd makes the encoder of a server's large bodies, which packs one at a
// time. Few runs send any, so it is made when it is needed.
func newZstd() *zstd.Encoder {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(sendWindow))
	if err != nil {
		panic(err) // the options are constants
	}
	return z
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// recognise checks that the linked instance answers. What stands between may
// answer with an error of its own; only a good answer, which 304 is, must name
// the instance.
func (s *Server) recognise(res *http.Response) error {
	got := res.Header.Get("Teammem-Instance")
	switch {
	case got == "" && res.StatusCode < 400:
		return fmt.Errorf("%s does not answer like a teammem server: check the address", s.base)
	case got != "" && s.instance != "" && got != s.instance:
		return fmt.Errorf("%w: %s is now instance %s, and was %s when you linked", ErrOtherServer, s.base, got, s.instance)
	}
	return nil
}

// errForeign marks the errors of what stands between client and server. Only
// their status counts, and no credential is given up on their word.
var errForeign = errors.New("not an answer of teammem")

// problem reads the error from an answer. One that names no instance, or is no
// problem document, comes from something between client and server.
func (s *Server) problem(res *http.Response, sent int, body []byte) error {
	var p wire.Problem
	ours := res.Header.Get("Teammem-Instance") != "" && strings.HasPrefix(res.Header.Get("Content-Type"), wire.ProblemType)
	if ours && wire.DecodeAnswer(body, &p) == nil {
		return p.Domain()
	}
	switch {
	case res.StatusCode == http.StatusRequestEntityTooLarge:
		return &memory.Error{
			Code: memory.CodeTooLarge, Err: errForeign,
			Message: fmt.Sprintf("a proxy between here and %s takes no request of %d bytes", s.base, sent),
			Hint:    fmt.Sprintf("ask who runs it to raise its limit for request bodies to %d bytes", maxRequest),
		}
	// What speaks TLS says so in words of its own.
	case res.StatusCode == http.StatusBadRequest && strings.HasPrefix(s.base, "http:") && bytes.Contains(bytes.ToUpper(body), []byte("HTTPS")):
		return s.wantsTLS()
	}
	return &memory.Error{
		Code: wire.CodeOf(res.StatusCode), Err: errForeign,
		Message: fmt.Sprintf("the server answered %d %s", res.StatusCode, http.StatusText(res.StatusCode)),
		Hint:    "this is not an answer of teammem: check the address, and any proxy on the way",
	}
}
