package hook

import (
	"context"
	"errors"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/memory"
)

// postToolUse hands over what was written below team/, and tells what became
// of it. Any call, also one about another file, brings the verdicts that its
// session still waits for.
func (h *Hooks) postToolUse(ctx context.Context, in input, links []client.Link) outcome {
	late := h.lateVerdicts(in.Session, links)
	w, ok := in.write()
	if !ok {
		return late
	}
	at, ok := find(links, in.Folder, h.atHome(w.File))
	if !ok || at.notOurs() || !h.state.once(in) {
		return late
	}
	p, reason := h.judgeName(at)
	if reason != "" {
		return outcome{answer: block(reason)}
	}
	now := h.handOver(ctx, in.Session, at, p)
	if now.answer == (answer{}) {
		now.answer, now.remember = late.answer, late.remember
	}
	return now
}

// handOver syncs and waits for the verdict, within the limit.
func (h *Hooks) handOver(ctx context.Context, session string, at spot, p memory.Path) outcome {
	if err := claude.Recheck(at.link, h.Getenv); err != nil {
		return outcome{err: err}
	}
	s, err := h.Syncer(at.link)
	if errors.Is(err, client.ErrPaused) {
		return outcome{err: h.state.owe(session, at)} // the sync after the pause sends it
	}
	if err != nil {
		return outcome{err: err}
	}
	event, _ := eventOf(PostToolUse)
	report, err := h.sync(ctx, s, h.left(event)-handTime)
	switch {
	case errors.Is(err, errLate), errors.Is(err, client.ErrLocked):
		owed := h.state.owe(session, at) // first: the sync that follows brings the verdict
		return outcome{err: errors.Join(owed, h.Flush(at.link.Folder))}
	case errors.Is(err, client.ErrOffline):
		return outcome{err: h.state.owe(session, at)} // the next sync sends it
	case err != nil:
		return outcome{err: err}
	}
	return outcome{answer: h.hinted(ctx, at, p, h.verdict(at, p, report))}
}

// lateVerdicts tells what became of texts that a session handed over when there
// was no time to wait.
func (h *Hooks) lateVerdicts(session string, links []client.Link) outcome {
	var told []pending
	var texts []string
	for _, p := range h.state.owed(session) {
		l, ok := linkAt(links, p.Link)
		if !ok {
			told = append(told, p) // it is linked no more
			continue
		}
		known, err := h.Dirs.Known(l)
		if err != nil {
			return outcome{err: err}
		}
		text, ok := standing(known, p)
		if !ok {
			continue
		}
		told = append(told, p)
		if text != "" {
			texts = append(texts, text)
		}
	}
	if len(told) == 0 {
		return outcome{}
	}
	o := outcome{remember: func() error { h.state.settle(told); return nil }}
	if len(texts) > 0 {
		o.answer = inform(PostToolUse, lines(texts))
	}
	return o
}

func linkAt(links []client.Link, folder string) (client.Link, bool) {
	for _, l := range links {
		if l.Folder == folder {
			return l, true
		}
	}
	return client.Link{}, false
}
