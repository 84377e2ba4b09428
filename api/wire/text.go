package wire

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// Text is what a member wrote, as a JSON string. A page of the feed has a
// thousand, which as Go strings would be copied three times over.
type Text []byte

var errNoText = errors.New("a text is a string")

// MarshalJSONTo writes the text.
func (t Text) MarshalJSONTo(to *jsontext.Encoder) error {
	return to.WriteToken(jsontext.String(string(t)))
}

// UnmarshalJSONFrom reads a text.
func (t *Text) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if kind := from.PeekKind(); kind != '"' && kind != 0 { // 0: the value itself is broken, which ReadValue tells
		return errNoText
	}
	quoted, err := from.ReadValue()
	if err != nil {
		return err
	}
	*t, err = jsontext.AppendUnquote(make([]byte, 0, len(quoted)), quoted)
	return err
}
