package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// answerLife is how long the answer to a push key is kept.
const answerLife = 24 * time.Hour

// answer is what a push was answered before.
type answer struct {
	Body   []byte
	Answer []byte // a storedReceipt as JSON
}

// queueAnswer looks the batch's key up. A key belongs to its member: another
// one cannot learn by it what was answered.
func queueAnswer(batch *pgx.Batch, b memory.Batch, to **answer) {
	if b.Key == "" {
		return
	}
	batch.Queue(`
		select body, answer
		from push_keys
		where project_id = @project and member_id = @member and key between @key and @key and at > @since
		order by key`,
		pgx.StrictNamedArgs{"project": b.Project, "member": b.By.Member, "key": b.Key, "since": b.At.Add(-answerLife)}).
		Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, pgx.RowToStructByName[answer])
			if len(found) > 0 {
				*to = &found[0]
			}
			return err
		})
}

// replay gives the same answer to the same push.
func (a answer) replay(b memory.Batch) (memory.Receipt, error) {
	if string(a.Body) != string(b.Body[:]) {
		return memory.Receipt{}, memory.Invalid("key", "this idempotency key was used for another push")
	}
	var r storedReceipt
	if err := json.Unmarshal(a.Answer, &r); err != nil {
		return memory.Receipt{}, &memory.Error{
			Code: memory.CodeInternal, Message: "the stored answer to this push cannot be read", Err: fmt.Errorf("read answer: %T", err),
		}
	}
	return r.receipt()
}

// queuePushKey keeps the answer, in place of one to this key that is too old
// to count, and removes some others of that age.
func queuePushKey(batch *pgx.Batch, b memory.Batch, r memory.Receipt) error {
	if b.Key == "" {
		return nil
	}
	kept, err := json.Marshal(storedReceiptOf(r))
	if err != nil {
		return fmt.Errorf("keep answer: %T", err)
	}
	args := pgx.StrictNamedArgs{"project": b.Project, "before": b.At.Add(-answerLife)}
	batch.Queue(`
		delete from push_keys
		where ctid = any(array(
			select ctid
			from push_keys
			where project_id = @project and at <= @before
			order by at
			limit 100
		))`, args)
	batch.Queue(`
		insert into push_keys (project_id, member_id, key, body, answer, at)
		values (@project, @member, @key, @body, @answer, @at)
		on conflict (project_id, member_id, key) do update
		set body = excluded.body, answer = excluded.answer, at = excluded.at`,
		pgx.StrictNamedArgs{
			"project": b.Project, "member": b.By.Member, "key": b.Key, "body": b.Body[:], "answer": string(kept), "at": b.At,
		})
	return nil
}

// The stored forms spell out what is kept, so that renaming something in
// package memory cannot change what old rows mean.
type storedReceipt struct {
	Epoch    string          `json:"epoch"`
	Seq      int64           `json:"seq"`
	Floor    int64           `json:"floor"`
	Digest   string          `json:"digest"`
	At       time.Time       `json:"at"` // zero in answers that older programs kept
	Verdicts []storedVerdict `json:"verdicts"`
}

type storedVerdict struct {
	Ruling  memory.Ruling  `json:"ruling"`
	EntryID memory.EntryID `json:"entry_id,omitempty"`
	Rev     int64          `json:"rev,omitempty"`
	Sum     string         `json:"sum"`
	Current *storedCurrent `json:"current,omitempty"`
	Problem *storedProblem `json:"problem,omitempty"`

	Proposal memory.ProposalID `json:"proposal,omitempty"`
}

type storedCurrent struct {
	EntryID memory.EntryID `json:"entry_id"`
	Rev     int64          `json:"rev"`
	Sum     string         `json:"sum"`
	Path    string         `json:"path"`
	Action  memory.Action  `json:"action"`
}

type storedProblem struct {
	Code     memory.Code     `json:"code"`
	Message  string          `json:"message"`
	Field    string          `json:"field,omitempty"`
	Layer    string          `json:"layer,omitempty"`
	Position int             `json:"position,omitempty"`
	Hint     string          `json:"hint,omitempty"`
	Findings json.RawMessage `json:"findings,omitempty"`
}

func storedReceiptOf(r memory.Receipt) storedReceipt {
	s := storedReceipt{Epoch: r.Head.Epoch, Seq: r.Head.Seq, Floor: r.Head.Floor, Digest: r.Head.Digest.String(), At: r.At}
	for _, v := range r.Verdicts {
		sv := storedVerdict{Ruling: v.Ruling, EntryID: v.EntryID, Rev: v.Rev, Sum: v.Sum.String(), Proposal: v.Proposal}
		if c := v.Current; c != nil {
			sv.Current = &storedCurrent{EntryID: c.EntryID, Rev: c.Rev, Sum: c.Sum.String(), Path: c.Path.String(), Action: c.Action}
		}
		if p := v.Problem; p != nil {
			sv.Problem = storedProblemOf(p)
		}
		s.Verdicts = append(s.Verdicts, sv)
	}
	return s
}

// storedProblemOf drops the cause, which is for logs.
func storedProblemOf(p *memory.Error) *storedProblem {
	sp := &storedProblem{Code: p.Code, Message: p.Message, Field: p.Field, Layer: p.Layer, Position: p.Position, Hint: p.Hint}
	if len(p.Findings) > 0 {
		// A finding is a rule and a position: plain data, which always marshals.
		sp.Findings, _ = json.Marshal(p.Findings)
	}
	return sp
}

func (s storedReceipt) receipt() (memory.Receipt, error) {
	digest, err := memory.ParseDigest(s.Digest)
	if err != nil {
		return memory.Receipt{}, err
	}
	r := memory.Receipt{Head: memory.Head{Epoch: s.Epoch, Seq: s.Seq, Floor: s.Floor, Digest: digest}, At: s.At}
	for _, sv := range s.Verdicts {
		v, err := sv.verdict()
		if err != nil {
			return memory.Receipt{}, err
		}
		r.Verdicts = append(r.Verdicts, v)
	}
	return r, nil
}

func (s storedVerdict) verdict() (memory.Verdict, error) {
	sum, err := memory.ParseHash(s.Sum)
	if err != nil {
		return memory.Verdict{}, err
	}
	v := memory.Verdict{Ruling: s.Ruling, EntryID: s.EntryID, Rev: s.Rev, Sum: sum, Proposal: s.Proposal}
	if c := s.Current; c != nil {
		sum, err := memory.ParseHash(c.Sum)
		if err != nil {
			return memory.Verdict{}, err
		}
		v.Current = &memory.Current{EntryID: c.EntryID, Rev: c.Rev, Sum: sum, Path: memory.StoredPath(c.Path), Action: c.Action}
	}
	if p := s.Problem; p != nil {
		v.Problem = &memory.Error{Code: p.Code, Message: p.Message, Field: p.Field, Layer: p.Layer, Position: p.Position, Hint: p.Hint}
		if p.Findings != nil {
			err = json.Unmarshal(p.Findings, &v.Problem.Findings)
		}
	}
	return v, err
}
