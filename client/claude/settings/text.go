package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrText means that a text is no settings file that can be edited.
var ErrText = errors.New("these settings cannot be edited")

// value is where a JSON value stands in the text. Members and elements are
// known as deep as hooks go: the object at the top, the object of events, and
// the lists in it.
type value struct {
	kind       jsontext.Kind
	start, end int // of the value itself
	parts      []part
}

// part is a member of an object or an element of a list.
type part struct {
	name  string // of a member
	start int    // of the name, or of the element
	value value
}

func (p part) end() int { return p.value.end }

// member returns the value with a name.
func (v value) member(name string) (value, bool) {
	for _, p := range v.parts {
		if p.name == name {
			return p.value, true
		}
	}
	return value{}, false
}

// text is a settings file with the places of what is in it.
type text struct {
	bytes []byte
	top   value
}

const (
	bom      = "\ufeff"
	hooksKey = "hooks"
	depth    = 3 // top, events, lists; what is in a list is taken as it is
)

// blank reports whether nothing is in the file yet, but for a byte order mark.
func blank(b []byte) bool { return len(bytes.TrimSpace(bytes.TrimPrefix(b, []byte(bom)))) == 0 }

// parse finds out where everything stands.
func parse(b []byte) (text, error) {
	if blank(b) {
		return text{}, nil
	}
	skipped := 0
	if bytes.HasPrefix(b, []byte(bom)) {
		skipped = len(bom)
	}
	r := reader{jsontext.NewDecoder(bytes.NewReader(b[skipped:])), skipped}
	top, err := r.value(depth)
	if err != nil {
		return text{}, fmt.Errorf("%w: they are not plain JSON: %w", ErrText, err)
	}
	if _, err := r.d.ReadToken(); !errors.Is(err, io.EOF) {
		return text{}, fmt.Errorf("%w: something follows the end", ErrText)
	}
	if top.kind != jsontext.KindBeginObject {
		return text{}, fmt.Errorf("%w: they are no object", ErrText)
	}
	if hooks, ok := top.member(hooksKey); ok {
		if hooks.kind != jsontext.KindBeginObject {
			return text{}, fmt.Errorf("%w: %q is no object", ErrText, hooksKey)
		}
		for _, event := range hooks.parts {
			if event.value.kind != jsontext.KindBeginArray {
				return text{}, fmt.Errorf("%w: %q in %q is no list", ErrText, event.name, hooksKey)
			}
		}
	}
	return text{b, top}, nil
}

// reader reads values with their places.
type reader struct {
	d       *jsontext.Decoder
	skipped int // bytes before what the decoder sees
}

func (r reader) offset() int { return r.skipped + int(r.d.InputOffset()) }

// value reads the next value, and what is in it down to a depth.
func (r reader) value(depth int) (value, error) {
	kind := r.d.PeekKind()
	if depth == 0 || kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		raw, err := r.d.ReadValue()
		return value{kind: kind, start: r.offset() - len(raw), end: r.offset()}, err
	}
	if _, err := r.d.ReadToken(); err != nil {
		return value{}, err
	}
	v := value{kind: kind, start: r.offset() - 1}
	for r.d.PeekKind() != jsontext.KindEndObject && r.d.PeekKind() != jsontext.KindEndArray {
		p, err := r.part(kind, depth)
		if err != nil {
			return value{}, err
		}
		v.parts = append(v.parts, p)
	}
	_, err := r.d.ReadToken()
	v.end = r.offset()
	return v, err
}

// part reads a member or an element.
func (r reader) part(in jsontext.Kind, depth int) (p part, err error) {
	if in == jsontext.KindBeginObject {
		raw, err := r.d.ReadValue()
		if err != nil {
			return part{}, err
		}
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return part{}, err
		}
		p.name, p.start = string(name), r.offset()-len(raw)
	}
	p.value, err = r.value(depth - 1)
	if in == jsontext.KindBeginArray {
		p.start = p.value.start
	}
	return p, err
}

// Empty reports whether a text says nothing: it is blank or an object without
// members.
func Empty(b []byte) bool {
	t, err := parse(b)
	return err == nil && len(t.top.parts) == 0
}
