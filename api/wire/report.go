package wire

import (
	"fmt"
	"strings"

	"github.com/teammem/teammem/memory"
)

// Report is the body of POST …/report: what a device says of a tree. The path of
// a file is left out where it was itself refused.
type Report struct {
	Device       string         `json:"device,omitzero"`
	Tree         string         `json:"tree,omitzero"`
	Holds        []ReportedHold `json:"holds,omitzero"`
	Refused      []RefusedFile  `json:"refused,omitzero"`
	RefusedTotal int            `json:"refused_total,omitzero"`
	Blocked      []BlockedFile  `json:"blocked,omitzero"`
	BlockedTotal int            `json:"blocked_total,omitzero"`
	Conflicts    int            `json:"conflicts,omitzero"`
	Waiting      int            `json:"waiting,omitzero"`
	Mode         string         `json:"mode"`
}

// ReportedHold are deletes, or changes, that wait for a person.
type ReportedHold struct {
	Hold      string `json:"hold"`
	Deletes   int    `json:"deletes,omitzero"`
	Changes   int    `json:"changes,omitzero"`
	Direction string `json:"direction"`
}

// RefusedFile is a file that a rule keeps from being shared.
type RefusedFile struct {
	Path  string `json:"path,omitzero"`
	Code  string `json:"code"`
	Layer string `json:"layer,omitzero"`
}

// BlockedFile is a file that is not shared because of what it is on disk.
type BlockedFile struct {
	Path string `json:"path,omitzero"`
	Kind string `json:"kind"`
}

// Bounds of a report. Of more files than [memory.MaxReported], the first are
// kept.
const (
	maxHolds   = 10
	maxNamed   = 200
	maxCounted = 1_000_000
)

// NewReport describes what a device says, of a tree.
func NewReport(r memory.DeviceReport) Report {
	w := Report{
		Device: string(r.Device), Tree: r.Tree, RefusedTotal: r.RefusedTotal, BlockedTotal: r.BlockedTotal, Conflicts: r.Conflicts,
		Waiting: r.Waiting, Mode: string(r.Flow),
	}
	for _, h := range r.Holds {
		w.Holds = append(w.Holds, ReportedHold{h.ID, h.Deletes, h.Changes, string(h.Direction)})
	}
	for _, f := range r.Refused {
		w.Refused = append(w.Refused, RefusedFile{f.Path.String(), wordOr(string(f.Code), otherReason), wordOr(f.Layer, "")})
	}
	for _, f := range r.Blocked {
		w.Blocked = append(w.Blocked, BlockedFile{f.Path.String(), wordOr(string(f.Code), otherReason)})
	}
	return w
}

// Domain returns the report.
func (w Report) Domain() (r memory.DeviceReport, err error) {
	if r.Device, err = ParseDeviceID("device", w.Device); err != nil {
		return r, err
	}
	if w.Tree != "" {
		if err := word("tree", w.Tree, 16); err != nil {
			return r, err
		}
	}
	switch r.Flow = memory.Flow(w.Mode); r.Flow {
	case memory.FlowBothWays, memory.FlowPullOnly, memory.FlowPushOnly:
	default:
		return r, memory.Invalid("mode", "a tree is mirrored both-ways, pull-only or push-only")
	}
	if err := w.bounds(); err != nil {
		return r, err
	}
	r.Tree, r.Conflicts, r.Waiting = w.Tree, w.Conflicts, w.Waiting
	r.RefusedTotal, r.BlockedTotal = max(w.RefusedTotal, len(w.Refused)), max(w.BlockedTotal, len(w.Blocked))
	if r.Holds, err = w.holds(); err != nil {
		return r, err
	}
	for _, f := range w.Refused[:min(len(w.Refused), memory.MaxReported)] {
		if r.Refused, err = withFile(r.Refused, f.Path, "code", f.Code, f.Layer); err != nil {
			return r, err
		}
	}
	for _, f := range w.Blocked[:min(len(w.Blocked), memory.MaxReported)] {
		if r.Blocked, err = withFile(r.Blocked, f.Path, "kind", f.Kind, ""); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (w Report) bounds() error {
	switch {
	case len(w.Holds) > maxHolds:
		return memory.Invalid("holds", fmt.Sprintf("this has at most %d items", maxHolds))
	case len(w.Refused) > maxNamed:
		return memory.Invalid("refused", fmt.Sprintf("this has at most %d items", maxNamed))
	case len(w.Blocked) > maxNamed:
		return memory.Invalid("blocked", fmt.Sprintf("this has at most %d items", maxNamed))
	}
	for _, n := range []struct {
		field string
		count int
	}{{"refused_total", w.RefusedTotal}, {"blocked_total", w.BlockedTotal}, {"conflicts", w.Conflicts}, {"waiting", w.Waiting}} {
		if n.count < 0 || n.count > maxCounted {
			return memory.Invalid(n.field, fmt.Sprintf("this is a number from 0 to %d", maxCounted))
		}
	}
	return nil
}

func (w Report) holds() (all []memory.ReportedHold, err error) {
	for _, h := range w.Holds {
		if err := word("holds.hold", h.Hold, 64); err != nil {
			return nil, err
		}
		n := h.Deletes + h.Changes
		if h.Deletes < 0 || h.Changes < 0 || h.Deletes > 0 && h.Changes > 0 || n < 1 || n > maxCounted {
			return nil, memory.Invalid("holds", "what is held are deletes, or changes, and at least one")
		}
		to := memory.Direction(h.Direction)
		if to != memory.Incoming && to != memory.Outgoing {
			return nil, memory.Invalid("holds.direction", "this is incoming or outgoing")
		}
		all = append(all, memory.ReportedHold{ID: h.Hold, Deletes: h.Deletes, Changes: h.Changes, Direction: to})
	}
	return all, nil
}

// withFile adds a file with why it is not shared. Of a path that is no path key,
// and of a word that is none, nothing is kept but that there is one: it could not
// be shown, and one odd file must not keep a device from telling of the others.
func withFile(files []memory.ReportedFile, path, field, code, layer string) ([]memory.ReportedFile, error) {
	if code == "" {
		return nil, memory.Invalid(field, "this says why")
	}
	key, err := memory.ParsePath(path)
	if err != nil {
		key = memory.Path{}
	}
	return append(files, memory.ReportedFile{Path: key, Code: memory.Code(wordOr(code, otherReason)), Layer: wordOr(layer, "")}), nil
}

// otherReason stands for a code that is no word.
const otherReason = "other"

// wordOr returns a word that says why, or else what stands for it.
func wordOr(s, other string) string {
	const most = 32
	if word("", s, most) != nil {
		return other
	}
	return s
}

// word checks a name that a program chose.
func word(field, s string, most int) error {
	if s == "" || len(s) > most || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return memory.Invalid(field, fmt.Sprintf("this is a word of at most %d small letters and digits", most))
	}
	return nil
}
