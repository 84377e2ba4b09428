package wire

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/teammem/teammem/memory"
)

// Push is the body of POST …/push.
type Push struct {
	Epoch   string  `json:"epoch"`
	Device  string  `json:"device,omitzero"`
	Key     string  `json:"key,omitzero"`
	Agent   Agent   `json:"agent,omitzero"`
	Release Release `json:"release,omitzero"`
	Ops     []Op    `json:"ops"`
}

// Release says that a person said yes to so many deletes, which the client had
// held.
type Release struct {
	Hold    string `json:"hold"`
	Deletes int    `json:"deletes"`
}

// Op is one change. Pointers tell "missing" from a zero value.
type Op struct {
	Op           string  `json:"op"`
	Path         *string `json:"path"`
	PreviousPath *string `json:"previous_path,omitzero"`
	EntryID      string  `json:"entry_id,omitzero"`
	BaseRev      *int64  `json:"base_rev"`
	BaseSHA256   string  `json:"base_sha256,omitzero"`
	AbsentAt     string  `json:"absent_at,omitzero"`
	SHA256       string  `json:"sha256,omitzero"`
	Content      *string `json:"content,omitzero"`
	Review       bool    `json:"review,omitzero"`
	AllowEmpty   bool    `json:"allow_empty,omitzero"`
	Note         string  `json:"note,omitzero"`
}

// NewPush builds a request from checked writes. It refuses writes that never
// passed the checks: a zero path, or a put whose content was not screened.
func NewPush(epoch string, device memory.DeviceID, key string, agent memory.Agent, writes []memory.Write) (Push, error) {
	w := Push{Epoch: epoch, Device: string(device), Key: key, Agent: newAgent(agent), Ops: make([]Op, len(writes))}
	for i, write := range writes {
		op, err := newOp(write)
		if err != nil {
			return Push{}, fmt.Errorf("op %d: %w", i, err)
		}
		w.Ops[i] = op
	}
	return w, nil
}

func newOp(w memory.Write) (Op, error) {
	path, previous := w.Path.String(), w.Previous.String()
	op := Op{
		Op: string(w.Action), Path: &path, EntryID: string(w.EntryID), BaseRev: &w.BaseRev, BaseSHA256: hashText(w.BaseSum),
		AllowEmpty: w.AllowEmpty, Review: w.Review, Note: w.Note,
	}
	if !w.AbsentAt.IsZero() {
		op.AbsentAt = w.AbsentAt.String()
	}
	switch {
	case w.Path.IsZero():
		return Op{}, missing("path")
	case w.Action == memory.ActionPut && w.Content.IsZero():
		return Op{}, memory.Invalid("content", "this content was not screened")
	case w.Action == memory.ActionPut:
		content := w.Content.Text()
		op.Content, op.SHA256 = &content, w.Content.Sum().String()
	case w.Action == memory.ActionMove && w.Previous.IsZero():
		return Op{}, missing("previous_path")
	case w.Action == memory.ActionMove:
		op.PreviousPath = &previous
	case w.Action != memory.ActionDelete:
		return Op{}, memory.Invalid("op", "an op is put, move or delete")
	}
	return op, nil
}

// Domain returns the push as the service takes it; body is the hash of the
// request. Paths and contents are not judged here: they get a verdict each.
func (w Push) Domain(body memory.Hash) (memory.Push, error) {
	if w.Epoch == "" {
		return memory.Push{}, missing("epoch")
	}
	device, err := ParseDeviceID("device", w.Device)
	if err != nil {
		return memory.Push{}, err
	}
	for _, f := range []struct {
		name, value string
		most        int
	}{{"epoch", w.Epoch, 32}, {"key", w.Key, 100}} {
		if err := Label(f.name, f.value, f.most); err != nil {
			return memory.Push{}, err
		}
	}
	if err := w.Agent.check("agent"); err != nil {
		return memory.Push{}, err
	}
	if err := w.Release.check(); err != nil {
		return memory.Push{}, err
	}
	p := memory.Push{Epoch: w.Epoch, Device: device, Key: w.Key, Body: body, Agent: w.Agent.Domain(), Release: memory.Release(w.Release), Ops: make([]memory.Op, len(w.Ops))}
	for i, op := range w.Ops {
		if p.Ops[i], err = op.domain(); err != nil {
			return memory.Push{}, inOp(i, err)
		}
	}
	return p, nil
}

