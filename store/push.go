package store

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// pushTries is how often a transaction is begun that Postgres ended for
// another's sake.
const pushTries = 4

// Push judges and writes the batch in one transaction. The project's row is
// locked for two round trips and the commit: one reads all that [memory.Judge]
// needs, one writes all that it decided. A batch of which nothing is stored
// leaves the feed alone.
func (s *Store) Push(ctx context.Context, b memory.Batch) (memory.Receipt, error) {
	if err := screened(b); err != nil {
		return memory.Receipt{}, err
	}
	var receipt memory.Receipt
	err := retried(ctx, func() (err error) {
		receipt, err = s.push(ctx, b)
		return err
	})
	return receipt, s.fault(ctx, "push", err)
}

// retried runs a transaction again if it may succeed then.
func retried(ctx context.Context, transaction func() error) error {
	for try := 1; ; try++ {
		err := transaction()
		if err == nil || !passing(err) || try == pushTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

func (s *Store) push(ctx context.Context, b memory.Batch) (receipt memory.Receipt, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		known, err := s.lockAndRead(ctx, tx, b)
		if err != nil {
			return err
		}
		if known.answered != nil {
			receipt, err = known.answered.replay(b)
			return err
		}
		judged := memory.Judge(b, known.heads)
		if err := b.Guard(known.heads, judged); err != nil {
			return err
		}
		receipt = receiptOf(b, judged)
		return write(ctx, tx, b, known, judged)
	})
	return receipt, err
}

// receiptOf is the answer to a batch. Its time is the one that the rows have:
// Postgres keeps microseconds.
func receiptOf(b memory.Batch, j memory.Judgement) memory.Receipt {
	return memory.Receipt{Head: j.Head, At: b.At.Truncate(time.Microsecond), Verdicts: j.Verdicts}
}

// screened refuses what did not come through the gate: Go lets anybody write
// a zero Path or Clean.
func screened(b memory.Batch) error {
	for _, it := range b.Items {
		switch {
		case it.Refused != nil:
		case it.Write.Path.IsZero():
			return &memory.Error{Code: memory.CodeInternal, Field: "path", Message: "a path that was never parsed is not stored"}
		case it.Write.Action == memory.ActionPut && it.Write.Content.IsZero():
			return &memory.Error{Code: memory.CodeInternal, Field: "content", Message: "a text that was never screened is not stored"}
		}
	}
	return nil
}

// pause waits a random time, longer each time, so that those who met do not
// meet again.
func pause(ctx context.Context, try int) error {
	const unit = 20 * time.Millisecond
	timer := time.NewTimer(rand.N(time.Duration(try) * unit)) //nolint:gosec // spreads load, decides nothing
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
