package memory

import (
	"context"
	"time"

	"github.com/teammem/teammem/sanitize"
)

// Clock tells the time. Nothing in this package reads a clock of its own.
type Clock func() time.Time

// Scanner looks for secrets. An error means that the text was not scanned to
// its end, which is a refusal.
type Scanner interface {
	Scan(ctx context.Context, text string) ([]sanitize.Finding, error)
	RuleSet() string
}

// KeyedScanner tells one secret from another. Without it nothing that is found
// can be allowed.
type KeyedScanner interface {
	Scanner
	// ScanKeyed is Scan with the fingerprints that the key makes.
	ScanKeyed(ctx context.Context, text string, key []byte) ([]sanitize.Finding, error)
	// Mask returns the text without the secrets in it, "" if that cannot be done.
	Mask(ctx context.Context, text string) (string, error)
}

// Notifier is told where a project's feed stands after the commit. It is a
// hint: whoever misses it still finds the change in the feed. The zero cursor says
// that more is allowed than before, so that a client may share what it could not.
type Notifier interface {
	Notify(project ProjectID, at Cursor)
	Wait(ctx context.Context, project ProjectID, after Cursor) // returns when a cursor behind after was notified, or ctx is done
}

// Store is the database. It is composed of small parts, one per noun; package
// store implements them all. Missing objects are [CodeNotFound] errors.
type Store interface {
	PushStore
	FeedStore
	CursorStore
	EntryStore
	HistoryStore
	ProposalStore
	DecisionStore
	ConflictStore
	FindingStore
	RescanStore
	ModerationStore
	ProjectStore
	PolicyStore
	OverviewStore
	RoleStore
	MemberStore
	TokenStore
	DeviceStore
	ReportStore
	LoginStore
	SigningKeyStore
	LinkStore
	SessionStore
	AuditStore
}

// PushStore writes batches.
type PushStore interface {
	// Push judges and writes the batch in one transaction, see [Judge].
	// A batch whose epoch is not the project's is a CodeEpochChanged error, and
	// one by another preset than the project's a CodeUnavailable one.
	Push(ctx context.Context, b Batch) (Receipt, error)
	// Heads reads, without a lock, what Push would judge by.
	Heads(ctx context.Context, project ProjectID, l Lookups) (Heads, error)
}

// FeedStore reads a project's feed.
type FeedStore interface {
	Head(ctx context.Context, project ProjectID) (Head, error)
	// DigestAt returns the digest that was recorded at seq; the empty digest at 0.
	DigestAt(ctx context.Context, project ProjectID, seq int64) (Digest, error)
	// Changes returns the page that the query asks for, see [FeedPage].
	Changes(ctx context.Context, project ProjectID, q FeedQuery) (FeedPage, error)
	// Purged returns what [FeedPage.Purged] is of a page, and where that ends: see
	// [CutPurged].
	Purged(ctx context.Context, project ProjectID, from, to int64, most int) ([]Hash, int64, error)
}

// CursorStore looks where many projects stand.
type CursorStore interface {
	// Cursors returns where the feeds of all projects stand, with the role that
	// was given to the member in each.
	Cursors(ctx context.Context, member MemberID) ([]ProjectCursor, error)
}

// ProjectCursor is where a project's feed stands, and what decides whether a
// member may know.
type ProjectCursor struct {
	Project     ProjectID
	At          Cursor
	DefaultRole Role
	Role        Role // that was given to the member there, if Given
	Given       bool
}

// FeedQuery asks for one page of a feed.
type FeedQuery struct {
	Since     int64
	Limit     int // how far To is from Since, at most
	InlineMax int // bytes of content an entry; 0 for none
	PageMax   int // bytes of content a page
	PurgedMax int // hashes of purged texts a page, but for those of one purge; 0 for any number
}

// EntryStore reads entries and their history.
type EntryStore interface {
	// Manifest returns every live entry, by path, with the head it belongs to.
	Manifest(ctx context.Context, project ProjectID) (Head, []Entry, error)
	// Entries returns a page of live entries, by path, after the given one.
	Entries(ctx context.Context, project ProjectID, q EntryQuery) ([]Entry, error)
	// EntryAt returns the live entry at the path.
	EntryAt(ctx context.Context, project ProjectID, path Path) (Entry, error)
}

// HistoryStore reads entries by identity, and their revisions.
type HistoryStore interface {
	// Entry returns the entry, deleted or not.
	Entry(ctx context.Context, project ProjectID, id EntryID) (Entry, error)
	// Revisions returns the stored revisions that were asked for, in that
	// order; unknown ones are left out. It stops after the one that brings the
	// sum of sizes above maxBytes.
	Revisions(ctx context.Context, project ProjectID, refs []RevisionRef, maxBytes int) ([]Revision, error)
	// History returns the revisions of an entry without contents, newest
	// first, below the given rev (0: from the newest).
	History(ctx context.Context, project ProjectID, id EntryID, below int64, limit int) ([]Revision, error)
}