// check refuses a release that says only half.
func (w Release) check() error {
	const most = 64 // bytes of a name
	switch {
	case w == Release{}:
		return nil
	case w.Hold == "":
		return missing("release.hold")
	case w.Deletes < 1:
		return memory.Invalid("release.deletes", "this is how many deletes were held")
	}
	return Label("release.hold", w.Hold, most)
}

// inOp says in which op a field was wrong.
func inOp(i int, err error) error {
	e := *problemOf(err)
	e.Field = fmt.Sprintf("ops[%d].%s", i, e.Field)
	return &e
}

func (w Op) domain() (memory.Op, error) {
	op, err := action("op", w.Op)
	switch {
	case err != nil:
		return memory.Op{}, err
	case w.Path == nil:
		return memory.Op{}, missing("path")
	case w.BaseRev == nil:
		return memory.Op{}, missing("base_rev")
	case (op == memory.ActionPut) != (w.Content != nil):
		return memory.Op{}, memory.Invalid("content", "a put has content, other ops have none")
	case (op == memory.ActionMove) != (w.PreviousPath != nil):
		return memory.Op{}, memory.Invalid("previous_path", "a move has a previous path, other ops have none")
	}
	d := memory.Op{Action: op, Path: *w.Path, BaseRev: *w.BaseRev, AllowEmpty: w.AllowEmpty, Review: w.Review, Note: w.Note}
	if w.Content != nil {
		d.Content = []byte(*w.Content)
	}
	if w.PreviousPath != nil {
		d.Previous = *w.PreviousPath
	}
	return d, w.typed(&d)
}

// typed parses the fields that are more than texts.
func (w Op) typed(d *memory.Op) (err error) {
	if d.EntryID, err = ParseEntryID("entry_id", w.EntryID); err != nil {
		return err
	}
	if d.BaseSum, err = optionalHash("base_sha256", w.BaseSHA256); err != nil {
		return err
	}
	if d.Sum, err = optionalHash("sha256", w.SHA256); err != nil {
		return err
	}
	if w.AbsentAt != "" {
		if d.AbsentAt, err = memory.ParseCursor(w.AbsentAt); err != nil {
			return named("absent_at", err)
		}
	}
	return checkNote("note", w.Note)
}

// checkNote refuses control characters; a note may have lines. Its length is
// the service's to judge.
func checkNote(field, note string) error {
	if strings.ContainsFunc(note, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return memory.Invalid(field, "a note has no control characters")
	}
	return nil
}

// Receipt is the answer to a push: one result per op, in order.
type Receipt struct {
	Epoch   string    `json:"epoch"`
	Head    int64     `json:"head"`
	Digest  string    `json:"digest"`
	At      time.Time `json:"at,omitzero"` // of the revisions that were published
	Results []Result  `json:"results"`
}

// Result is the verdict on one op.
type Result struct {
	Verdict  string   `json:"verdict"`
	EntryID  string   `json:"entry_id,omitzero"`
	Rev      int64    `json:"rev,omitzero"`
	SHA256   string   `json:"sha256,omitzero"`
	Proposal string   `json:"proposal,omitzero"`
	Current  *Current `json:"current,omitzero"`
	Problem  *Problem `json:"problem,omitzero"`
}

// Current is the head that an op conflicted with.
type Current struct {
	EntryID string `json:"entry_id"`
	Rev     int64  `json:"rev"`
	SHA256  string `json:"sha256"`
	Path    string `json:"path"`
	Op      string `json:"op"`
}

