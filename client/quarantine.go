package client

import (
	"context"
	"fmt"
	"net/url"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// Quarantine takes changes back, or tells what it would take back.
func (s *Server) Quarantine(ctx context.Context, project memory.ProjectID, w memory.Withdrawal) (memory.Quarantine, error) {
	return s.quarantine(ctx, request{path: projectPath(project, "quarantine"), body: wire.NewQuarantineAdd(w)})
}

// Release makes what was taken back the newest again.
func (s *Server) Release(ctx context.Context, project memory.ProjectID, id memory.QuarantineID, reason string) (memory.Quarantine, error) {
	path := projectPath(project, "quarantine/"+url.PathEscape(string(id))+"/release")
	return s.quarantine(ctx, request{path: path, body: wire.QuarantineRelease{Reason: reason}})
}

func (s *Server) quarantine(ctx context.Context, r request) (memory.Quarantine, error) {
	var w wire.Quarantine
	if _, err := s.call(ctx, r, &w); err != nil {
		return memory.Quarantine{}, err
	}
	return w.Domain()
}

// Quarantines returns a page of what was taken back, newest first, and the cursor
// of the next page, "" at the end.
func (s *Server) Quarantines(
	ctx context.Context, project memory.ProjectID, cursor string,
) (page []memory.Quarantine, next string, err error) {
	query := url.Values{}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var w wire.Page[wire.Quarantine]
	if err := s.get(ctx, projectPath(project, "quarantine"), query, &w); err != nil {
		return nil, "", err
	}
	for _, item := range w.Items {
		q, err := item.Domain()
		if err != nil {
			return nil, "", fmt.Errorf("read a quarantine: %w", err)
		}
		page = append(page, q)
	}
	return page, w.Next, nil
}

// Purge removes texts for good.
func (s *Server) Purge(ctx context.Context, project memory.ProjectID, p memory.Purge) (memory.Purged, error) {
	var w wire.Purged
	if _, err := s.call(ctx, request{path: projectPath(project, "purge"), body: wire.NewPurge(p)}, &w); err != nil {
		return memory.Purged{}, err
	}
	return w.Domain()
}
