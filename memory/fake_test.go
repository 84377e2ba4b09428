package memory

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// mark is what the scanner of tests takes for a secret.
const mark = "«secret»"

// errSlow is what a scanner says that ran out of its own time.
var errSlow = errors.New("not done in time")

// markScanner finds the mark, and gives up on the word "slow".
type markScanner struct{}

func (markScanner) RuleSet() string { return "marks" }

func (markScanner) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if strings.Contains(text, "slow") {
		return nil, errSlow
	}
	var found []sanitize.Finding
	for at := 0; ; {
		i := strings.Index(text[at:], mark)
		if i < 0 {
			return found, nil
		}
		line, column := sanitize.Position(text, at+i)
		found = append(found, sanitize.Finding{Rule: "mark", Severity: sanitize.SeverityHard, Line: line, Column: column})
		at += i + len(mark)
	}
}

// start is when every test begins.
func start() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }

// fakeStore is a database of a few maps: enough to see what the service asks
// for, and what it makes of the answers.
type fakeStore struct {
	Store // what is not written below is not called

	mu       sync.Mutex
	projects map[ProjectID]Project
	roles    map[ProjectID]Role // of the one member
	devices  []DeviceID         // of the one member
	entries  map[EntryID]Entry
	texts    map[RevisionRef]Revision
	digests  map[int64]Digest
	page     FeedPage
	asked    FeedQuery
	listed   EntryQuery
	batch    Batch
	receipt  Receipt
	earlier  []Earlier
	members  []Member
	tokens   []APIToken
	links    []ConsoleLink
	logins   fakeLogins
	replaced Hash // of the session that ended last
	added    []Project
	audit    []AuditRow
	auditErr error
	err      error // of everything
	lookups  int   // of heads

	proposals map[ProposalID]Proposal
	wanted    ProposalQuery // that the service listed by
	ended     []Ending
	raced     func() // called before an ending is stored
	presets   []Preset
	given     map[MemberID]Role

	deviceErr, headsErr, revisionErr, pushErr, pageErr error
	pushed                                             func() // called when a batch is stored
}

func (*fakeStore) Exceptions(context.Context, ProjectID) (Exceptions, error) {
	return Exceptions{}, nil
}

func (f *fakeStore) Project(_ context.Context, id ProjectID) (Project, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p, ok := f.projects[id]
	if !ok {
		return Project{}, errors.Join(f.err, NotFound("project"))
	}
	return p, f.err
}

func (f *fakeStore) Projects(_ context.Context, slug, remote string) (found []Project, err error) {
	for _, p := range f.projects {
		if (slug == "" || p.Slug == slug) && (remote == "" || slices.Contains(p.Remotes, remote)) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b Project) int { return strings.Compare(a.Slug, b.Slug) })
	return found, f.err
}

func (f *fakeStore) Role(_ context.Context, id ProjectID, _ MemberID) (Role, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	role, ok := f.roles[id]
	if f.roles == nil {
		return RoleNone, false, errFake
	}
	return role, ok, f.err
}

// errFake is a database that cannot be reached.
var errFake = errors.New("no database")

func (f *fakeStore) Head(context.Context, ProjectID) (Head, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lookups++
	return f.projects["prj_a"].Head, f.err
}

// advance is a change by another process.
func (f *fakeStore) advance(h Head) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.projects["prj_a"]
	p.Head = h
	f.projects["prj_a"] = p
}

func (f *fakeStore) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeStore) DigestAt(_ context.Context, _ ProjectID, seq int64) (Digest, error) {
	d, ok := f.digests[seq]
	if !ok {
		return Digest{}, errFake
	}
	return d, nil
}

func (f *fakeStore) Changes(_ context.Context, _ ProjectID, q FeedQuery) (FeedPage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = q
	return f.page, errors.Join(f.err, f.pageErr)
}