// RevisionRef names one revision.
type RevisionRef struct {
	EntryID EntryID
	Rev     int64
}

// EntryQuery filters a list of entries. Zero fields do not filter.
type EntryQuery struct {
	Prefix string // of the path
	Kind   Kind
	Author MemberID
	After  Path // keyset: the last path of the page before
	Limit  int
}

// ProposalStore reads what waits for a reviewer, or did.
type ProposalStore interface {
	// Proposals returns a page of proposals without contents, newest first.
	Proposals(ctx context.Context, project ProjectID, q ProposalQuery) ([]Proposal, error)
	// Proposal returns one proposal with its content.
	Proposal(ctx context.Context, project ProjectID, id ProposalID) (Proposal, error)
}

// DecisionStore ends proposals. Its methods report whether the proposal was
// still pending; if it was not, they do nothing.
type DecisionStore interface {
	// Publish writes an approved proposal like Push writes a batch, and ends it
	// in the same transaction. If judging publishes nothing, it stays pending.
	Publish(ctx context.Context, b Batch, e Ending) (Receipt, bool, error)
	// End ends a proposal without publishing anything.
	End(ctx context.Context, e Ending) (bool, error)
}

// Ending is how a pending proposal ends.
type Ending struct {
	Project  ProjectID
	Proposal ProposalID
	State    ProposalState
	By       MemberID
	At       time.Time
	Reason   Reason // of a rejection
	Note     string
	Row      AuditRow
}

// ConflictStore keeps texts that lost and could not be merged.
type ConflictStore interface {
	// KeepConflict stores a conflict, and returns what is stored under its id:
	// that may have been there before. More than most open ones of its author are
	// a CodeQuota error.
	KeepConflict(ctx context.Context, c Conflict, text Clean, most int, row AuditRow) (Conflict, error)
	// Conflicts returns a page of conflicts without contents, newest first.
	Conflicts(ctx context.Context, project ProjectID, q ConflictQuery) ([]Conflict, error)
	// Conflict returns one conflict with its content.
	Conflict(ctx context.Context, project ProjectID, id ConflictID) (Conflict, error)
	// CloseConflict closes an open conflict; it reports whether it was open, and
	// if it was not, does nothing.
	CloseConflict(ctx context.Context, project ProjectID, id ConflictID, r Resolution, row AuditRow) (bool, error)
}

// ProjectStore keeps projects.
type ProjectStore interface {
	Project(ctx context.Context, id ProjectID) (Project, error)
	// Projects returns all projects, or those with the slug or remote, by slug.
	Projects(ctx context.Context, slug, remote string) ([]Project, error)
	AddProject(ctx context.Context, p Project, row AuditRow) error
}

// OverviewStore looks at many projects at once.
type OverviewStore interface {
	// Overviews returns all projects, by slug, with their numbers at a time.
	Overviews(ctx context.Context, member MemberID, now time.Time) ([]ProjectNumbers, error)
	// Recent returns the newest changes of the projects, newest first.
	Recent(ctx context.Context, projects []ProjectID, limit int) ([]ProjectChange, error)
	// Queue returns a page of proposals of the projects, in the order of the part
	// that the query asks for.
	Queue(ctx context.Context, projects []ProjectID, member MemberID, q QueueQuery) ([]Proposal, error)
	// FindingQueue returns a page of findings, newest first: all of some projects,
	// and the member's of others.
	FindingQueue(ctx context.Context, all, own []ProjectID, member MemberID, q FindingQueueQuery) ([]Finding, error)
}

// ProjectNumbers are a project's, counted for one member.
type ProjectNumbers struct {
	Project   Project
	Role      Role // that was given to the member there, if Given
	Given     bool
	Entries   int // live ones
	Pending   int // proposals of others that wait
	Mine      int // proposals of the member that wait
	Findings  FindingNumbers
	ChangedAt time.Time
}

// PolicyStore keeps what decides about changes.
type PolicyStore interface {
	// SetReview gives the project another preset. Once it returns, nothing is
	// stored by the one before.
	SetReview(ctx context.Context, id ProjectID, p Preset, row AuditRow) error
}

