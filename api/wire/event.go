package wire

import "github.com/teammem/teammem/memory"

// HeadEvent is what a stream says of a project: where its feed stands.
type HeadEvent struct {
	Project string `json:"project"`
	Epoch   string `json:"epoch"`
	Seq     int64  `json:"seq"`
}

// NewHeadEvent describes where a project stands.
func NewHeadEvent(project memory.ProjectID, at memory.Cursor) HeadEvent {
	return HeadEvent{string(project), at.Epoch, at.Seq}
}

// Domain returns the project and where it stands.
func (w HeadEvent) Domain() (memory.ProjectID, memory.Cursor, error) {
	if w.Project == "" || w.Epoch == "" || w.Seq < 0 {
		return "", memory.Cursor{}, malformed("a head without project or epoch")
	}
	return memory.ProjectID(w.Project), memory.Cursor{Epoch: w.Epoch, Seq: w.Seq}, nil
}
