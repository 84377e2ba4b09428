package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// SetURL keeps where members reach the server that started last.
func (s *Store) SetURL(ctx context.Context, url string) error {
	_, err := s.pool.Exec(ctx, `
		update instance
		set url = @url`,
		pgx.StrictNamedArgs{"url": url})
	return s.fault(ctx, "keep the server's address", err)
}

// URL returns what SetURL kept; "" if no server has started yet.
func (s *Store) URL(ctx context.Context) (string, error) {
	var url string
	err := s.pool.QueryRow(ctx, `
		select url
		from instance`).Scan(&url)
	return url, s.fault(ctx, "read the server's address", err)
}

// AddConsoleLink keeps a link that was just minted, and forgets those that are
// over.
func (s *Store) AddConsoleLink(ctx context.Context, l memory.ConsoleLink, row memory.AuditRow) error {
	return s.fault(ctx, "add console link", s.inTx(ctx, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		batch.Queue(`
			delete from console_links
			where expires_at <= @at`,
			pgx.StrictNamedArgs{"at": l.CreatedAt})
		batch.Queue(`
			insert into console_links (hash, member_id, session_epoch, created_at, expires_at)
			values (@hash, @member, @session_epoch, @created_at, @expires_at)`,
			pgx.StrictNamedArgs{
				"hash": l.Hash[:], "member": l.Member, "session_epoch": l.SessionEpoch,
				"created_at": l.CreatedAt, "expires_at": l.ExpiresAt,
			})
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	}))
}

// StartSession uses the link up and starts the session for its member, and
// ends the session that the browser had before. A link that was used, is over,
// or whose member may not sign in is as unknown as one that never was, and
// nothing happens then. Two who use one link at the same time wait for one
// another here, and the second finds it used.
func (s *Store) StartSession(
	ctx context.Context, link, replaces memory.Hash, session memory.Session, row memory.AuditRow,
) (memory.Session, error) {
	err := s.inTx(ctx, func(tx pgx.Tx) error {
		owner, err := useLink(ctx, tx, link, session.CreatedAt)
		if err != nil {
			return err
		}
		session.Member, session.SessionEpoch, row.Actor = owner.ID, owner.SessionEpoch, owner.ID
		if err := startSession(ctx, tx, session, replaces); err != nil {
			return err
		}
		return appendInstance(ctx, tx, row)
	})
	if err != nil {
		return memory.Session{}, s.fault(ctx, "start session", err)
	}
	return session, nil
}

func useLink(ctx context.Context, tx pgx.Tx, link memory.Hash, now time.Time) (memory.Member, error) {
	return one(ctx, tx, "link", memberRow.member, `
		update console_links l
		set used_at = @now
		from members m
		where l.hash = @hash
			and l.used_at is null
			and l.expires_at > @now
			and m.member_id = l.member_id
			and m.session_epoch = l.session_epoch
			and not m.disabled
		returning m.member_id, m.name, m.admin, m.disabled, m.session_epoch, m.created_at`,
		pgx.StrictNamedArgs{"hash": link[:], "now": now})
}

// startSession also forgets what is over, so that the table holds only who is
// signed in.
func startSession(ctx context.Context, tx pgx.Tx, session memory.Session, replaces memory.Hash) error {
	batch := &pgx.Batch{}
	batch.Queue(`
		delete from console_sessions
		where hash = @replaces or expires_at <= @now`,
		pgx.StrictNamedArgs{"replaces": replaces[:], "now": session.CreatedAt})
	batch.Queue(`
		insert into console_sessions (hash, session_id, member_id, session_epoch, created_at, expires_at)
		values (@hash, @session, @member, @session_epoch, @created_at, @expires_at)`,
		pgx.StrictNamedArgs{
			"hash": session.Hash[:], "session": session.ID, "member": session.Member, "session_epoch": session.SessionEpoch,
			"created_at": session.CreatedAt, "expires_at": session.ExpiresAt,
		})
	return tx.SendBatch(ctx, batch).Close()
}

type sessionRow struct {
	SessionID    string
	Hash         []byte
	SessionEpoch int64
	CreatedAt    time.Time
	ExpiresAt    time.Time
	MemberID     string
	Name         string
	Admin        bool
	Disabled     bool
	MemberEpoch  int64
	MemberSince  time.Time
}

func (r sessionRow) owned() ownedSession {
	session := memory.Session{
		ID: memory.SessionID(r.SessionID), Hash: memory.Hash(r.Hash), Member: memory.MemberID(r.MemberID), SessionEpoch: r.SessionEpoch,
		CreatedAt: r.CreatedAt.UTC(), ExpiresAt: r.ExpiresAt.UTC(),
	}
	m := memberRow{r.MemberID, r.Name, r.Admin, r.Disabled, r.MemberEpoch, r.MemberSince}
	return ownedSession{session, m.member()}
}

type ownedSession struct {
	session memory.Session
	member  memory.Member
}

// Session finds a session by the hash of its cookie, in force or not, together
// with its member as they are now.
func (s *Store) Session(ctx context.Context, hash memory.Hash) (memory.Session, memory.Member, error) {
	found, err := one(ctx, s.pool, "session", sessionRow.owned, `
		select s.session_id, s.hash, s.session_epoch, s.created_at, s.expires_at,
			m.member_id, m.name, m.admin, m.disabled, m.session_epoch as member_epoch, m.created_at as member_since
		from console_sessions s
		join members m on m.member_id = s.member_id
		where s.hash = @hash`,
		pgx.StrictNamedArgs{"hash": hash[:]})
	return found.session, found.member, s.fault(ctx, "read session", err)
}

// EndSession forgets a session; the row's object becomes its id. One that is
// not there has ended already.
func (s *Store) EndSession(ctx context.Context, hash memory.Hash, row memory.AuditRow) error {
	return s.fault(ctx, "end session", s.inTx(ctx, func(tx pgx.Tx) error {
		ended, err := list(ctx, tx, func(r struct{ SessionID string }) string { return r.SessionID }, `
			delete from console_sessions
			where hash = @hash
			returning session_id`,
			pgx.StrictNamedArgs{"hash": hash[:]})
		if err != nil || len(ended) == 0 {
			return err
		}
		row.Object = ended[0]
		return appendInstance(ctx, tx, row)
	}))
}
