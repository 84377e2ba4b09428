package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// MaxEntryBytes is the size cap of one entry.
const MaxEntryBytes = 256 << 10

// RuleSet names the rules that a text passes: those of a scanner, which it names,
// and those for hidden text.
func RuleSet(scanner string) string { return scanner + "/" + sanitize.TextRules }

// Clean is content that passed the checks for size, encoding and secrets under
// a named rule set. It only comes from [Screen]; its zero value is refused by
// store and wire.
type Clean struct {
	content string
	meta    Frontmatter
	sum     Hash
	ruleSet string
	allowed bool
}

// Screen checks content that is about to be shared as path: the size cap, the
// encoding, and secrets in the text, in what it says of itself once that is read
// as YAML, and in the key itself. The error is an
// [*Error] that names rule and position and never the value; if ctx ended
// meanwhile, it is the context's.
func Screen(ctx context.Context, scanner Scanner, path Path, content []byte) (Clean, error) {
	if path.IsZero() {
		return Clean{}, Invalid("path", "a path is required")
	}
	if len(content) > MaxEntryBytes {
		return Clean{}, &Error{
			Code: CodeTooLarge, Field: "content",
			Message: fmt.Sprintf("the entry has more than %d bytes, which is the most that is shared", MaxEntryBytes),
			Hint:    "split it into several entries",
		}
	}
	if err := CheckText(content); err != nil {
		return Clean{}, err
	}
	if err := scanPath(ctx, unexcepted(scanner), path); err != nil {
		return Clean{}, err
	}
	text := string(content)
	head := readHead(text)
	meta := head.frontmatter(path)
	if err := scan(ctx, scanner, "content", pieces(text, head, meta)...); err != nil {
		return Clean{}, err
	}
	return Clean{content: text, meta: meta, sum: Sum(content), ruleSet: RuleSet(scanner.RuleSet()), allowed: usedException(scanner)}, nil
}

// CheckText refuses what is no text, or holds what nobody sees, with code
// [CodeTextRejected] and the places. It is nil for any other text.
func CheckText(content []byte) *Error {
	if err := sanitize.CheckText(content); err != nil {
		return textRejected(err)
	}
	return nil
}

func textRejected(err error) *Error {
	e := &Error{Code: CodeTextRejected, Field: "content", Layer: layerEncoding, Message: err.Error(), Err: err}
	te, ok := errors.AsType[*sanitize.TextError](err)
	if !ok {
		return e
	}
	if !te.IsEncoding() {
		e.Layer = layerHidden
	}
	e.Position, e.Hint = te.Faults[0].Offset, te.Hint()
	for _, f := range te.Faults {
		e.Findings = append(e.Findings, sanitize.Finding{Rule: f.Reason, Severity: sanitize.SeverityHard, Line: f.Line, Column: f.Column})
	}
	return e
}

// The layers of a rejected text.
const (
	layerEncoding = "encoding" // it is no UTF-8
	layerHidden   = "hidden"   // it holds what nobody sees
)

// scanPath refuses a path with a secret in it.
func scanPath(ctx context.Context, scanner Scanner, p Path) error {
	return scan(ctx, scanner, "path", namePieces(p.String())...)
}

// scan refuses text with secrets in it, and text whose scan did not finish.
func scan(ctx context.Context, scanner Scanner, field string, all ...piece) error {
	findings, err := findIn(ctx, scanner, all)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // the caller went away, which says nothing of the text
	}
	if err != nil {
		return &Error{
			Code: CodeScanTimeout, Field: field, Err: err,
			Message: "the scan for secrets did not finish, so the text is refused",
			Hint:    "split the entry, or take very long lines out of it",
		}
	}
	if len(findings) == 0 {
		return nil
	}
	return &Error{
		Code: CodeSecretFound, Field: field, Findings: findings,
		Message: "this looks like it holds a secret: " + describe(findings),
		Hint:    "take the secret out, rotate it if it was shared anywhere, then sync again",
	}
}

func describe(findings []sanitize.Finding) string {
	const most = 3
	var names []string
	for _, f := range findings[:min(most, len(findings))] {
		names = append(names, f.String())
	}
	if more := len(findings) - most; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// Bytes returns a copy of the content.
func (c Clean) Bytes() []byte { return []byte(c.content) }

// Text returns the content.
func (c Clean) Text() string { return c.content }

// Frontmatter returns what the content says of itself.
func (c Clean) Frontmatter() Frontmatter { return c.meta }

// Sum returns the hash of the content.
func (c Clean) Sum() Hash { return c.sum }

// Size returns the length in bytes.
func (c Clean) Size() int { return len(c.content) }

// RuleSet names the rules that the content passed.
func (c Clean) RuleSet() string { return c.ruleSet }

// Allowed reports whether the content holds something that passed only because
// the project has an exception for it.
func (c Clean) Allowed() bool { return c.allowed }

// IsZero reports whether c was made without [Screen].
func (c Clean) IsZero() bool { return c.sum.IsZero() }

// blank reports whether the content is empty but for white space and a byte
// order mark.
func (c Clean) blank() bool { return strings.TrimSpace(strings.TrimPrefix(c.content, "\ufeff")) == "" }
