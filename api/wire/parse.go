package wire

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/teammem/teammem/memory"
)

// Refusal is one item of an answer that the reader must not use: its path is
// not allowed here, or its content is not what its sha256 says. The rest of
// the answer is good.
type Refusal struct {
	EntryID memory.EntryID
	Rev     int64
	Path    string // as the server sent it; show it only quoted
	Deleted bool   // the change deletes the entry, so there is nothing to use
	Problem *memory.Error
}

// named puts the name of the field on a parser's error.
func named(field string, err error) error {
	e, ok := errors.AsType[*memory.Error](err)
	if !ok {
		return err
	}
	at := *e
	at.Field = field
	return &at
}

func missing(field string) *memory.Error { return memory.Invalid(field, "this is required") }

// optionalHash parses a hash that may be left out.
func optionalHash(field, s string) (memory.Hash, error) {
	if s == "" {
		return memory.Hash{}, nil
	}
	return hash(field, s)
}

func hash(field, s string) (memory.Hash, error) {
	h, err := memory.ParseHash(s)
	if err != nil {
		return h, named(field, err)
	}
	return h, nil
}

func hashText(h memory.Hash) string {
	if h.IsZero() {
		return ""
	}
	return h.String()
}

// action parses what a change does.
func action(field, s string) (memory.Action, error) {
	switch a := memory.Action(s); a {
	case memory.ActionPut, memory.ActionMove, memory.ActionDelete:
		return a, nil
	default:
		return "", memory.Invalid(field, "an op is put, move or delete")
	}
}

// checkContent compares content with the hash that came with it.
func checkContent[T string | []byte](content T, want memory.Hash) error {
	if memory.Sum([]byte(content)) != want {
		return &memory.Error{Code: memory.CodeInvalid, Field: "content", Message: "the content does not have the sha256 that came with it"}
	}
	return nil
}

func utc(t time.Time) time.Time { return t.UTC() }

// malformed says that an answer breaks the protocol.
func malformed(format string, args ...any) *memory.Error {
	return &memory.Error{Code: memory.CodeInvalid, Message: "the server's answer breaks the protocol: " + fmt.Sprintf(format, args...)}
}

// problemOf returns err as the domain's error.
func problemOf(err error) *memory.Error {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e
	}
	return malformed("%v", err)
}

// id checks an opaque id of a request. What cannot be an id never reaches the
// database.
func id[T ~string](field, prefix, s string) (T, error) {
	const most = 64
	random, ok := strings.CutPrefix(s, prefix)
	if s == "" {
		return "", nil
	}
	if !ok || random == "" || len(s) > most || strings.Trim(random, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return "", memory.Invalid(field, "this is not an id that starts with "+prefix)
	}
	return T(s), nil
}

// served checks an id in an answer. Ids become names of files and folders, parts
// of lines and of headers, so what cannot be one is refused at the door.
func served[T ~string](prefix, s string) (T, error) {
	parsed, err := id[T]("", prefix, s)
	if err != nil || parsed == "" {
		return "", malformed("an id that is none of those which start with %s", prefix)
	}
	return parsed, nil
}

// servedEpoch checks an epoch in an answer: it goes into headers and cursors.
func servedEpoch(s string) error {
	if _, err := memory.ParseCursor(memory.Cursor{Epoch: s}.String()); err != nil {
		return malformed("an epoch that is no word")
	}
	return nil
}

// ParseInstanceID checks the id by which a server goes.
func ParseInstanceID(s string) (string, error) { return served[string]("ins_", s) }

// ParseProjectID checks a project's id from an URL. What cannot be one is not
// found.
func ParseProjectID(s string) (memory.ProjectID, error) {
	p, err := id[memory.ProjectID]("project", "prj_", s)
	if err != nil || p == "" {
		return "", memory.NotFound("project")
	}
	return p, nil
}

// ParseEntryID checks an entry's id. It may be left out.
func ParseEntryID(field, s string) (memory.EntryID, error) {
	return id[memory.EntryID](field, "ent_", s)
}

// ParseMemberID checks a member's id. It may be left out.
func ParseMemberID(field, s string) (memory.MemberID, error) {
	return id[memory.MemberID](field, "mem_", s)
}

// ParseDeviceID checks a device's id. It may be left out.
func ParseDeviceID(field, s string) (memory.DeviceID, error) {
	return id[memory.DeviceID](field, "dev_", s)
}

// Label checks a short text that a client chose: at most so many bytes, and no
// control characters.
func Label(field, s string, most int) error {
	if len(s) > most {
		return memory.Invalid(field, fmt.Sprintf("this has at most %d bytes", most))
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return memory.Invalid(field, "this has characters that are not allowed here")
	}
	return nil
}
