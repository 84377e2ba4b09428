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
	project, err := served[memory.ProjectID]("prj_", w.Project)
	if err != nil {
		return "", memory.Cursor{}, err
	}
	if err := servedEpoch(w.Epoch); err != nil || w.Seq < 0 {
		return "", memory.Cursor{}, malformed("a head without epoch or number")
	}
	return project, memory.Cursor{Epoch: w.Epoch, Seq: w.Seq}, nil
}

// FindingEvent is what a stream says when more is allowed in a project than
// before, so that a client may share a text that was refused.
type FindingEvent struct {
	Project string `json:"project"`
}

// Domain returns the project.
func (w FindingEvent) Domain() (memory.ProjectID, error) {
	return served[memory.ProjectID]("prj_", w.Project)
}
