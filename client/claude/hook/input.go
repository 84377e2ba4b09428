package hook

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxInput bounds what is read of an event.
const maxInput = 8 << 20

var errTooLarge = errors.New("it was larger than 8 MiB")

// input is what the agent says of an event, as far as it is used. What else
// there is, is not even looked at.
type input struct {
	Session   string         `json:"session_id"`
	Folder    string         `json:"cwd"`
	Event     string         `json:"hook_event_name"`
	Source    string         `json:"source"`
	Tool      string         `json:"tool_name"`
	ToolUse   string         `json:"tool_use_id"`
	ToolInput jsontext.Value `json:"tool_input"`
}

// write is what a tool is about to write, or wrote.
type write struct {
	File    string `json:"file_path"`
	Content string `json:"content"`
	Old     string `json:"old_string"`
	New     string `json:"new_string"`
	All     bool   `json:"replace_all"`
}

// readInput reads an event. All that the agent sends is taken from the pipe,
// since a pipe that breaks is an error to it.
func readInput(r io.Reader, event string) (input, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err != nil {
		return input{}, fmt.Errorf("read the event: %w", err)
	}
	if len(b) > maxInput {
		_, _ = io.Copy(io.Discard, r)
		return input{}, errTooLarge
	}
	var in input
	if err := unmarshal(b, &in); err != nil {
		return input{}, errors.New("it was no JSON as the agent writes it") // the cause may quote it
	}
	if in.Event != event {
		return input{}, errors.New("it was another event than the one that was asked for")
	}
	return in, nil
}

// write reads what a call of a tool is about; ok is false for tools that write
// no files of their own.
func (in input) write() (w write, ok bool) {
	if in.Tool != toolWrite && in.Tool != toolEdit {
		return write{}, false
	}
	return w, unmarshal(in.ToolInput, &w) == nil && w.File != ""
}

// unmarshal reads JSON as JavaScript writes it: half a character is possible
// there.
func unmarshal(b []byte, v any) error {
	return json.Unmarshal(b, v, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}
