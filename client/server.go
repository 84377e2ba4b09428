package client

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/zstd"

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
	maxAnswer      = 64 << 20  // bytes, decompressed; a manifest of 20,000 entries has 8
	maxRequest     = 4 << 20   // bytes; what a server takes
	maxWindow      = 8 << 20   // bytes that a packed answer may make us hold at a time, beside itself
	compressFrom   = 1 << 10   // bytes; a smaller body is not worth it
	zstdFrom       = 64 << 10  // bytes; a smaller body goes as gzip
	sendWindow     = 512 << 10 // bytes in which zstd looks for what it has seen; no larger than the server's
)

// Server is the client's end of the protocol: one method per call, in the
// terms of the domain. Errors are [*memory.Error] as the server stated them,
// [ErrOffline] or [ErrOtherServer].
type Server struct {
	base     string   // URL without a final slash
	token    string   // an API token
	session  *session // in place of the token; nil without
	device   memory.DeviceID
	instance string // that must answer; "" before it is known
	version  string
	patience time.Duration // with one answer, from the question to its last byte
	caFile   string
	clock    memory.Clock // may be nil
	http     *http.Client
	zstd     func() *zstd.Encoder
	unzstd   func() *zstd.Decoder
	bodies   *sync.Pool    // of *answerBody
	at       *atomic.Int64 // by the server's clock, of its newest answer: s since 1970; 0: not told
}

// answered is when the server last answered, by its own clock; zero if that is
// not known.
func (s *Server) answered() time.Time {
	if at := s.at.Load(); at != 0 {
		return time.Unix(at, 0)
	}
	return time.Time{}
}

// ServerOptions say who is calling, and whom they trust.
type ServerOptions struct {
	Token    string
	Device   memory.DeviceID
	Instance string
	Version  string       // of the client
	CAFile   string       // authorities that are trusted beside the system's; "" for none
	Clock    memory.Clock // that certificates are judged by; nil for the system's
}

