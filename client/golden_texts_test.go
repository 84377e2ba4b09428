package client

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/internal/golden"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// recordedPush and the like spell the protocol out once more: read by the types
// that write it, a name that is wrong in both would pass.
type recordedPush struct {
	Epoch   string `json:"epoch"`
	Device  string `json:"device"`
	Key     string `json:"key"`
	Release struct {
		Hold    string `json:"hold"`
		Deletes int    `json:"deletes"`
	} `json:"release"`
	Ops []recordedOp `json:"ops"`
}

type recordedOp struct {
	Op         string `json:"op"`
	Path       string `json:"path"`
	Previous   string `json:"previous_path"`
	EntryID    string `json:"entry_id"`
	BaseRev    int64  `json:"base_rev"`
	BaseSHA256 string `json:"base_sha256"`
	AbsentAt   string `json:"absent_at"`
	SHA256     string `json:"sha256"`
	Content    string `json:"content"`
	Review     bool   `json:"review"`
}

// pushAgain sends what was recorded as the client sends it.
func pushAgain(ctx context.Context, s *Server, recorded golden.Call) (string, error) {
	var p recordedPush
	if err := json.Unmarshal([]byte(recorded.Request.Body), &p, json.RejectUnknownMembers(true)); err != nil {
		return "", fmt.Errorf("the recorded push: %w", err)
	}
	writes := make([]memory.Write, len(p.Ops))
	for i, op := range p.Ops {
		var err error
		if writes[i], err = op.write(ctx); err != nil {
			return "", fmt.Errorf("the recorded push: %w", err)
		}
	}
	body, err := s.packPush(p.Epoch, p.Key, writes, memory.Release(p.Release))
	if err != nil {
		return "", err
	}
	return rulings(s.push(ctx, "prj_1", tagOf(recorded), body, len(writes)))
}

func (op recordedOp) write(ctx context.Context) (w memory.Write, err error) {
	w = memory.Write{
		Action: memory.Action(op.Op), Path: memory.StoredPath(op.Path), Previous: memory.StoredPath(op.Previous), EntryID: memory.EntryID(op.EntryID),
		BaseRev: op.BaseRev, Review: op.Review,
	}
	if op.BaseSHA256 != "" {
		if w.BaseSum, err = memory.ParseHash(op.BaseSHA256); err != nil {
			return w, err
		}
	}
	if op.AbsentAt != "" {
		if w.AbsentAt, err = memory.ParseCursor(op.AbsentAt); err != nil {
			return w, err
		}
	}
	if w.Action == memory.ActionPut {
		w.Content, err = memory.Screen(ctx, blind{}, w.Path, []byte(op.Content))
	}
	return w, err
}

// reportAgain says once more how a tree is.
func reportAgain(ctx context.Context, s *Server, recorded golden.Call) (string, error) {
	var w wire.Report
	if err := wire.Decode([]byte(recorded.Request.Body), &w); err != nil {
		return "", fmt.Errorf("the recorded report: %w", err)
	}
	r, err := w.Domain()
	if err != nil {
		return "", fmt.Errorf("the recorded report: %w", err)
	}
	return nameless(nil, s.report(ctx, "prj_1", r))
}

// keepAgain reports a text that could not be merged.
func keepAgain(ctx context.Context, s *Server, recorded golden.Call) (string, error) {
	var k struct {
		ID        string    `json:"id"`
		Path      string    `json:"path"`
		EntryID   string    `json:"entry_id"`
		BaseRev   int64     `json:"base_rev"`
		ServerRev int64     `json:"server_rev"`
		SHA256    string    `json:"sha256"`
		Content   string    `json:"content"`
		Device    string    `json:"device"`
		KeptAt    time.Time `json:"kept_at"`
	}
	if err := json.Unmarshal([]byte(recorded.Request.Body), &k, json.RejectUnknownMembers(true)); err != nil {
		return "", fmt.Errorf("the recorded conflict: %w", err)
	}
	c := memory.Conflict{
		ID: memory.ConflictID(k.ID), Path: memory.StoredPath(k.Path), EntryID: memory.EntryID(k.EntryID), BaseRev: k.BaseRev, ServerRev: k.ServerRev,
		Device: memory.DeviceID(k.Device), KeptAt: k.KeptAt,
	}
	text, err := memory.Screen(ctx, blind{}, c.Path, []byte(k.Content))
	if err != nil {
		return "", err
	}
	kept, err := s.keepConflict(ctx, "prj_1", c, text)
	return fmt.Sprint(kept.ID, " ", kept.Path), err
}

// blind finds nothing: what the server refuses has to leave here.
type blind struct{}

func (blind) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }

func (blind) RuleSet() string { return "blind" }
