package memory

import "context"

// FirstPage is how many changes a client asks for at first: it has nothing to do
// before it has a page. From there on it takes pages of the usual length, so all
// new clients ask for the same ones.
const FirstPage = 100

// PageKey names a page of a feed by all that decides what is in it, so two pages
// of one key are equal. A page is the same for all who may read the project, and
// never changes, but for two things: a restored database has another epoch, or
// where nobody noticed, other digests; and whatever rewrites history counts that,
// or raises the floor.
type PageKey struct {
	Project            ProjectID
	Epoch              string
	Floor, Rewrites    int64
	From, To           int64
	Digest             Digest // at To
	InlineMax, PageMax int
}

func (p FeedPage) key(id ProjectID, q FeedQuery) PageKey {
	return PageKey{
		Project: id, Epoch: p.Epoch, Floor: p.Floor, Rewrites: p.Rewrites, From: p.From, To: p.To, Digest: p.Digest,
		InlineMax: q.InlineMax, PageMax: q.PageMax,
	}
}

// PageAhead returns a page that somebody will ask for by [Service.Changes]. It
// is for nobody: only that decides who may see it.
func (s *Service) PageAhead(ctx context.Context, id ProjectID, since int64, limit int, kept func(PageKey) bool) (Feed, error) {
	head, err := s.store.Head(ctx, id)
	if err != nil {
		return Feed{}, err
	}
	q := ChangesQuery{Since: Cursor{Epoch: head.Epoch, Seq: since}, Limit: limit, Inline: true, Kept: kept}
	if err := reaches(q.Since, head); err != nil {
		return Feed{}, err
	}
	return s.page(ctx, id, head, q)
}

// page reads a page, unless the caller keeps it.
func (s *Service) page(ctx context.Context, id ProjectID, head Head, q ChangesQuery) (Feed, error) {
	f := s.feedQuery(q)
	if q.Kept != nil {
		page, err := s.emptyPage(ctx, id, head, f)
		if err != nil {
			return Feed{}, err
		}
		if key := page.key(id, f); q.Kept(key) {
			return Feed{Page: page, Key: key, Head: head, Kept: true, Common: s.common(f)}, nil
		}
	}
	page, err := s.store.Changes(ctx, id, f)
	if err != nil {
		return Feed{}, err
	}
	// The history may have been replaced since the client was let in.
	if err := reaches(q.Since, Head{Epoch: page.Epoch, Seq: page.Head, Floor: page.Floor}); err != nil {
		return Feed{}, err
	}
	return Feed{Page: page, Key: page.key(id, f), Head: head, Common: s.common(f)}, nil
}

// common reports whether a page is one of those that each new member asks for,
// see [FirstPage].
func (s *Service) common(f FeedQuery) bool {
	if f.Since == 0 {
		return f.Limit == FirstPage
	}
	return f.Limit == s.limits.FeedPage && f.Since >= FirstPage && (f.Since-FirstPage)%int64(f.Limit) == 0
}

// emptyPage is what a page says beside its changes. What it takes from the
// database proves that a page of its key is part of the history as it is now.
func (s *Service) emptyPage(ctx context.Context, id ProjectID, head Head, q FeedQuery) (FeedPage, error) {
	page := FeedPage{
		Epoch: head.Epoch, From: q.Since, To: min(q.Since+int64(q.Limit), head.Seq), Head: head.Seq, Floor: head.Floor, Rewrites: head.Rewrites,
		Digest: head.Digest,
	}
	var err error
	if head.Rewrites > 0 {
		if page.Purged, page.To, err = s.store.Purged(ctx, id, page.From, page.To, q.PurgedMax); err != nil {
			return page, err
		}
	}
	if page.To < head.Seq {
		page.Digest, err = s.store.DigestAt(ctx, id, page.To)
	}
	return page, err
}
