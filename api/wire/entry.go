package wire

import (
	"time"

	"github.com/teammem/teammem/memory"
)

// Author is who made a revision.
type Author struct {
	Member string `json:"member"`
	Name   string `json:"name"`
}

func newAuthor(a memory.Author) Author { return Author{string(a.Member), a.Name} }

// Domain returns the author.
func (a Author) Domain() memory.Author {
	return memory.Author{Member: memory.MemberID(fit(a.Member)), Name: fit(a.Name)}
}

// Agent is the program that wrote for a member, as it named itself.
type Agent struct {
	Name    string `json:"name,omitzero"`
	Version string `json:"version,omitzero"`
	Session string `json:"session,omitzero"`
	Model   string `json:"model,omitzero"`
}

func newAgent(a memory.Agent) Agent { return Agent(a) }

// Domain returns the agent, unchecked.
func (a Agent) Domain() memory.Agent { return memory.Agent(a) }

// served is the agent of an answer.
func (a Agent) served() memory.Agent {
	return memory.Agent{Name: fit(a.Name), Version: fit(a.Version), Session: fit(a.Session), Model: fit(a.Model)}
}

// check holds what an agent says of itself to short texts.
func (a Agent) check(field string) error {
	const most = 200
	for _, f := range []struct{ name, value string }{
		{"name", a.Name}, {"version", a.Version}, {"session", a.Session}, {"model", a.Model},
	} {
		if err := Label(field+"."+f.name, f.value, most); err != nil {
			return err
		}
	}
	return nil
}

// Entry is one file under team/ as it stands now. Content is there only in the
// answer to GET …/entry.
type Entry struct {
	EntryID     string    `json:"entry_id"`
	Path        string    `json:"path"`
	Kind        string    `json:"kind"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Rev         int64     `json:"rev"`
	SHA256      string    `json:"sha256"`
	Size        int       `json:"size"`
	Author      Author    `json:"author"`
	UpdatedAt   time.Time `json:"updated_at"`

	Content *string `json:"content,omitzero"`
	Device  string  `json:"device,omitzero"`
	Agent   Agent   `json:"agent,omitzero"`
	Note    string  `json:"note,omitzero"`
}

// NewEntry describes an entry.
func NewEntry(e memory.Entry) Entry {
	return Entry{
		EntryID: string(e.ID), Path: e.Path.String(), Kind: string(e.Kind), Name: e.Name, Description: e.Description,
		Rev: e.Rev, SHA256: e.Sum.String(), Size: e.Size, Author: newAuthor(e.Author), UpdatedAt: utc(e.UpdatedAt),
	}
}

// NewEntryContent describes an entry with the content of its newest revision.
func NewEntryContent(e memory.Entry, r memory.Revision) Entry {
	w := NewEntry(e)
	content := string(r.Content)
	w.Content, w.Device, w.Agent, w.Note = &content, string(r.Device), newAgent(r.Agent), r.Note
	return w
}

// Domain returns the entry without its content.
func (w Entry) Domain() (memory.Entry, error) {
	path, err := memory.ParseServedPath(w.Path)
	if err != nil {
		return memory.Entry{}, err
	}
	sum, err := hash("sha256", w.SHA256)
	if err != nil {
		return memory.Entry{}, err
	}
	if w.Content != nil {
		if err := checkContent(*w.Content, sum); err != nil {
			return memory.Entry{}, err
		}
	}
	return memory.Entry{
		ID: memory.EntryID(fit(w.EntryID)), Path: path, Kind: memory.Kind(fit(w.Kind)), Name: fit(w.Name), Description: fit(w.Description),
		Rev: w.Rev, Sum: sum, Size: w.Size, Author: w.Author.Domain(), UpdatedAt: w.UpdatedAt,
	}, nil
}

// Page is a list and the cursor of its next page, "" at the end.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitzero"`
}

// NewPage converts the items of a list.
func NewPage[D, W any](items []D, convert func(D) W, next string) Page[W] {
	p := Page[W]{Items: make([]W, len(items)), Next: next}
	for i, item := range items {
		p.Items[i] = convert(item)
	}
	return p
}