// NewReceipt describes a receipt.
func NewReceipt(r memory.Receipt) Receipt {
	w := Receipt{Epoch: r.Head.Epoch, Head: r.Head.Seq, Digest: r.Head.Digest.String(), At: utc(r.At), Results: make([]Result, len(r.Verdicts))}
	for i, v := range r.Verdicts {
		w.Results[i] = NewResult(v)
	}
	return w
}

// NewResult describes a verdict.
func NewResult(v memory.Verdict) Result {
	w := Result{Verdict: string(v.Ruling), EntryID: string(v.EntryID), Rev: v.Rev, SHA256: hashText(v.Sum), Proposal: string(v.Proposal)}
	if c := v.Current; c != nil {
		w.Current = &Current{string(c.EntryID), c.Rev, hashText(c.Sum), c.Path.String(), string(c.Action)}
	}
	if v.Problem != nil {
		problem := NewProblem(v.Problem)
		w.Problem = &problem
	}
	return w
}

// Domain returns the receipt of a push with so many ops.
func (w Receipt) Domain(ops int) (memory.Receipt, error) {
	digest, err := memory.ParseDigest(w.Digest)
	if err != nil {
		return memory.Receipt{}, malformed("a receipt without a digest")
	}
	if err := servedEpoch(w.Epoch); err != nil {
		return memory.Receipt{}, err
	}
	if len(w.Results) != ops {
		return memory.Receipt{}, malformed("%d results for %d ops", len(w.Results), ops)
	}
	r := memory.Receipt{Head: memory.Head{Epoch: w.Epoch, Seq: w.Head, Digest: digest}, At: w.At, Verdicts: make([]memory.Verdict, ops)}
	for i, result := range w.Results {
		if r.Verdicts[i], err = result.Domain(); err != nil {
			return memory.Receipt{}, err
		}
	}
	return r, nil
}

// Domain returns the verdict. If it names a path that is not allowed here, it
// becomes a refusal, so that the op keeps its local text and the others go on.
func (w Result) Domain() (memory.Verdict, error) {
	v := memory.Verdict{Ruling: memory.Ruling(w.Verdict), Rev: w.Rev}
	switch v.Ruling {
	case memory.RulingPublished, memory.RulingSame, memory.RulingWaiting, memory.RulingSuperseded, memory.RulingDeleted,
		memory.RulingConflict, memory.RulingRefused:
	default:
		return memory.Verdict{}, malformed("an unknown verdict")
	}
	if v.Rev < 0 {
		return memory.Verdict{}, malformed("a verdict with revision %d", v.Rev)
	}
	var err error
	if w.EntryID != "" {
		if v.EntryID, err = served[memory.EntryID]("ent_", w.EntryID); err != nil {
			return memory.Verdict{}, err
		}
	}
	if v.Sum, err = optionalHash("sha256", w.SHA256); err != nil {
		return memory.Verdict{}, err
	}
	if w.Proposal != "" {
		if v.Proposal, err = ParseProposalID(w.Proposal); err != nil {
			return memory.Verdict{}, malformed("a verdict with the id of no proposal")
		}
	}
	if w.Problem != nil {
		v.Problem = w.Problem.Domain()
	}
	if v.Ruling == memory.RulingRefused && v.Problem == nil {
		return memory.Verdict{}, malformed("a refusal without a problem")
	}
	if w.Current == nil {
		return v, nil
	}
	current, err := w.Current.domain()
	if err != nil {
		return memory.Verdict{Ruling: memory.RulingRefused, EntryID: v.EntryID, Problem: problemOf(err)}, nil
	}
	v.Current = &current
	return v, nil
}

func (w Current) domain() (memory.Current, error) {
	path, err := memory.ParseServedPath(w.Path)
	if err != nil {
		return memory.Current{}, named("current.path", err)
	}
	sum, err := optionalHash("current.sha256", w.SHA256)
	if err != nil {
		return memory.Current{}, err
	}
	op, err := action("current.op", w.Op)
	return memory.Current{EntryID: memory.EntryID(w.EntryID), Rev: w.Rev, Sum: sum, Path: path, Action: op}, err
}
