package memory

import (
	"errors"

	"github.com/teammem/teammem/sanitize"
)

// Code says what went wrong. The codes are part of the protocol; api/wire maps
// them to HTTP statuses and back.
type Code string

// The codes of the protocol.
const (
	CodeInvalid          Code = "invalid"
	CodeUnauthenticated  Code = "unauthenticated"
	CodeForbidden        Code = "forbidden"
	CodeNotFound         Code = "not_found" // also: no right to know
	CodeConflict         Code = "conflict"
	CodeChanged          Code = "changed" // what was decided on is not what is there
	CodeEpochChanged     Code = "epoch_changed"
	CodeCursorAhead      Code = "cursor_ahead"
	CodeHistoryForked    Code = "history_forked"
	CodeDeleteGuard      Code = "delete_guard" // more deletes than anybody makes in an hour
	CodeCursorTooOld     Code = "cursor_too_old"
	CodeUnsupportedMedia Code = "unsupported_media_type"
	CodeUpgradeRequired  Code = "upgrade_required"
	CodePathRejected     Code = "path_rejected"
	CodeSecretFound      Code = "secret_found"
	CodeTextRejected     Code = "text_rejected"
	CodeSuspectEmpty     Code = "suspect_empty"
	CodeScanTimeout      Code = "scan_timeout"
	CodeQuota            Code = "quota"
	CodeTooLarge         Code = "too_large"
	CodeRateLimited      Code = "rate_limited"
	CodeInternal         Code = "internal"
	CodeUnavailable      Code = "unavailable"
)

// Error is the one error type of the domain. Message and Hint are safe to show
// to anybody and never quote content; Err is for logs.
type Error struct {
	Code     Code
	Message  string
	Field    string             // the input that was wrong, "" if none
	Layer    string             // of a rejected path or text: the rule that refused
	Position int                // byte offset in the raw input, from 0; with Layer
	Hint     string             // what to do next
	Findings []sanitize.Finding // of found secrets: rule and position, never the value
	Head     *Head              // of feed errors: where the project stands
	Err      error
}

// Error returns the safe message.
func (e *Error) Error() string {
	if e.Field != "" {
		return e.Field + ": " + e.Message
	}
	return e.Message
}

// Unwrap returns the cause, which is for logs.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first [*Error] in the chain, and
// [CodeInternal] for any other error.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// Invalid returns a [CodeInvalid] error about one field.
func Invalid(field, message string) *Error {
	return &Error{Code: CodeInvalid, Field: field, Message: message}
}

// NotFound returns a [CodeNotFound] error. What a member may not know of looks
// exactly like what does not exist.
func NotFound(what string) *Error {
	return &Error{Code: CodeNotFound, Message: what + " not found"}
}

// asError returns the first [*Error] in the chain, or nil.
func asError(err error) *Error {
	e, _ := errors.AsType[*Error](err)
	return e
}
