package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// Revisions returns a page of an entry's versions without their texts, newest
// first, and the cursor of the next page, "" at the end.
func (s *Server) Revisions(ctx context.Context, project memory.ProjectID, entry memory.EntryID, cursor string) (page []memory.Revision, next string, err error) {
	query := url.Values{"entry_id": {string(entry)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var w wire.Page[wire.Revision]
	if err := s.get(ctx, projectPath(project, "revisions"), query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		r, err := item.Domain()
		if err != nil {
			return nil, "", fmt.Errorf("revision %d: %w", item.Rev, err)
		}
		page = append(page, r)
	}
	return page, w.Next, nil
}

// Revision returns one version of an entry, with its text if it has one.
func (s *Server) Revision(ctx context.Context, project memory.ProjectID, entry memory.EntryID, rev int64) (memory.Revision, error) {
	query := url.Values{"entry_id": {string(entry)}, "rev": {strconv.FormatInt(rev, 10)}}
	var w wire.Revision
	if err := s.get(ctx, projectPath(project, "revision"), query, &w); err != nil {
		return memory.Revision{}, err
	}
	return w.Domain()
}

// History returns the versions of an entry without their texts, newest first, as
// many as are wanted; 0 for all.
func (s *Server) History(ctx context.Context, project memory.ProjectID, entry memory.EntryID, most int) ([]memory.Revision, error) {
	var all []memory.Revision
	for cursor := ""; ; {
		page, next, err := s.Revisions(ctx, project, entry, cursor)
		if err != nil {
			return nil, err
		}
		for _, r := range page {
			if len(all) > 0 && r.Rev >= all[len(all)-1].Rev {
				return nil, fmt.Errorf("the server sent revision %d after revision %d, and older ones come after newer ones", r.Rev, all[len(all)-1].Rev)
			}
			all = append(all, r)
		}
		switch {
		case most > 0 && len(all) >= most:
			return all[:most], nil
		case next == "":
			return all, nil
		case len(page) == 0:
			return nil, errors.New("the server sent a page without revisions that is not the last")
		}
		cursor = next
	}
}

// Blame returns the newest text of an entry with the revision that each line
// comes from, and those revisions by number.
func (s *Server) Blame(ctx context.Context, project memory.ProjectID, entry memory.EntryID) (msync.Annotated, map[int64]memory.Revision, error) {
	all, err := s.History(ctx, project, entry, 0)
	if err != nil {
		return msync.Annotated{}, nil, err
	}
	byRev := make(map[int64]memory.Revision, len(all))
	var refs []memory.RevisionRef
	for i := len(all) - 1; i >= 0; i-- {
		r := all[i]
		byRev[r.Rev] = r
		if r.Action != memory.ActionDelete {
			refs = append(refs, memory.RevisionRef{EntryID: entry, Rev: r.Rev})
		}
	}
	var text msync.Annotated
	for len(refs) > 0 {
		got, err := s.Contents(ctx, project, refs[:min(maxFetch, len(refs))])
		if err != nil {
			return msync.Annotated{}, nil, err
		}
		if len(got.Items) == 0 || len(got.Items) > len(refs) {
			return msync.Annotated{}, nil, fmt.Errorf("the server sent %d contents when it was asked for %d", len(got.Items), len(refs))
		}
		for i, item := range got.Items {
			if item.Ref != refs[i] {
				return msync.Annotated{}, nil, fmt.Errorf("the server sent revision %d when it was asked for %d", item.Ref.Rev, refs[i].Rev)
			}
			switch {
			case item.Problem == nil:
				text = text.Next(item.Ref.Rev, string(item.Content))
			case i == len(refs)-1: // else its lines are the next version's
				return msync.Annotated{}, nil, fmt.Errorf("the server does not give out the newest text, revision %d: %w", item.Ref.Rev, item.Problem)
			}
		}
		refs = refs[len(got.Items):]
	}
	return text, byRev, nil
}
