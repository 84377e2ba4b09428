package hook

import (
	"errors"
	"fmt"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/claude"
	"github.com/teammem/teammem/memory"
)

// bound is the link that a session's folder belongs to.
type bound struct {
	client.Link

	hold error // why its memory must not be taken for the session's
}

// bind finds the link of a folder; ok is false if there is none. The link of a
// folder above counts only if the agent keeps one memory for both.
func (h *Hooks) bind(folder string) (b bound, ok bool, err error) {
	if folder == "" {
		return bound{}, false, nil
	}
	l, err := claude.LinkOf(h.Dirs, folder, h.Getenv)
	if errors.Is(err, client.ErrNotLinked) || memory.CodeOf(err) == memory.CodeInvalid {
		return bound{}, false, nil
	}
	if err != nil {
		return bound{}, false, err
	}
	place, err := claude.Locate(folder, l.MemoryDir, h.Getenv)
	if err != nil {
		return bound{}, false, err
	}
	if place.Folder == l.Folder {
		return bound{l, claude.Recheck(l, h.Getenv)}, true, nil
	}
	agents, err := claude.Locate(folder, "", h.Getenv)
	if err == nil && agents.MemoryDir != l.MemoryDir && agents.MemoryDir != l.MemoryReal {
		err = fmt.Errorf("%s lies in %s, which is linked, but the agent keeps a memory of its own for it in %s: teammem link %s links that one",
			place.Folder, l.Folder, agents.MemoryDir, place.Folder)
	}
	return bound{l, err}, true, nil
}

// flush starts a sync that nobody waits for.
func (h *Hooks) flush(in input) outcome {
	b, ok, err := h.bind(in.Folder)
	if err != nil || !ok || b.hold != nil || !h.state.once(in) {
		return outcome{err: err}
	}
	return outcome{err: h.Flush(b.Folder)}
}
