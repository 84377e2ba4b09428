package wire

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// ConflictKeep is the body of POST …/conflicts: a text that a client could not
// merge, and keeps.
type ConflictKeep struct {
	ID        string    `json:"id"`
	Path      string    `json:"path"`
	EntryID   string    `json:"entry_id,omitzero"`
	BaseRev   int64     `json:"base_rev,omitzero"`
	ServerRev int64     `json:"server_rev,omitzero"`
	SHA256    string    `json:"sha256,omitzero"`
	Content   *string   `json:"content"`
	Device    string    `json:"device,omitzero"`
	KeptAt    time.Time `json:"kept_at"`
}

// NewConflictKeep describes a kept text that is clean.
func NewConflictKeep(c memory.Conflict, text memory.Clean) (ConflictKeep, error) {
	if text.IsZero() {
		return ConflictKeep{}, &memory.Error{Code: memory.CodeInternal, Message: "a text that was never screened is not sent"}
	}
	content := text.Text()
	return ConflictKeep{
		ID: string(c.ID), Path: c.Path.String(), EntryID: string(c.EntryID), BaseRev: c.BaseRev, ServerRev: c.ServerRev,
		SHA256: text.Sum().String(), Content: &content, Device: string(c.Device), KeptAt: utc(c.KeptAt),
	}, nil
}

// Domain returns the report; nothing in it has been checked but its form.
func (w ConflictKeep) Domain() (d memory.Draft, err error) {
	if d.ID, err = id[memory.ConflictID]("id", "cnf_", w.ID); err != nil {
		return d, err
	}
	switch {
	case d.ID == "":
		return d, missing("id")
	case w.Path == "":
		return d, missing("path")
	case w.Content == nil:
		return d, missing("content")
	case w.KeptAt.IsZero():
		return d, missing("kept_at")
	case w.KeptAt.Year() < 1970 || w.KeptAt.Year() > 9999:
		return d, memory.Invalid("kept_at", "this is a time since 1970")
	}
	if d.EntryID, err = ParseEntryID("entry_id", w.EntryID); err != nil {
		return d, err
	}
	if d.Device, err = ParseDeviceID("device", w.Device); err != nil {
		return d, err
	}
	if d.Sum, err = optionalHash("sha256", w.SHA256); err != nil {
		return d, err
	}
	d.Path, d.BaseRev, d.ServerRev, d.Content, d.KeptAt = w.Path, w.BaseRev, w.ServerRev, []byte(*w.Content), w.KeptAt.UTC()
	return d, nil
}

// Conflict is a text that could not be merged. Content is there only in the
// answer to GET …/conflicts/{id}.
type Conflict struct {
	ID         string      `json:"id"`
	State      string      `json:"state"`
	Path       string      `json:"path"`
	EntryID    string      `json:"entry_id,omitzero"`
	BaseRev    int64       `json:"base_rev"`
	ServerRev  int64       `json:"server_rev"`
	SHA256     string      `json:"sha256"`
	Size       int         `json:"size"`
	Content    *string     `json:"content,omitzero"`
	Author     Author      `json:"author"`
	Device     string      `json:"device,omitzero"`
	RuleSet    string      `json:"rule_set"`
	KeptAt     time.Time   `json:"kept_at"`
	At         time.Time   `json:"at"`
	Resolution *Resolution `json:"resolution,omitzero"`
	Purged     bool        `json:"purged,omitzero"`
}

// Resolution is how a conflict was closed.
type Resolution struct {
	By       Author    `json:"by"`
	At       time.Time `json:"at"`
	How      string    `json:"how"`
	Rev      int64     `json:"rev,omitzero"`
	EntryID  string    `json:"entry_id,omitzero"`
	Proposal string    `json:"proposal,omitzero"`
}

// The states of a conflict.
const (
	conflictOpen   = "open"
	conflictClosed = "closed"
)

// NewConflict describes a conflict without its content.
func NewConflict(c memory.Conflict) Conflict {
	w := Conflict{
		ID: string(c.ID), State: conflictOpen, Path: c.Path.String(), EntryID: string(c.EntryID), BaseRev: c.BaseRev, ServerRev: c.ServerRev,
		SHA256: c.Sum.String(), Size: c.Size, Author: newAuthor(c.Author), Device: string(c.Device), RuleSet: c.RuleSet, KeptAt: utc(c.KeptAt),
		At: utc(c.At), Purged: c.Purged,
	}
	if r := c.Closed; r != nil {
		w.State = conflictClosed
		w.Resolution = &Resolution{
			By: newAuthor(r.By), At: utc(r.At), How: string(r.How), Rev: r.Rev, EntryID: string(r.EntryID), Proposal: string(r.Proposal),
		}
	}
	return w
}