// RoleStore keeps the roles that members were given in projects.
type RoleStore interface {
	// Role returns the role that was given to the member in the project;
	// RoleNone and false if none was.
	Role(ctx context.Context, project ProjectID, member MemberID) (Role, bool, error)
	// SetRole gives the member a role in the project, in place of the one before.
	SetRole(ctx context.Context, project ProjectID, member MemberID, r Role, row AuditRow) error
}

// MemberStore keeps members.
type MemberStore interface {
	Member(ctx context.Context, id MemberID) (Member, error)
	MemberByName(ctx context.Context, name string) (Member, error)
	AddMember(ctx context.Context, m Member, row AuditRow) error
}

// TokenStore keeps API tokens, by their hash.
type TokenStore interface {
	// APIToken finds a token by its hash, together with its member.
	APIToken(ctx context.Context, hash Hash) (APIToken, Member, error)
	AddAPIToken(ctx context.Context, t APIToken, row AuditRow) error
	// APITokens returns all tokens, or a member's, newest first.
	APITokens(ctx context.Context, member MemberID) ([]APIToken, error)
	// RevokeAPIToken ends a token and the devices that it logged in, each with a
	// row of its own. One that was revoked before stays as it is.
	RevokeAPIToken(ctx context.Context, id TokenID, at time.Time, row AuditRow) error
}

// DeviceStore keeps the computers on which members are logged in.
type DeviceStore interface {
	// Device returns the member's device; another member's is not found.
	Device(ctx context.Context, member MemberID, id DeviceID) (Device, error)
	AddDevice(ctx context.Context, d Device, row AuditRow) error
	// DeviceNames returns what the devices are called; unknown ones are left out.
	DeviceNames(ctx context.Context, devices []DeviceID) (map[DeviceID]string, error)
	// Devices returns a page of devices, newest first.
	Devices(ctx context.Context, q DeviceQuery) ([]Device, error)
	// EndDevice logs a device out. One that is out already stays as it is.
	EndDevice(ctx context.Context, id DeviceID, why EndReason, at time.Time, row AuditRow) error
}

// DeviceQuery filters a list of devices. Zero fields do not filter.
type DeviceQuery struct {
	Member  MemberID
	Project ProjectID // that they reach, and no other
	After   DeviceID  // keyset: the last of the page before
	Limit   int
}

// LoginStore keeps the logins of devices, by the hashes of their refresh
// tokens.
type LoginStore interface {
	// LogIn adds a device that is logged in. Where [MaxLogins] others of the
	// member are, it and LogInAgain return [TooManyLogins].
	LogIn(ctx context.Context, d Device, r RefreshToken, row AuditRow) (Login, error)
	// LogInAgain ends what the member's device held, and logs it in. One that was
	// logged out, or is another member's, is not found.
	LogInAgain(ctx context.Context, d Device, r RefreshToken, row AuditRow) (Login, error)
	// Refresh uses a token up, once, or decides by [SpentRefresh.Rule] about one
	// that cannot be. Device and member complete the row.
	Refresh(ctx context.Context, r Refresh, row AuditRow) (Refreshed, RefreshRuling, error)
	// LogOut ends the device that has or had the token.
	LogOut(ctx context.Context, refresh Hash, at time.Time, row AuditRow) error
}

// SigningKeyStore keeps the keys that sign access tokens.
type SigningKeyStore interface {
	// SigningKeys returns all of them, in the order in which they sign.
	SigningKeys(ctx context.Context) ([]SigningKey, error)
	// FirstSigningKey adds the key unless there is one: of servers that start at
	// the same time, one makes it.
	FirstSigningKey(ctx context.Context, k SigningKey, row AuditRow) error
	// AddSigningKey adds a key, in place of all others if it is to be alone.
	AddSigningKey(ctx context.Context, k SigningKey, alone bool, row AuditRow) error
}

// LinkStore keeps links into the console, by the hash of their token.
type LinkStore interface {
	AddConsoleLink(ctx context.Context, l ConsoleLink, row AuditRow) error
}

// SessionStore keeps who is signed in to the console, by the hash of their
// cookie.
type SessionStore interface {
	// StartSession uses the link up, ends the session that it replaces, and
	// starts one for the link's member, who becomes the actor of the row. If the
	// link is not good any more it is not found, and nothing happens.
	StartSession(ctx context.Context, link, replaces Hash, session Session, row AuditRow) (Session, error)
	// Session finds a session, in force or not, together with its member.
	Session(ctx context.Context, hash Hash) (Session, Member, error)
	// EndSession forgets a session, whose id becomes the object of the row.
	EndSession(ctx context.Context, hash Hash, row AuditRow) error
}

// AuditStore appends to the instance's chain: what belongs to no project's
// write, such as refusals.
type AuditStore interface {
	Audit(ctx context.Context, rows ...AuditRow) error
}
