package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store/backup"
)

// SQLSTATE codes that are told apart, see the appendix "PostgreSQL Error
// Codes" of its manual.
const (
	uniqueViolation       = "23505"
	characterNotInEncoded = "22021"
	untranslatable        = "22P05"
	serializationFailure  = "40001"
	deadlockDetected      = "40P01"
	lockNotAvailable      = "55P03"
	queryCanceled         = "57014"
	idleInTransaction     = "25P03"
	insufficientPrivilege = "42501"
	undefinedTable        = "42P01"
	duplicateObject       = "42710"
	invalidParameterValue = "22023"
	diskFull              = "53100"
)

// databaseError is what may be known of a driver's error outside this package.
// Messages and details of Postgres and pgx can quote the values of a row, so
// only names of the schema are kept.
type databaseError struct {
	op         string
	state      string // SQLSTATE
	table      string
	constraint string
	cause      string // of errors that are not Postgres': what is known to hold no value
	wrapped    error  // a context's error, or nil
}

func (e *databaseError) Error() string {
	if e.state == "" {
		return e.op + ": " + e.cause
	}
	s := e.op + ": SQLSTATE " + e.state
	if e.state == diskFull {
		s += ": its disk is full" // whoever reads the log has to act
	}
	if e.table != "" {
		s += " table " + e.table
	}
	if e.constraint != "" {
		s += " constraint " + e.constraint
	}
	return s
}

func (e *databaseError) Unwrap() error { return e.wrapped }

// fault turns an error of the driver into one of the domain. Errors of the
// domain pass.
func (s *Store) fault(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*memory.Error](err); ok {
		return known
	}
	if unscreened, ok := errors.AsType[*memory.Unscreened](err); ok {
		return unscreened
	}
	safe := redact(op, err)
	if safe.state == uniqueViolation {
		// Everything unique is decided under the project's lock or reported by its writer, so this is a fault of ours. The
		// request may pass when it is tried again, so it is not reported as internal, and nobody else logs it.
		s.log.LogAttrs(ctx, slog.LevelError, "unexpected unique violation",
			slog.String("op", op), slog.String("table", safe.table), slog.String("constraint", safe.constraint))
	}
	e := &memory.Error{Code: codeOf(safe.state, err), Err: safe}
	switch e.Code {
	case memory.CodeInvalid:
		e.Message = "a text holds a character that cannot be stored"
	case memory.CodeUnavailable:
		e.Message, e.Hint = "the database is busy or cannot be reached", "try again in a moment"
	default:
		e.Message = "the database refused a query"
	}
	return e
}

// ownerFault is [Store.fault] for what an operator does to a whole database,
// and has to solve: names of the schema and codes are shown, values never.
func ownerFault(op string, err error) error {
	if known := asDomain(err); known != nil {
		return known
	}
	if errors.Is(err, backup.ErrFile) {
		return err
	}
	return migrationFault(op, err)
}

// asDomain returns the domain's error in err, or nil.
func asDomain(err error) *memory.Error {
	known, _ := errors.AsType[*memory.Error](err)
	return known
}

func redact(op string, err error) *databaseError {
	safe := &databaseError{op: op, cause: fmt.Sprintf("%T", err)}
	switch {
	case errors.Is(err, context.Canceled):
		safe.cause, safe.wrapped = context.Canceled.Error(), context.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		safe.cause, safe.wrapped = context.DeadlineExceeded.Error(), context.DeadlineExceeded
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		safe.state, safe.table, safe.constraint = pg.Code, pg.TableName, pg.ConstraintName
	} else if network, ok := errors.AsType[*net.OpError](err); ok {
		safe.cause = network.Error()
	}
	return safe
}

func codeOf(state string, err error) memory.Code {
	switch state {
	case "":
		if lost(err) {
			return memory.CodeUnavailable
		}
		return memory.CodeInternal
	case characterNotInEncoded, untranslatable:
		return memory.CodeInvalid
	case uniqueViolation, serializationFailure, deadlockDetected, lockNotAvailable, queryCanceled, idleInTransaction:
		return memory.CodeUnavailable
	}
	switch state[:2] {
	case "08", "53", "57", "58": // connection, resources, operator's intervention, the system beneath
		return memory.CodeUnavailable
	}
	return memory.CodeInternal
}

// lost reports whether the connection or the caller's patience ended, rather
// than the query failed.
func lost(err error) bool {
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || pgconn.Timeout(err) || errors.Is(err, context.Canceled) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// passing reports whether the transaction may succeed when it is run again.
func passing(err error) bool {
	switch sqlState(err) {
	case serializationFailure, deadlockDetected, lockNotAvailable:
		return true
	}
	return false
}

func sqlState(err error) string {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code
	}
	return ""
}

// missing says what was not found if there was no row.
func missing(err error, what string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return memory.NotFound(what)
	}
	return err
}

// taken says what is in the way if the constraint was violated.
func taken(err error, constraint, field, message string) error {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == uniqueViolation && pg.ConstraintName == constraint {
		return &memory.Error{Code: memory.CodeConflict, Field: field, Message: message}
	}
	return err
}

// badURL says nothing about the URL itself, which holds a password.
func badURL() error {
	return &memory.Error{
		Code: memory.CodeInvalid, Field: "database-url", Message: "the database URL cannot be read",
		Hint: "it reads postgres://user@host:5432/database; special characters of a password are percent-encoded",
	}
}

// unreachable reports a failed connection. Until there is one, no row was
// read, so the server's own words are safe, and the operator needs them.
func unreachable(err error) error {
	if known := asDomain(err); known != nil {
		return known // of what we ask on each new connection
	}
	e := &memory.Error{
		Code: memory.CodeUnavailable, Err: redact("connect", err),
		Message: "the database cannot be reached", Hint: "check the database URL, and that Postgres runs",
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		e.Message = "the database refused the connection: " + pg.Message
		if pg.Code == invalidParameterValue || pg.Code == insufficientPrivilege {
			e.Message, e.Hint = "the database has no role "+servingRole+" that this user may act as", notMigrated().Hint
		}
	} else if network, ok := errors.AsType[*net.OpError](err); ok {
		e.Message += ": " + network.Error()
	} else if name, ok := errors.AsType[*net.DNSError](err); ok {
		e.Message += ": " + name.Error()
	}
	return e
}

func notMigrated() *memory.Error {
	return &memory.Error{
		Code: memory.CodeUnavailable, Message: "the database does not have this version's schema yet",
		Hint: "migrate it first: teammem serve does so when its database URL names the owner",
	}
}
