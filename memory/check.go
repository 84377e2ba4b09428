package memory

import "context"

// Check tells what a push of the content at the path would get, and stores
// nothing. Without content (nil) only the key is judged; without a project ("")
// only by the rules that need none.
func (s *Service) Check(ctx context.Context, who Principal, id ProjectID, path string, content []byte) (Verdict, error) {
	var project ProjectView
	if id != "" {
		view, err := s.enter(ctx, who, id, ScopeRead)
		if err != nil {
			return Verdict{}, err
		}
		project = view
	}
	op := Op{Action: ActionPut, Path: path, Content: content}
	if content == nil {
		op.Action = ActionDelete // asks for the checks of a bare key
	}
	item, err := s.check(ctx, project, nil, op)
	if err != nil {
		return Verdict{}, err
	}
	if item.passed() && content == nil {
		if item, err = s.checkKey(ctx, item); err != nil {
			return Verdict{}, err
		}
	}
	if !item.passed() {
		return refused("", item.Refused), nil
	}
	if id == "" {
		return Verdict{Ruling: RulingPublished}, nil
	}
	v, err := s.preview(ctx, who, project.Project, item)
	if v.Proposal == item.Proposal {
		v.Proposal = "" // there is none: nothing was stored
	}
	return v, err
}

// checkKey looks for secrets in the key, which a delete need not.
func (s *Service) checkKey(ctx context.Context, it Item) (Item, error) {
	if err := scanPath(ctx, s.scanner, it.Write.Path); err != nil {
		return refusal(it.Write.Action, err)
	}
	return it, nil
}

// preview judges a write as if its author had seen the newest state.
func (s *Service) preview(ctx context.Context, who Principal, p Project, it Item) (Verdict, error) {
	w := &it.Write
	bare := w.Content.IsZero()
	w.Action, w.AbsentAt = ActionPut, p.Head.Cursor()
	b := s.bounded(Batch{Project: p.ID, Epoch: p.Head.Epoch, By: who, At: s.clock(), Items: []Item{it}})
	heads, err := s.store.Heads(ctx, p.ID, b.Lookups())
	if err != nil {
		return Verdict{}, err
	}
	for _, e := range heads.Entries {
		if e.DeletedRev > 0 || e.Path != w.Path {
			continue
		}
		if bare && it.waits() {
			return waits(&e, it.Proposal), nil
		}
		if bare {
			return Verdict{Ruling: RulingPublished, EntryID: e.ID, Rev: e.Rev, Sum: e.Sum}, nil
		}
		b.Items[0].Write.EntryID, b.Items[0].Write.BaseRev = e.ID, e.Rev
	}
	return Judge(b, heads).Verdicts[0], nil
}