func (f *fakeStore) Manifest(context.Context, ProjectID) (Head, []Entry, error) {
	return f.projects["prj_a"].Head, nil, f.err
}

func (f *fakeStore) Entries(_ context.Context, _ ProjectID, q EntryQuery) ([]Entry, error) {
	f.listed = q
	return nil, f.err
}

func (f *fakeStore) EntryAt(_ context.Context, _ ProjectID, p Path) (Entry, error) {
	for _, e := range f.entries {
		if e.Path == p && !e.Deleted {
			return e, f.err
		}
	}
	return Entry{}, NotFound("entry")
}

func (f *fakeStore) Entry(_ context.Context, _ ProjectID, id EntryID) (Entry, error) {
	e, ok := f.entries[id]
	if !ok {
		return Entry{}, NotFound("entry")
	}
	return e, f.err
}

func (f *fakeStore) Revisions(_ context.Context, _ ProjectID, refs []RevisionRef, most int) (found []Revision, err error) {
	total := 0
	for _, ref := range refs {
		r, ok := f.texts[ref]
		if !ok {
			continue
		}
		if total > most {
			break
		}
		total += r.Size
		found = append(found, r)
	}
	return found, errors.Join(f.err, f.revisionErr)
}

func (f *fakeStore) History(_ context.Context, _ ProjectID, _ EntryID, below int64, limit int) ([]Revision, error) {
	return []Revision{{Rev: below, Size: limit}}, f.err
}

func (f *fakeStore) Heads(_ context.Context, id ProjectID, l Lookups) (Heads, error) {
	h := Heads{Head: f.projects[id].Head, Live: len(f.entries), Earlier: f.earlier}
	for _, e := range f.entries {
		if !slices.Contains(l.PathKeys, e.Path.Skeleton()) {
			continue
		}
		head := EntryHead{ID: e.ID, Path: e.Path, Rev: e.Rev, Sum: e.Sum, Size: e.Size}
		if e.Deleted {
			head.DeletedRev = e.Rev
		}
		h.Entries = append(h.Entries, head)
	}
	return h, errors.Join(f.err, f.headsErr)
}

