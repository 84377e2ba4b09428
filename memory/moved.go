package memory

import "context"

// screenMoved takes the text that a move brings to another place through the gate
// there, after the ops before it: an exception may be for the old place alone, or
// have ended. It returns the write with the texts that may come there, and no
// others, whatever is shared meanwhile or becomes of the ops before. Where nothing
// was ever excepted, a text that was shared may have any name.
func (s *Service) screenMoved(ctx context.Context, id ProjectID, before []Item, w Write) (Write, error) {
	x, err := s.store.Exceptions(ctx, id)
	if err != nil || !x.Made {
		return w, err
	}
	brought, from := broughtBy(before, w.Previous)
	texts, places := [][]byte{brought}, []Path{w.Previous}
	if from != w.Previous {
		places = append(places, from) // or the ops swap names
	}
	for _, p := range places {
		text, err := s.textAt(ctx, id, p)
		if err != nil {
			return w, err
		}
		texts = append(texts, text)
	}
	w.Screened = []Hash{}
	for _, text := range texts {
		if text == nil {
			continue
		}
		if _, err := Screen(ctx, s.scannerFor(id, w.Path), w.Path, text); err != nil {
			return w, err
		}
		w.Screened = append(w.Screened, Sum(text))
	}
	return w, nil
}

// broughtBy is the text that ops bring to a path, or where it was before them.
func broughtBy(items []Item, p Path) ([]byte, Path) {
	for i := len(items) - 1; i >= 0; i-- {
		w := items[i].Write
		if !items[i].passed() || w.Path != p {
			continue
		}
		switch w.Action {
		case ActionPut:
			return w.Content.Bytes(), p
		case ActionMove:
			p = w.Previous
		case ActionDelete, ActionWithdraw, ActionPurge:
		}
	}
	return nil, p
}

// textAt is the text of the live entry at a path, nil if there is none.
func (s *Service) textAt(ctx context.Context, id ProjectID, p Path) ([]byte, error) {
	e, err := s.store.EntryAt(ctx, id, p)
	if CodeOf(err) == CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := s.store.Revisions(ctx, id, []RevisionRef{{e.ID, e.Rev}}, MaxEntryBytes)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].Content, nil
}