// NewServer prepares calls to a server. It does not connect.
func NewServer(address string, o ServerOptions) (*Server, error) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, memory.Invalid("url", "a server address reads http://HOST:PORT or https://HOST")
	}
	if u.Scheme == "http" && !isThisMachine(u.Hostname()) {
		return nil, &memory.Error{
			Code: memory.CodeInvalid, Field: "url", Message: "tokens do not travel unencrypted to another machine such as " + visible(u.Hostname()),
			Hint: "the address begins with https://, or leads to this machine",
		}
	}
	transport, err := newTransport(o.CAFile, o.Clock)
	if err != nil {
		return nil, err
	}
	return &Server{
		base: strings.TrimSuffix(u.String(), "/"), token: o.Token, device: o.Device, instance: o.Instance, version: o.Version, patience: requestTimeout,
		caFile: o.CAFile, clock: o.Clock, zstd: sync.OnceValue(newZstd), unzstd: sync.OnceValue(newUnzstd),
		bodies: &sync.Pool{New: func() any { return &answerBody{} }}, at: new(atomic.Int64),
		http: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// isThisMachine reports whether a host is this one, whatever a name server says.
func isThisMachine(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// Address returns the URL by which logins and links name the server.
func (s *Server) Address() string { return s.base }

// Version tells which instance answers, and what it speaks.
func (s *Server) Version(ctx context.Context) (wire.Version, error) {
	var v wire.Version
	if _, err := s.call(ctx, request{path: "/version", anyone: true}, &v); err != nil {
		return v, err
	}
	_, err := wire.ParseInstanceID(v.Instance)
	return v, err
}

// Me tells whose token this is, and what it may do.
func (s *Server) Me(ctx context.Context) (memory.Member, memory.Principal, error) {
	var w wire.Me
	if err := s.get(ctx, "/api/v1/me", nil, &w); err != nil {
		return memory.Member{}, memory.Principal{}, err
	}
	return w.Domain()
}

// AddDevice registers this computer.
func (s *Server) AddDevice(ctx context.Context, name string) (memory.Device, error) {
	var w wire.Device
	if err := s.post(ctx, "/api/v1/me/devices", wire.DeviceAdd{Name: name, OS: runtime.GOOS}, &w); err != nil {
		return memory.Device{}, err
	}
	return w.Domain()
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

// Changes returns a page of the feed, with texts if they are wanted and short,
// and what of it may not exist here. The page is nil if the client's state,
// named by its tag, is still the newest; without a tag it is not compared. It
// has at most limit changes, or as many as the server likes for 0.
func (s *Server) Changes(
	ctx context.Context, project memory.ProjectID, since memory.Cursor, have string, texts bool, limit int,
) (*memory.FeedPage, []wire.Refusal, error) {
	query, tag := url.Values{}, ""
	if texts {
		query.Set("content", "inline")
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	if !since.IsZero() {
		query.Set("since", since.String())
		if have != "" {
			tag = strconv.Quote(have)
		}
	}
	var w wire.Feed
	status, err := s.call(ctx, request{path: projectPath(project, "changes"), query: query, tag: tag}, &w)
	if err != nil || status == http.StatusNotModified {
		return nil, nil, err
	}
	page, refused, err := w.Domain()
	return &page, refused, err
}

// Manifest is all that a project has.
type Manifest struct {
	Head    memory.Head
	Entries []memory.Entry // that are live
	Foreign []wire.Refusal // of entries that may not exist here
	Purged  []memory.Hash  // texts that were ever purged
}

// Manifest returns what a project has.
func (s *Server) Manifest(ctx context.Context, project memory.ProjectID) (m Manifest, err error) {
	var w wire.Manifest
	if err := s.get(ctx, projectPath(project, "manifest"), nil, &w); err != nil {
		return m, err
	}
	if m.Purged, err = w.Removed(); err != nil {
		return m, err
	}
	m.Head, m.Entries, m.Foreign, err = w.Domain()
	return m, err
}

// Contents returns stored texts, perhaps fewer than asked for: see More.
func (s *Server) Contents(ctx context.Context, project memory.ProjectID, refs []memory.RevisionRef) (memory.Contents, error) {
	var w wire.Contents
	if err := s.post(ctx, projectPath(project, "contents"), wire.NewContentsRequest(refs), &w); err != nil {
		return memory.Contents{}, err
	}
	return w.Domain(), nil
}

// packPush makes the body of a push of checked writes, packed while another may be on its way.
func (s *Server) packPush(epoch, key string, writes []memory.Write, release memory.Release) (parcel, error) {
	push, err := wire.NewPush(epoch, s.device, key, memory.Agent{}, writes)
	if err != nil {
		return parcel{}, err
	}
	push.Release = wire.Release(release)
	return s.pack(push)
}

// push offers the writes in the body, so many; the verdicts are in their order.
// With the tag of a head nothing is judged at another head, which is
// [memory.CodeChanged].
func (s *Server) push(ctx context.Context, project memory.ProjectID, only string, body parcel, writes int) (memory.Receipt, error) {
	var w wire.Receipt
	r := request{path: projectPath(project, "push"), body: body}
	if only != "" {
		r.only = strconv.Quote(only)
	}
	if _, err := s.call(ctx, r, &w); err != nil {
		return memory.Receipt{}, err
	}
	return w.Domain(writes)
}

// OwnProposals returns a page of the caller's proposals in a state, or in any
// for "", newest first, and the cursor of the next page, "" at the end. One
// that makes no sense here is left out.
func (s *Server) OwnProposals(
	ctx context.Context, project memory.ProjectID, state memory.ProposalState, cursor string,
) (page []memory.Proposal, next string, err error) {
	query := url.Values{"author": {"me"}}
	if state != "" {
		query.Set("state", string(state))
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var w wire.Page[wire.Proposal]
	if err := s.get(ctx, projectPath(project, "proposals"), query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		if p, err := item.Domain(); err == nil {
			page = append(page, p)
		}
	}
	return page, w.Next, nil
}

// Withdraw takes a proposal of the caller's back.
func (s *Server) Withdraw(ctx context.Context, project memory.ProjectID, id memory.ProposalID) error {
	path := projectPath(project, "proposals/"+url.PathEscape(string(id)))
	_, err := s.call(ctx, request{method: http.MethodDelete, path: path}, &wire.Proposal{})
	return err
}

func projectPath(p memory.ProjectID, call string) string {
	return "/api/v1/projects/" + url.PathEscape(string(p)) + "/" + call
}