// Push answers with the receipt of the test, or one that publishes all that
// passed.
func (f *fakeStore) Push(_ context.Context, b Batch) (Receipt, error) {
	f.batch = b
	if f.pushed != nil {
		f.pushed()
	}
	if err := errors.Join(f.err, f.pushErr); err != nil || f.receipt.Verdicts != nil {
		return f.receipt, err
	}
	r := Receipt{Head: f.projects[b.Project].Head}
	for _, it := range b.Items {
		v := refused("", it.Refused)
		switch {
		case it.waits():
			v = Verdict{Ruling: RulingWaiting, Proposal: it.Proposal}
		case it.passed():
			r.Head.Seq++
			v = Verdict{Ruling: RulingPublished, EntryID: it.Write.NewID, Rev: r.Head.Seq}
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	return r, nil
}

func (f *fakeStore) Proposals(_ context.Context, _ ProjectID, q ProposalQuery) (found []Proposal, err error) {
	f.wanted = q
	for _, p := range f.proposals {
		if q.Author == "" || p.Author.Member == q.Author {
			found = append(found, p)
		}
	}
	return found, f.err
}

func (f *fakeStore) Proposal(_ context.Context, project ProjectID, id ProposalID) (Proposal, error) {
	p, ok := f.proposals[id]
	if !ok || p.Project != project {
		return Proposal{}, errors.Join(f.err, NotFound("proposal"))
	}
	return p, f.err
}

// Publish pushes; the test's receipt says what judging makes of it.
func (f *fakeStore) Publish(ctx context.Context, b Batch, e Ending) (Receipt, bool, error) {
	if f.raced != nil {
		f.raced()
	}
	if f.proposals[e.Proposal].State != ProposalPending {
		return Receipt{}, false, f.err
	}
	r, err := f.Push(ctx, b)
	if err == nil && r.Verdicts[0].Ruling == RulingPublished {
		_, err = f.end(e, r.Verdicts[0].Rev)
	}
	return r, true, err
}

func (f *fakeStore) End(_ context.Context, e Ending) (bool, error) {
	if f.raced != nil {
		f.raced()
	}
	return f.end(e, 0)
}

func (f *fakeStore) end(e Ending, rev int64) (bool, error) {
	p := f.proposals[e.Proposal]
	if p.State != ProposalPending || f.err != nil {
		return false, f.err
	}
	f.ended, f.audit = append(f.ended, e), append(f.audit, e.Row)
	p.State = e.State
	p.Decision = &ReviewDecision{By: Author{e.By, string(e.By)}, At: e.At, Reason: e.Reason, Note: e.Note, Rev: rev}
	f.proposals[e.Proposal] = p
	return true, nil
}

func (f *fakeStore) SetReview(_ context.Context, id ProjectID, p Preset, row AuditRow) error {
	f.presets, f.audit = append(f.presets, p), append(f.audit, row)
	return f.err
}

func (f *fakeStore) SetRole(_ context.Context, _ ProjectID, member MemberID, r Role, row AuditRow) error {
	f.given, f.audit = map[MemberID]Role{member: r}, append(f.audit, row)
	return f.err
}

func (f *fakeStore) Audit(ctx context.Context, rows ...AuditRow) error {
	f.audit = append(f.audit, rows...)
	return errors.Join(f.auditErr, ctx.Err())
}

func (f *fakeStore) Device(_ context.Context, _ MemberID, id DeviceID) (Device, error) {
	if f.deviceErr != nil {
		return Device{}, f.deviceErr
	}
	if !slices.Contains(f.devices, id) {
		return Device{}, NotFound("device")
	}
	return Device{ID: id}, f.err
}

func (f *fakeStore) AddDevice(_ context.Context, d Device, row AuditRow) error {
	f.devices, f.audit = append(f.devices, d.ID), append(f.audit, row)
	return f.err
}

func (f *fakeStore) DeviceNames(_ context.Context, devices []DeviceID) (map[DeviceID]string, error) {
	names := map[DeviceID]string{}
	for _, id := range devices {
		names[id] = "laptop"
	}
	return names, f.err
}

func (f *fakeStore) Member(_ context.Context, id MemberID) (Member, error) {
	return Member{ID: id, Name: "Mara"}, f.err
}

func (f *fakeStore) AddMember(_ context.Context, m Member, row AuditRow) error {
	f.members, f.audit = append(f.members, m), append(f.audit, row)
	return f.err
}

func (f *fakeStore) AddProject(_ context.Context, p Project, row AuditRow) error {
	f.added, f.audit = append(f.added, p), append(f.audit, row)
	return f.err
}

func (f *fakeStore) AddAPIToken(_ context.Context, t APIToken, row AuditRow) error {
	f.tokens, f.audit = append(f.tokens, t), append(f.audit, row)
	return f.err
}

func (f *fakeStore) Overviews(ctx context.Context, _ MemberID, _ time.Time) (all []ProjectNumbers, err error) {
	projects, err := f.Projects(ctx, "", "")
	for _, p := range projects {
		role, given := f.roles[p.ID]
		all = append(all, ProjectNumbers{
			Project: p, Role: role, Given: given, Entries: 3, Pending: 2, Mine: 1, ChangedAt: start(),
			Findings: FindingNumbers{Open: 9, Mine: 4, Requested: 3, Asked: 1},
		})
	}
	return all, err
}

func (f *fakeStore) Cursors(ctx context.Context, _ MemberID) (all []ProjectCursor, err error) {
	projects, err := f.Projects(ctx, "", "")
	for _, p := range projects {
		role, given := f.roles[p.ID]
		all = append(all, ProjectCursor{Project: p.ID, At: p.Head.Cursor(), DefaultRole: p.DefaultRole, Role: role, Given: given})
	}
	return all, err
}

func (f *fakeStore) Recent(_ context.Context, projects []ProjectID, limit int) (found []ProjectChange, err error) {
	for _, id := range projects {
		found = append(found, ProjectChange{Project: id, Change: Change{Seq: int64(limit)}})
	}
	return found, f.err
}

func (f *fakeStore) Queue(_ context.Context, projects []ProjectID, _ MemberID, q QueueQuery) (found []Proposal, err error) {
	for _, id := range projects {
		found = append(found, Proposal{Project: id, Size: q.Limit})
	}
	return found, f.err
}

func (f *fakeStore) AddConsoleLink(_ context.Context, l ConsoleLink, row AuditRow) error {
	f.links, f.audit = append(f.links, l), append(f.audit, row)
	return f.err
}

// StartSession knows one good link: that of linkOfMara.
func (f *fakeStore) StartSession(_ context.Context, link, replaces Hash, s Session, row AuditRow) (Session, error) {
	if f.err == nil && link != linkOfMara() {
		return Session{}, NotFound("link")
	}
	s.Member, row.Actor = "mem_mara", "mem_mara"
	f.replaced, f.audit = replaces, append(f.audit, row)
	return s, f.err
}

func (f *fakeStore) EndSession(_ context.Context, hash Hash, row AuditRow) error {
	f.replaced, f.audit = hash, append(f.audit, row)
	return f.err
}

// fakeNotifier keeps hints, and wakes whoever waits.
type fakeNotifier struct {
	mu    sync.Mutex
	hints []int64
	wake  chan struct{}
}

func newNotifier() *fakeNotifier { return &fakeNotifier{wake: make(chan struct{}, 1)} }

func (n *fakeNotifier) Notify(_ ProjectID, at Cursor) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hints = append(n.hints, at.Seq)
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func (n *fakeNotifier) Wait(ctx context.Context, _ ProjectID, _ Cursor) {
	select {
	case <-n.wake:
	case <-ctx.Done():
	}
}

// bundle is a service with two projects, of which the member may write one.
type bundle struct {
	*Service
	store  *fakeStore
	notify *fakeNotifier
	who    Principal
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, Limits{})
}

func setupWith(t *testing.T, l Limits) *bundle {
	t.Helper()
	b := &bundle{
		store: &fakeStore{
			projects: map[ProjectID]Project{
				"prj_a": {ID: "prj_a", Slug: "acme/app", Remotes: []string{"github.com/acme/app"}, DefaultRole: RoleNone, Head: Head{Epoch: "e1", Seq: 7}},
				"prj_b": {ID: "prj_b", Slug: "acme/ops", DefaultRole: RoleViewer, Head: Head{Epoch: "e2", Seq: 1}},
			},
			roles:   map[ProjectID]Role{"prj_a": RoleContributor},
			devices: []DeviceID{"dev_mine"},
			entries: map[EntryID]Entry{}, texts: map[RevisionRef]Revision{}, digests: map[int64]Digest{}, proposals: map[ProposalID]Proposal{},
			page: FeedPage{Epoch: "e1", Head: 7, To: 7},
		},
		notify: newNotifier(),
		who:    Principal{Member: "mem_mara", Name: "Mara", Device: "dev_own", Scopes: []Scope{ScopeRead, ScopeWrite}, Client: "test"},
	}
	b.Service = NewService(b.store, markScanner{}, b.notify, start, l)
	return b
}

func wantCode(t *testing.T, err error, want Code) {
	t.Helper()
	if err == nil || CodeOf(err) != want {
		t.Fatalf("got %v (%s), want %s", err, CodeOf(err), want)
	}
}

// problemOf is wantCode for a test that looks further into the error.
func problemOf(t *testing.T, err error, want Code) *Error {
	t.Helper()
	wantCode(t, err, want)
	return asError(err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
