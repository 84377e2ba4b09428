package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// ErrOffline means that no answer came from the server.
var ErrOffline = errors.New("the server cannot be reached")

// ErrOtherServer means that the URL is answered by another instance than the
// one that was linked.
var ErrOtherServer = errors.New("another server answers at this address")

const (
	requestTimeout = 60 * time.Second
	maxAnswer      = 256 << 20 // bytes, decompressed
	compressFrom   = 1 << 10   // bytes; a smaller body is not worth it
)

// Server is the client's end of the protocol: one method per call, in the
// terms of the domain. Errors are [*memory.Error] as the server stated them,
// [ErrOffline] or [ErrOtherServer].
type Server struct {
	base     string // URL without a final slash
	token    string
	device   memory.DeviceID
	instance string // that must answer; "" before it is known
	version  string
	http     *http.Client
}

// ServerOptions say who is calling.
type ServerOptions struct {
	Token    string
	Device   memory.DeviceID
	Instance string
	Version  string            // of the client
	HTTP     http.RoundTripper // nil for the standard transport
}

// NewServer prepares calls to a server. It does not connect.
func NewServer(address string, o ServerOptions) (*Server, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, memory.Invalid("url", "a server address reads http://HOST:PORT or https://HOST")
	}
	transport := o.HTTP
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &Server{
		base: strings.TrimSuffix(u.String(), "/"), token: o.Token, device: o.Device, instance: o.Instance, version: o.Version,
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// Address returns the URL by which logins and links name the server.
func (s *Server) Address() string { return s.base }

// Version tells which instance answers, and what it speaks.
func (s *Server) Version(ctx context.Context) (wire.Version, error) {
	var v wire.Version
	err := s.get(ctx, "/version", nil, &v)
	return v, err
}

// Me tells whose token this is, and what it may do.
func (s *Server) Me(ctx context.Context) (memory.Member, memory.Principal, error) {
	var w wire.Me
	if err := s.get(ctx, "/api/v1/me", nil, &w); err != nil {
		return memory.Member{}, memory.Principal{}, err
	}
	member, who := w.Domain()
	return member, who, nil
}

// AddDevice registers this computer.
func (s *Server) AddDevice(ctx context.Context, name string) (memory.Device, error) {
	var w wire.Device
	err := s.post(ctx, "/api/v1/me/devices", wire.DeviceAdd{Name: name, OS: runtime.GOOS}, &w)
	return w.Domain(), err
}

// Projects returns the projects with the slug or the git remote.
func (s *Server) Projects(ctx context.Context, slug, remote string) ([]memory.ProjectView, error) {
	query := url.Values{}
	if slug != "" {
		query.Set("slug", slug)
	}
	if remote != "" {
		query.Set("remote", remote)
	}
	var w wire.Page[wire.Project]
	if err := s.get(ctx, "/api/v1/projects", query, &w); err != nil {
		return nil, err
	}
	var all []memory.ProjectView
	for _, item := range w.Items {
		p, err := item.Domain()
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// Changes returns a page of the feed, and what of it may not exist here. The
// page is nil if the client's state, named by its tag, is still the newest.
func (s *Server) Changes(ctx context.Context, project memory.ProjectID, since memory.Cursor, have memory.Digest) (*memory.FeedPage, []wire.Refusal, error) {
	query, tag := url.Values{}, ""
	if !since.IsZero() {
		query.Set("since", since.String())
		tag = strconv.Quote(memory.Head{Epoch: since.Epoch, Seq: since.Seq, Digest: have}.Tag())
	}
	var w wire.Feed
	status, err := s.call(ctx, request{path: projectPath(project, "changes"), query: query, tag: tag}, &w)
	if err != nil || status == http.StatusNotModified {
		return nil, nil, err
	}
	page, refused, err := w.Domain()
	return &page, refused, err
}

// Manifest returns all live entries, and those that may not exist here.
func (s *Server) Manifest(ctx context.Context, project memory.ProjectID) (memory.Head, []memory.Entry, []wire.Refusal, error) {
	var w wire.Manifest
	if err := s.get(ctx, projectPath(project, "manifest"), nil, &w); err != nil {
		return memory.Head{}, nil, nil, err
	}
	return w.Domain()
}

// Contents returns stored texts, perhaps fewer than asked for: see More.
func (s *Server) Contents(ctx context.Context, project memory.ProjectID, refs []memory.RevisionRef) (memory.Contents, error) {
	var w wire.Contents
	if err := s.post(ctx, projectPath(project, "contents"), wire.NewContentsRequest(refs), &w); err != nil {
		return memory.Contents{}, err
	}
	return w.Domain(), nil
}

// Push offers checked writes; the verdicts are in their order.
func (s *Server) Push(ctx context.Context, project memory.ProjectID, epoch, key string, writes []memory.Write) (memory.Receipt, error) {
	body, err := wire.NewPush(epoch, s.device, key, memory.Agent{}, writes)
	if err != nil {
		return memory.Receipt{}, err
	}
	var w wire.Receipt
	if err := s.post(ctx, projectPath(project, "push"), body, &w); err != nil {
		return memory.Receipt{}, err
	}
	return w.Domain(len(writes))
}

func projectPath(p memory.ProjectID, call string) string {
	return "/api/v1/projects/" + url.PathEscape(string(p)) + "/" + call
}

type request struct {
	path  string
	query url.Values
	tag   string // If-None-Match
	body  any    // nil for a GET
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
// error. A server that is busy, or whose database is being started, is asked
// again a few times; a push is safe to repeat because of its key.
func (s *Server) call(ctx context.Context, r request, v any) (status int, err error) {
	for _, pause := range retryPauses() {
		status, err = s.try(ctx, r, v)
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
	return s.try(ctx, r, v)
}

// retryPauses are about how long to wait between tries.
func retryPauses() []time.Duration {
	return []time.Duration{200 * time.Millisecond, 600 * time.Millisecond, 2 * time.Second}
}

// try sends one request.
func (s *Server) try(ctx context.Context, r request, v any) (status int, err error) {
	limited, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := s.build(limited, r)
	if err != nil {
		return 0, err
	}
	res, err := s.http.Do(req)
	if err != nil {
		return 0, offline(ctx, err)
	}
	defer res.Body.Close()
	if err := s.recognise(res); err != nil {
		return res.StatusCode, err
	}
	if res.StatusCode == http.StatusNotModified {
		return res.StatusCode, nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return res.StatusCode, offline(ctx, err)
	case len(body) > maxAnswer:
		return res.StatusCode, fmt.Errorf("the server's answer to %s is larger than %d bytes", r.path, maxAnswer)
	case res.StatusCode/100 != 2:
		return res.StatusCode, problem(res, body)
	}
	if err := wire.DecodeAnswer(body, v); err != nil {
		return res.StatusCode, fmt.Errorf("the server's answer to %s makes no sense: %w", r.path, err)
	}
	return res.StatusCode, nil
}

// offline says that no answer came, unless the caller gave up.
func offline(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w: %v", ErrOffline, withoutURL(err)) //nolint:errorlint // ends the chain
}

// build writes only the headers that the protocol needs: a sync without news
// is little more than them.
func (s *Server) build(ctx context.Context, r request) (*http.Request, error) {
	method, address := http.MethodGet, s.base+r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	var body []byte
	if r.body != nil {
		method = http.MethodPost
		var err error
		if body, err = wire.Encode(r.body); err != nil {
			return nil, err
		}
	}
	header := http.Header{"User-Agent": nil}
	if len(body) >= compressFrom {
		body = compressed(body)
		header.Set("Content-Encoding", "gzip")
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	req.Header = header
	header.Set("Teammem-Client", "teammem/"+s.version+" ("+runtime.GOOS+")")
	if r.body != nil {
		header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	if s.device != "" {
		header.Set("Teammem-Device", string(s.device))
	}
	if r.tag != "" {
		header.Set("If-None-Match", r.tag)
	}
	return req, nil
}

func compressed(body []byte) []byte {
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

// problem reads the error from an answer. One that is no problem document comes
// from something between client and server, and only its status counts.
func problem(res *http.Response, body []byte) error {
	var p wire.Problem
	if strings.HasPrefix(res.Header.Get("Content-Type"), wire.ProblemType) && wire.DecodeAnswer(body, &p) == nil {
		return p.Domain()
	}
	return &memory.Error{
		Code:    wire.CodeOf(res.StatusCode),
		Message: fmt.Sprintf("the server answered %d %s", res.StatusCode, http.StatusText(res.StatusCode)),
		Hint:    "this is not an answer of teammem: check the address, and any proxy on the way",
	}
}

// withoutURL takes the URL out of a transport error, which repeats it.
func withoutURL(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}
