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
}

// Feed is the answer to a [ChangesQuery].
type Feed struct {
	Page      FeedPage
	Head      Head
	Unchanged bool // the client has it all, Page is empty
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
	if err := s.joins(ctx, id, head, q); err != nil {
		return Feed{}, err
	}
	if head.Seq == q.Since.Seq && q.Wait > 0 {
		if head, err = s.wait(ctx, id, q); err != nil {
			return Feed{}, err
		}
	}
	if q.Have == head.Tag() || (q.Wait > 0 && head.Seq == q.Since.Seq && head.Epoch == q.Since.Epoch) {
		return Feed{Head: head, Unchanged: true}, nil
	}
	page, err := s.store.Changes(ctx, id, s.feedQuery(q))
	if err != nil {
		return Feed{}, err
	}
	return Feed{Page: page, Head: head}, nil
}

// joins checks that the client's past is part of the project's history.
func (s *Service) joins(ctx context.Context, id ProjectID, head Head, q ChangesQuery) error {
	since := q.Since
	switch {
	case since.IsZero():
		return nil
	case since.Epoch != head.Epoch:
		return epochChanged(head)
	case since.Seq > head.Seq:
		return &Error{Code: CodeCursorAhead, Head: &head, Message: "you have seen changes that this server does not know",
			Hint: "the server was restored from a backup; run teammem sync to offer it what it lost"}
	case since.Seq < head.Floor:
		return &Error{Code: CodeCursorTooOld, Head: &head, Message: "the changes since you last synced were purged",
			Hint: "the client compares its files with the manifest instead"}
	case q.Have == "" || q.Have == head.Tag():
		return nil
	}
	at, err := s.store.DigestAt(ctx, id, since.Seq)
	if err != nil {
		return err
	}
	if q.Have != (Head{Epoch: since.Epoch, Seq: since.Seq, Digest: at}).Tag() {
		return &Error{Code: CodeHistoryForked, Head: &head, Message: "what you have at this point differs from what the server had",
			Hint: "the client compares its files with the manifest instead"}
	}
	return nil
}

// wait returns the head after the first change behind the cursor, or after the
// wait is over. A hint can be missed when another process wrote, so the head is
// also looked up every few seconds.
func (s *Service) wait(ctx context.Context, id ProjectID, q ChangesQuery) (Head, error) {
	const lookUp = 2 * time.Second
	left := min(q.Wait, s.limits.LongPoll)
	for {
		step := min(left, lookUp)
		hint, cancel := context.WithTimeout(ctx, step)
		s.notify.Wait(hint, id, q.Since.Seq)
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
	f := FeedQuery{Since: q.Since.Seq, Limit: limit}
	if q.Inline {
		f.InlineMax, f.PageMax = s.limits.InlineBytes, s.limits.PageBytes
	}
	return f
}

// Manifest returns every live entry, and the head that they belong to.
func (s *Service) Manifest(ctx context.Context, who Principal, id ProjectID) (Head, []Entry, error) {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return Head{}, nil, err
	}
	return s.store.Manifest(ctx, id)
}

// Contents are stored texts, in the order asked for.
type Contents struct {
	Items []ContentItem
	More  bool // the page is full: ask for the rest
}

// ContentItem is one text, or why there is none.
type ContentItem struct {
	Ref     RevisionRef
	Content []byte
	Sum     Hash
	Problem *Error
}

// Contents returns the texts of any stored revisions, until a page is full.
func (s *Service) Contents(ctx context.Context, who Principal, id ProjectID, refs []RevisionRef) (Contents, error) {
	if _, err := s.enter(ctx, who, id, ScopeRead); err != nil {
		return Contents{}, err
	}
	if len(refs) == 0 || len(refs) > s.limits.ContentsItems {
		return Contents{}, Invalid("items", "ask for 1 to 200 revisions")
	}
	found, err := s.store.Revisions(ctx, id, refs, s.limits.PageBytes)
	if err != nil {
		return Contents{}, err
	}
	return answer(refs, found, s.limits.PageBytes), nil
}

// answer brings the stored revisions into the order asked for. The store stops
// when the page is full, so an unknown revision is told from one that did not
// fit by whether the page was full.
func answer(refs []RevisionRef, found []Revision, page int) Contents {
	byRef := map[RevisionRef]Revision{}
	total := 0
	for _, r := range found {
		byRef[RevisionRef{r.EntryID, r.Rev}] = r
		total += r.Size
	}
	var c Contents
	for _, ref := range refs {
		r, ok := byRef[ref]
		switch {
		case ok && r.Action == ActionDelete:
			c.Items = append(c.Items, ContentItem{Ref: ref, Problem: NotFound("content of a delete")})
		case ok:
			c.Items = append(c.Items, ContentItem{Ref: ref, Content: r.Content, Sum: r.Sum})
		case total >= page:
			c.More = true
			return c
		default:
			c.Items = append(c.Items, ContentItem{Ref: ref, Problem: NotFound("revision")})
		}
	}
	return c
}
