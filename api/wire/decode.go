package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/memory"
)

// Encode returns v as JSON.
func Encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

// Decode reads the body of a request into v. The error is an [*memory.Error]
// with code invalid that names the place and never quotes the body.
func Decode(body []byte, v any) error {
	if values(body) > maxValues {
		return memory.Invalid("", fmt.Sprintf("the body has more than %d values", maxValues))
	}
	return decode(body, v, json.RejectUnknownMembers(true), json.WithUnmarshalers(noNull()))
}

// DecodeAnswer reads the body of an answer into v. It is as strict as [Decode]
// but skips names that it does not know.
func DecodeAnswer(body []byte, v any) error { return decode(body, v) }

func decode(body []byte, v any, opts ...json.Options) error {
	if err := checkUTF8(body); err != nil {
		return err
	}
	if err := json.Unmarshal(body, v, opts...); err != nil {
		return badJSON(body, err)
	}
	return nil
}

// maxValues is several times what the largest request has. A value of two bytes
// can become hundreds in memory, so a cap on bytes alone would not do.
const maxValues = 10_000

// values counts the values and names of a JSON text, and never too few. What
// is no JSON is for the decoder to refuse.
func values(body []byte) (n int) {
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			i += inString(body[i+1:]) + 1
		case '[', '{', ',', ':':
			n++
		}
	}
	return n
}

// inString returns how many bytes are left of a string, its last quote aside.
func inString(rest []byte) int {
	for i := 0; ; i++ {
		end := bytes.IndexByte(rest[i:], '"')
		if end < 0 {
			return len(rest)
		}
		i += end
		before := bytes.TrimRight(rest[:i], `\`)
		if (i-len(before))%2 == 0 {
			return i
		}
	}
}

// errNull refuses null: "no value" is said by leaving the member out, and a
// null that turns into an empty text would be a text that nobody wrote.
var errNull = errors.New("null")

func noNull() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ any) error {
		if d.PeekKind() == 'n' {
			return errNull
		}
		return errors.ErrUnsupported // not ours to read: go on with the ordinary rules
	})
}

func checkUTF8(body []byte) error {
	if utf8.Valid(body) {
		return nil
	}
	pos := 0
	for pos < len(body) {
		r, n := utf8.DecodeRune(body[pos:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		pos += n
	}
	return badEncoding(pos, "the body is not UTF-8")
}

func badEncoding(pos int, what string) *memory.Error {
	return &memory.Error{Code: memory.CodeInvalid, Layer: "encoding", Position: pos, Message: fmt.Sprintf("%s (at byte %d)", what, pos)}
}

// badJSON says what is wrong without the decoder's own words, which quote the
// body. The cause is therefore not kept either.
func badJSON(body []byte, err error) *memory.Error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		pos := int(e.ByteOffset)
		switch {
		case loneSurrogate(body, pos):
			return badEncoding(pos, "the body has half of a surrogate pair")
		case errors.Is(e.Err, jsontext.ErrDuplicateName):
			return memory.Invalid(field(e.JSONPointer.Parent()), fmt.Sprintf("a name appears twice (at byte %d)", pos))
		}
		return memory.Invalid("", fmt.Sprintf("the body is not one valid JSON value (at byte %d)", pos))
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return memory.Invalid("", "the body cannot be read")
	}
	switch {
	case errors.Is(e.Err, json.ErrUnknownName):
		return memory.Invalid(field(e.JSONPointer.Parent()), fmt.Sprintf("a name is not known here (at byte %d)", e.ByteOffset))
	case errors.Is(e.Err, errNull):
		return memory.Invalid(field(e.JSONPointer), "null is not a value here; leave the member out")
	}
	return memory.Invalid(field(e.JSONPointer), fmt.Sprintf("this value has the wrong type or is out of range (at byte %d)", e.ByteOffset))
}

// loneSurrogate reports whether the escape at pos is \uD800 to \uDFFF, which
// the decoder only ever complains about when its other half is missing.
func loneSurrogate(body []byte, pos int) bool {
	if pos < 0 || len(body)-pos < 4 {
		return false
	}
	s := strings.ToLower(string(body[pos : pos+4]))
	return strings.HasPrefix(s, `\ud`) && s[3] >= '8'
}

// field writes a JSON pointer the way problems name fields: ops[3].base_rev.
// It must only be given pointers to names that we know.
func field(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}
