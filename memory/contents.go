package memory

import (
	"context"
	"fmt"
)

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
	view, err := s.enter(ctx, who, id, ScopeRead)
	if err != nil {
		return Contents{}, err
	}
	if len(refs) == 0 || len(refs) > s.limits.ContentsItems {
		return Contents{}, Invalid("items", fmt.Sprintf("ask for 1 to %d revisions", s.limits.ContentsItems))
	}
	found, err := s.store.Revisions(ctx, id, refs, s.limits.PageBytes)
	if err != nil {
		return Contents{}, err
	}
	return answer(view.Role, refs, found, s.limits.PageBytes), nil
}

// answer goes through the stored revisions, which are in the order asked for.
// The store stops when the page is full, so behind the last one an unknown
// revision cannot be told from one that did not fit.
func answer(role Role, refs []RevisionRef, found []Revision, page int) Contents {
	total := 0
	for _, r := range found {
		total += r.Size
	}
	var c Contents
	for _, ref := range refs {
		if len(found) == 0 && total > page {
			c.More = true
			break
		}
		item := ContentItem{Ref: ref, Problem: NotFound("revision")}
		if len(found) > 0 && ref == (RevisionRef{found[0].EntryID, found[0].Rev}) {
			item = contentOf(role, found[0])
			found = found[1:]
		}
		c.Items = append(c.Items, item)
	}
	return c
}

func contentOf(role Role, r Revision) ContentItem {
	ref := RevisionRef{r.EntryID, r.Rev}
	if problem := veiled(role, r); problem != nil {
		return ContentItem{Ref: ref, Problem: problem}
	}
	if r.Action == ActionDelete {
		return ContentItem{Ref: ref, Problem: NotFound("content of a delete")}
	}
	return ContentItem{Ref: ref, Content: r.Content, Sum: r.Sum}
}
