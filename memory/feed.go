package memory

import (
	"context"
	"time"
)

// ChangesQuery asks for what is new in a project.
type ChangesQuery struct {
	Since  Cursor // zero: from the start of the epoch
	Have   string // the tag of the state that the client has, see Head.Tag; "" if none
	Limit  int    // changes; 0 for the default
	Inline bool   // with content
	Wait   time.Duration
	Kept   func(PageKey) bool // whether the caller still has a page from an earlier answer, and need not be given it; nil: it has none
}

// Feed is the answer to a [ChangesQuery].
type Feed struct {
	Page      FeedPage
	Key       PageKey
	Head      Head
	Unchanged bool // the client has it all, Page is empty
	Kept      bool // the caller has it: Page lacks the changes
	Common    bool // every new member asks for this page
}

// Changes returns the changes after a cursor, and waits for one if asked to.
// The errors CodeEpochChanged, CodeCursorAhead, CodeCursorTooOld and
// CodeHistoryForked carry the head that the client must join.
func (s *Service) Changes(ctx context.Context, who Principal, id ProjectID, q ChangesQuery) (Feed, error) {
	project, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return Feed{}, err
	}
	head := project.Head
	if q.Since.IsZero() {
		q.Since.Epoch = head.Epoch
	}
	if err := s.joins(ctx, id, head, q); err != nil {
		return Feed{}, err
	}
	if head.Seq == q.Since.Seq && q.Wait > 0 {
		if head, err = s.wait(ctx, id, q); err != nil {
			return Feed{}, err
		}
	}
	if q.Have == head.Tag() || (q.Wait > 0 && head.Cursor() == q.Since) {
		return Feed{Head: head, Unchanged: true}, nil
	}
	return s.page(ctx, id, head, q)
}

// joins checks that the client's past is part of the project's history.
func (s *Service) joins(ctx context.Context, id ProjectID, head Head, q ChangesQuery) error {
	if err := reaches(q.Since, head); err != nil {
		return err
	}
	if q.Have == "" || q.Have == head.Tag() {
		return nil
	}
	at, err := s.store.DigestAt(ctx, id, q.Since.Seq)
	if err != nil {
		return err
	}
	if q.Have != (Head{Epoch: q.Since.Epoch, Seq: q.Since.Seq, Digest: at}).Tag() {
		return &Error{
			Code: CodeHistoryForked, Head: &head, Message: "what you have at this point differs from what the server had",
			Hint: "the client compares its files with the manifest instead",
		}
	}
	return nil
}

// reaches checks that the feed up to the head goes on from the cursor.
func reaches(since Cursor, head Head) error {
	switch {
	case since.Epoch != head.Epoch:
		return epochChanged(head)
	case since.Seq > head.Seq:
		return &Error{
			Code: CodeCursorAhead, Head: &head, Message: "you have seen changes that this server does not know",
			Hint: "the server was restored from a backup; run teammem sync to offer it what it lost",
		}
	case since.Seq < head.Floor:
		return &Error{
			Code: CodeCursorTooOld, Head: &head, Message: "the changes since you last synced were purged",
			Hint: "the client compares its files with the manifest instead",
		}
	}
	return nil
}

// wait returns the head after the first change behind the cursor, or after the
// wait is over. A hint can get lost on its way from another process, so the head
// is also looked up every few seconds.
func (s *Service) wait(ctx context.Context, id ProjectID, q ChangesQuery) (Head, error) {
	const lookUp = 2 * time.Second
	left := min(q.Wait, s.limits.LongPoll)
	for {
		step := min(left, lookUp)
		hint, cancel := context.WithTimeout(ctx, step)
		s.notify.Wait(hint, id, q.Since)
		cancel()
		head, err := s.store.Head(ctx, id)
		if left -= step; err != nil || left <= 0 || head.Seq > q.Since.Seq || head.Epoch != q.Since.Epoch {
			return head, err
		}
	}
}

func (s *Service) feedQuery(q ChangesQuery) FeedQuery {
	limit := q.Limit
	if limit <= 0 || limit > s.limits.FeedPage {
		limit = s.limits.FeedPage
	}
	f := FeedQuery{Since: q.Since.Seq, Limit: limit, PurgedMax: purgedPerPage}
	if q.Inline {
		f.InlineMax, f.PageMax = s.limits.InlineBytes, s.limits.PageBytes
	}
	return f
}
