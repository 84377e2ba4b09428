package client

import (
	"context"
	"fmt"
	"net/url"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// keepConflict reports a text that is kept here, and returns what became of
// it.
func (s *Server) keepConflict(ctx context.Context, project memory.ProjectID, c memory.Conflict, text memory.Clean) (memory.Conflict, error) {
	body, err := wire.NewConflictKeep(c, text)
	if err != nil {
		return memory.Conflict{}, err
	}
	var w wire.Conflict
	if err := s.post(ctx, projectPath(project, "conflicts"), body, &w); err != nil {
		return memory.Conflict{}, err
	}
	return answered(w)
}

// openConflicts returns a page of the caller's conflicts that are open, and the
// cursor of the next page, "" at the end.
func (s *Server) openConflicts(ctx context.Context, project memory.ProjectID, cursor string) (page []memory.ConflictID, next string, err error) {
	query := url.Values{"author": {"me"}, "state": {"open"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var w wire.Page[wire.Conflict]
	if err := s.get(ctx, projectPath(project, "conflicts"), query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		page = append(page, memory.ConflictID(item.ID))
	}
	return page, w.Next, nil
}

// conflict returns one conflict.
func (s *Server) conflict(ctx context.Context, project memory.ProjectID, id memory.ConflictID) (memory.Conflict, error) {
	var w wire.ConflictView
	if err := s.get(ctx, conflictPath(project, id), nil, &w); err != nil {
		return memory.Conflict{}, err
	}
	return answered(w.Conflict)
}

// closeConflict says that a conflict was resolved in a tree.
func (s *Server) closeConflict(ctx context.Context, project memory.ProjectID, id memory.ConflictID) error {
	return s.post(ctx, conflictPath(project, id)+"/resolve", wire.Resolve{How: string(memory.HowLocal)}, &wire.Conflict{})
}

// answered reads a conflict in an answer. What cannot be read is not what the
// server has to say about the conflict.
func answered(w wire.Conflict) (memory.Conflict, error) {
	c, err := w.Domain()
	if err != nil {
		return c, fmt.Errorf("%w: %w", errForeign, err)
	}
	return c, nil
}

func conflictPath(p memory.ProjectID, id memory.ConflictID) string {
	return projectPath(p, "conflicts/"+url.PathEscape(string(id)))
}
