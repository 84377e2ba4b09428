package memory

import (
	"errors"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// Path is the canonical path key of an entry below team/, such as
// "testing/db.md": NFC, slash-separated, proven safe for every file system.
// The zero value names nothing and is refused wherever a Path is used.
type Path struct{ key string }

// IndexName is the base name of the index files that agents keep per folder.
const IndexName = "MEMORY.md"

// ParsePath checks an untrusted key with every rule that needs only the key
// itself. The error is an [*Error] with code [CodePathRejected].
func ParsePath(raw string) (Path, error) {
	return parsed(sanitize.ParseKey(raw))
}

// ParseServedPath checks a key that a server sent. It differs from [ParsePath]
// only in letting pass code points that are newer than this program's Unicode
// tables, so that a new emoji does not stop an older client.
func ParseServedPath(raw string) (Path, error) {
	return parsed(sanitize.ParseServedKey(raw))
}

// StoredPath wraps a key that passed a parser before it was stored. Only store
// and the client's index file call it, so that a rule which becomes tighter
// never makes a stored entry unreadable.
func StoredPath(key string) Path { return Path{key} }

func parsed(key string, err error) (Path, error) {
	if err != nil {
		return Path{}, pathRejected(err)
	}
	return Path{key}, nil
}

// CheckTwin refuses a path that another file or folder of the set already has
// in another spelling (layer "case").
func CheckTwin(names *sanitize.Names, p Path) *Error {
	if err := names.Check(p.key); err != nil {
		return pathRejected(err)
	}
	return nil
}

// pathRejected turns a [sanitize.PathError] into the domain's error.
func pathRejected(err error) *Error {
	e := &Error{Code: CodePathRejected, Field: "path", Message: "this path key is not allowed", Err: err}
	if pe, ok := errors.AsType[*sanitize.PathError](err); ok {
		e.Layer, e.Position, e.Hint = string(pe.Layer), pe.Offset, pe.Hint
	}
	return e
}

// String returns the canonical key.
func (p Path) String() string { return p.key }

// IsZero reports whether p names nothing.
func (p Path) IsZero() bool { return p.key == "" }

// Skeleton returns the collision key: two live entries of a project never
// share one.
func (p Path) Skeleton() string { return sanitize.Skeleton(p.key) }

// Dir returns the folder part without a final slash, "" for the top.
func (p Path) Dir() string {
	if i := strings.LastIndexByte(p.key, '/'); i >= 0 {
		return p.key[:i]
	}
	return ""
}

// Base returns the last segment, with its extension.
func (p Path) Base() string { return p.key[strings.LastIndexByte(p.key, '/')+1:] }

// Stem returns the last segment without ".md".
func (p Path) Stem() string { return strings.TrimSuffix(p.Base(), ".md") }

// IsIndex reports whether the entry is an index file, which merges by its own
// rule.
func (p Path) IsIndex() bool { return p.Base() == IndexName }