// Domain returns the conflict, with content if there is some.
func (w Conflict) Domain() (memory.Conflict, error) {
	name, err := ParseConflictID(w.ID)
	if err != nil {
		return memory.Conflict{}, malformed("a conflict without an id")
	}
	c := memory.Conflict{
		ID: name, EntryID: memory.EntryID(fit(w.EntryID)), BaseRev: w.BaseRev, ServerRev: w.ServerRev, Size: w.Size, Author: w.Author.Domain(),
		Device: memory.DeviceID(fit(w.Device)), RuleSet: fit(w.RuleSet), KeptAt: w.KeptAt, At: w.At, Purged: w.Purged,
	}
	if c.Path, err = memory.ParseServedPath(w.Path); err != nil {
		return c, err
	}
	if c.Sum, err = hash("sha256", w.SHA256); err != nil {
		return c, err
	}
	if r := w.Resolution; r != nil {
		c.Closed = &memory.Resolution{
			By: r.By.Domain(), At: r.At, How: memory.How(fit(r.How)), Rev: r.Rev, EntryID: memory.EntryID(fit(r.EntryID)),
			Proposal: memory.ProposalID(fit(r.Proposal)),
		}
	}
	if (w.State == conflictClosed) != (c.Closed != nil) {
		return c, malformed("a conflict is %s and says otherwise", harmless(w.State))
	}
	if w.Content == nil || w.Purged {
		return c, nil
	}
	c.Content = []byte(*w.Content)
	return c, checkContent(*w.Content, c.Sum)
}

// ConflictView is the answer to GET …/conflicts/{id}: the conflict with its
// content, and the texts that it is between.
type ConflictView struct {
	Conflict Conflict  `json:"conflict"`
	Base     *Revision `json:"base,omitzero"`
	Head     *Entry    `json:"head,omitzero"`
	Theirs   *Revision `json:"theirs,omitzero"`
}

// NewConflictView describes a conflict with the texts that it is between.
func NewConflictView(v memory.ConflictView) ConflictView {
	w := ConflictView{Conflict: NewConflict(v.Conflict)}
	if !v.Purged {
		content := string(v.Content)
		w.Conflict.Content = &content
	}
	if v.Base != nil {
		base := NewRevisionContent(*v.Base)
		w.Base = &base
	}
	if v.Head != nil {
		head := NewEntry(*v.Head)
		w.Head = &head
	}
	if v.Theirs != nil {
		theirs := NewRevisionContent(*v.Theirs)
		w.Theirs = &theirs
	}
	return w
}

// Resolve is the body of POST …/conflicts/{id}/resolve. The base is the newest
// revision of the entry as it was seen.
type Resolve struct {
	How     string  `json:"how"`
	BaseRev *int64  `json:"base_rev,omitzero"`
	Content *string `json:"content,omitzero"`
	Device  string  `json:"device,omitzero"`
}

// Domain returns what was decided.
func (w Resolve) Domain() (r memory.Resolve, err error) {
	if r.How, err = memory.ParseHow(w.How); err != nil {
		return r, err
	}
	if r.Device, err = ParseDeviceID("device", w.Device); err != nil {
		return r, err
	}
	over := r.How == memory.HowOurs || r.How == memory.HowMerged
	switch {
	case over && w.BaseRev == nil:
		return r, missing("base_rev")
	case !over && w.BaseRev != nil:
		return r, memory.Invalid("base_rev", "only ours and merged are written over a revision")
	case r.How == memory.HowMerged && w.Content == nil:
		return r, missing("content")
	case r.How != memory.HowMerged && w.Content != nil:
		return r, memory.Invalid("content", "only merged brings a text")
	}
	if over {
		r.BaseRev = *w.BaseRev
	}
	if w.Content != nil {
		r.Content = []byte(*w.Content)
	}
	return r, nil
}

// ParseConflictID checks a conflict's id. What cannot be one is not found.
func ParseConflictID(s string) (memory.ConflictID, error) {
	c, err := id[memory.ConflictID]("conflict", "cnf_", s)
	if err != nil || c == "" {
		return "", memory.NotFound("conflict")
	}
	return c, nil
}
