package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// Publish writes an approved proposal like [Store.Push] writes a batch, and
// ends it in the same transaction. It reports whether the proposal was still
// pending; if it was not, nothing happens. If judging publishes nothing, the
// proposal stays pending.
func (s *Store) Publish(ctx context.Context, b memory.Batch, e memory.Ending) (memory.Receipt, bool, error) {
	if err := screened(b); err != nil {
		return memory.Receipt{}, false, err
	}
	var receipt memory.Receipt
	pending := false
	err := retried(ctx, func() error {
		return s.inTx(ctx, func(tx pgx.Tx) error {
			known, err := s.lockAndRead(ctx, tx, b)
			if err != nil {
				return err
			}
			if pending = known.approved == memory.ProposalPending; !pending {
				return nil
			}
			judged := memory.Judge(b, known.heads)
			if receipt = receiptOf(b, judged); len(judged.Stored) == 0 {
				return nil
			}
			if err := write(ctx, tx, b, known, judged, e.Row); err != nil {
				return err
			}
			return end(ctx, tx, e, judged.Stored[0].Rev)
		})
	})
	return receipt, pending, s.fault(ctx, "publish proposal", err)
}

// End ends a proposal without publishing anything. It reports whether the
// proposal was still pending; if it was not, nothing happens.
func (s *Store) End(ctx context.Context, e memory.Ending) (bool, error) {
	pending := false
	err := s.inProject(ctx, e.Project, func(tx pgx.Tx, chain link) error {
		var state memory.ProposalState
		batch := &pgx.Batch{}
		queueState(batch, e.Project, e.Proposal, &state)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if pending = state == memory.ProposalPending; !pending {
			return nil
		}
		if err := end(ctx, tx, e, 0); err != nil {
			return err
		}
		return appendProject(ctx, tx, e.Project, chain, e.Row)
	})
	return pending, s.fault(ctx, "end proposal", err)
}

// end writes how the proposal ended, under the project's lock.
func end(ctx context.Context, tx pgx.Tx, e memory.Ending, rev int64) error {
	done, err := tx.Exec(ctx, `
		update proposals
		set state = @state, decided_by = @by, decided_at = @at, reason = @reason, decision_note = @note, published_rev = @rev
		where project_id = @project and proposal_id = @proposal and state = 'pending'`,
		pgx.StrictNamedArgs{
			"project": e.Project, "proposal": e.Proposal, "state": e.State, "by": e.By, "at": e.At, "reason": e.Reason, "note": e.Note,
			"rev": nonZero(rev),
		})
	if err == nil && done.RowsAffected() != 1 {
		err = &memory.Error{Code: memory.CodeInternal, Message: "a proposal that was pending under the lock is not"}
	}
	return err
}
