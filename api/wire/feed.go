package wire

import (
	"bytes"
	"time"

	"github.com/teammem/teammem/memory"
)

// Feed is the answer to GET …/changes.
type Feed struct {
	Epoch   string   `json:"epoch"`
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Head    int64    `json:"head"`
	Floor   int64    `json:"floor"`
	Digest  string   `json:"digest"`
	More    bool     `json:"more"`
	Purged  []string `json:"purged,omitzero"` // sha256 of texts that are to be kept nowhere
	Changes []Change `json:"changes"`
}

// Change is one line of the feed.
type Change struct {
	Seq          int64     `json:"seq"`
	EntryID      string    `json:"entry_id"`
	Op           string    `json:"op"`
	Path         string    `json:"path"`
	PreviousPath string    `json:"previous_path,omitzero"`
	Rev          int64     `json:"rev"`
	SHA256       string    `json:"sha256,omitzero"`
	Size         int       `json:"size"`
	Kind         string    `json:"kind,omitzero"`
	Content      *Text     `json:"content,omitzero"` // nil: fetch it by revision
	At           time.Time `json:"at"`
	Author       Author    `json:"author"`
	Device       string    `json:"device,omitzero"`
	Agent        Agent     `json:"agent,omitzero"`
}

// EncodeFeed returns a page as JSON, in two parts: what it says beside its
// changes, which is short, and the changes.
func EncodeFeed(p memory.FeedPage) (head, changes []byte, err error) {
	w := NewFeed(p)
	if changes, err = Encode(w.Changes); err != nil {
		return nil, nil, err
	}
	w.Changes = []Change{}
	if head, err = Encode(w); err != nil {
		return nil, nil, err
	}
	return bytes.TrimSuffix(head, []byte("[]}")), append(changes, '}'), nil
}

// purgedOf reads the hashes of texts that were purged.
func purgedOf(all []string) (sums []memory.Hash, err error) {
	for _, s := range all {
		sum, err := memory.ParseHash(s)
		if err != nil {
			return nil, malformed("what was purged is no sha256")
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// NewFeed describes a page of the feed.
func NewFeed(p memory.FeedPage) Feed {
	w := Feed{
		Epoch: p.Epoch, From: p.From, To: p.To, Head: p.Head, Floor: p.Floor, Digest: p.Digest.String(), More: p.More(),
		Changes: make([]Change, len(p.Changes)),
	}
	for i, c := range p.Changes {
		w.Changes[i] = newChange(c)
	}
	for _, sum := range p.Purged {
		w.Purged = append(w.Purged, sum.String())
	}
	return w
}

func newChange(c memory.Change) Change {
	w := Change{
		Seq: c.Seq, EntryID: string(c.EntryID), Op: string(c.Action), Path: c.Path.String(), PreviousPath: c.Previous.String(),
		Rev: c.Rev, SHA256: hashText(c.Sum), Size: c.Size, Kind: string(c.Kind), At: utc(c.At), Author: newAuthor(c.Author),
		Device: string(c.Device), Agent: newAgent(c.Agent),
	}
	if c.Inline {
		content := Text(c.Content)
		w.Content = &content
	}
	return w
}

// Domain returns the page. Changes whose path is not allowed here, or whose
// content is not what its sha256 says, are left out of the page and returned
// as refusals. The error says that the page as a whole makes no sense.
func (w Feed) Domain() (memory.FeedPage, []Refusal, error) {
	digest, err := memory.ParseDigest(w.Digest)
	if err != nil {
		return memory.FeedPage{}, nil, malformed("the digest is no sha256")
	}
	if err := servedEpoch(w.Epoch); err != nil {
		return memory.FeedPage{}, nil, err
	}
	if w.From < 0 || w.From > w.To || w.To > w.Head || w.More != (w.To < w.Head) {
		return memory.FeedPage{}, nil, malformed("a page from %d to %d of %d", w.From, w.To, w.Head)
	}
	page := memory.FeedPage{Epoch: w.Epoch, From: w.From, To: w.To, Head: w.Head, Floor: w.Floor, Digest: digest}
	if page.Purged, err = purgedOf(w.Purged); err != nil {
		return memory.FeedPage{}, nil, err
	}
	var refused []Refusal
	last := w.From
	for _, c := range w.Changes {
		if c.Seq <= last || c.Seq > w.To {
			return memory.FeedPage{}, nil, malformed("change %d after %d", c.Seq, last)
		}
		if _, err := served[memory.EntryID]("ent_", c.EntryID); err != nil {
			return memory.FeedPage{}, nil, err
		}
		if c.Rev <= 0 || c.Rev > w.Head {
			return memory.FeedPage{}, nil, malformed("revision %d in change %d", c.Rev, c.Seq)
		}
		last = c.Seq
		change, err := c.domain()
		if err != nil {
			refused = append(refused, Refusal{memory.EntryID(c.EntryID), c.Rev, c.Path, c.gone(), problemOf(err)})
			continue
		}
		page.Changes = append(page.Changes, change)
	}
	return page, refused, nil
}

// gone reports whether nothing is left of the entry.
func (w Change) gone() bool {
	op := memory.Action(w.Op)
	return op == memory.ActionDelete || w.SHA256 == "" && (op == memory.ActionWithdraw || op == memory.ActionPurge)
}

// changeAction parses what a change of the feed does. One that this program does
// not know is taken for none that it knows: the entry stays as it is here, and is
// reported.
func changeAction(s string) (memory.Action, error) {
	switch a := memory.Action(s); a {
	case memory.ActionWithdraw, memory.ActionPurge:
		return a, nil
	default:
		return action("op", s)
	}
}

func (w Change) domain() (memory.Change, error) {
	op, err := changeAction(w.Op)
	if err != nil {
		return memory.Change{}, err
	}
	path, err := memory.ParseServedPath(w.Path)
	if err != nil {
		return memory.Change{}, err
	}
	sum, err := optionalHash("sha256", w.SHA256)
	if err != nil {
		return memory.Change{}, err
	}
	c := memory.Change{
		Seq: w.Seq, EntryID: memory.EntryID(w.EntryID), Action: op, Path: path, Rev: w.Rev, Sum: sum, Size: w.Size,
		Kind: memory.Kind(fit(w.Kind)), At: w.At, Author: w.Author.Domain(), Device: memory.DeviceID(fit(w.Device)), Agent: w.Agent.served(),
	}
	if w.PreviousPath != "" {
		if c.Previous, err = memory.ParseServedPath(w.PreviousPath); err != nil {
			return memory.Change{}, named("previous_path", err)
		}
	}
	if !c.Gone() && sum.IsZero() {
		return memory.Change{}, missing("sha256")
	}
	if w.Content != nil {
		c.Content, c.Inline = *w.Content, true
		if err := checkContent(c.Content, sum); err != nil {
			return memory.Change{}, err
		}
	}
	return c, nil
}