// Revision is one immutable version of an entry. Content is there only where a
// single one is asked for, and not for a delete.
type Revision struct {
	EntryID string    `json:"entry_id"`
	Rev     int64     `json:"rev"`
	Op      string    `json:"op"`
	Path    string    `json:"path"`
	SHA256  string    `json:"sha256"`
	Size    int       `json:"size"`
	BaseRev int64     `json:"base_rev"`
	Author  Author    `json:"author"`
	Device  string    `json:"device,omitzero"`
	Agent   Agent     `json:"agent,omitzero"`
	Note    string    `json:"note,omitzero"`
	RuleSet string    `json:"rule_set,omitzero"`
	Risks   []Risk    `json:"risks,omitzero"`
	At      time.Time `json:"at"`
	Content *string   `json:"content,omitzero"`

	WithdrawnRev int64 `json:"withdrawn_rev,omitzero"`
	Purged       bool  `json:"purged,omitzero"`
}

// NewRevision describes a revision without its content.
func NewRevision(r memory.Revision) Revision {
	return Revision{
		EntryID: string(r.EntryID), Rev: r.Rev, Op: string(r.Action), Path: r.Path.String(), SHA256: hashText(r.Sum), Size: r.Size,
		BaseRev: r.BaseRev, Author: newAuthor(r.Author), Device: string(r.Device), Agent: newAgent(r.Agent), Note: r.Note,
		RuleSet: r.RuleSet, Risks: newRisks(r.Risks), At: utc(r.At), WithdrawnRev: r.WithdrawnRev, Purged: r.Purged,
	}
}

// NewRevisionContent describes a revision with its content.
func NewRevisionContent(r memory.Revision) Revision {
	w := NewRevision(r)
	if r.Action != memory.ActionDelete && !r.Purged {
		content := string(r.Content)
		w.Content = &content
	}
	return w
}

// Domain returns the revision, with content if there is some.
func (w Revision) Domain() (memory.Revision, error) {
	op, err := action("op", w.Op)
	if err != nil {
		return memory.Revision{}, err
	}
	path, err := memory.ParseServedPath(w.Path)
	if err != nil {
		return memory.Revision{}, err
	}
	sum, err := optionalHash("sha256", w.SHA256)
	if err != nil {
		return memory.Revision{}, err
	}
	r := memory.Revision{
		EntryID: memory.EntryID(fit(w.EntryID)), Rev: w.Rev, Action: op, Path: path, Sum: sum, Size: w.Size, BaseRev: w.BaseRev,
		Author: w.Author.Domain(), Device: memory.DeviceID(fit(w.Device)), Agent: w.Agent.served(), Note: fitLines(w.Note), RuleSet: fit(w.RuleSet),
		Risks: risks(w.Risks), At: w.At,
		WithdrawnRev: w.WithdrawnRev, Purged: w.Purged,
	}
	if w.Content == nil {
		return r, nil
	}
	r.Content = []byte(*w.Content)
	return r, checkContent(*w.Content, sum)
}

// EntryPut is the body of PUT …/entry.
type EntryPut struct {
	Content    *string `json:"content"`
	Note       string  `json:"note,omitzero"`
	AllowEmpty bool    `json:"allow_empty,omitzero"`
	Review     bool    `json:"review,omitzero"`
}

// Domain returns the op without its path and base.
func (w EntryPut) Domain() (memory.Op, error) {
	if w.Content == nil {
		return memory.Op{}, missing("content")
	}
	if err := checkNote("note", w.Note); err != nil {
		return memory.Op{}, err
	}
	return memory.Op{
		Action: memory.ActionPut, Content: []byte(*w.Content), Note: w.Note, AllowEmpty: w.AllowEmpty, Review: w.Review,
	}, nil
}

// Restore is the body of POST …/restore.
type Restore struct {
	EntryID string `json:"entry_id"`
	Rev     int64  `json:"rev"`
}

// Domain returns the revision to restore.
func (w Restore) Domain() (memory.RevisionRef, error) { return RevisionRef(w).Domain("") }

// Check is the body of POST …/check.
type Check struct {
	Path    *string `json:"path"`
	Content *string `json:"content,omitzero"`
}

// Domain returns path and content, nil without one.
func (w Check) Domain() (string, []byte, error) {
	if w.Path == nil {
		return "", nil, missing("path")
	}
	if w.Content == nil {
		return *w.Path, nil, nil
	}
	return *w.Path, append([]byte{}, *w.Content...), nil
}
