package client

import (
	"context"
	"fmt"

	"github.com/teammem/teammem/memory"
)

const (
	maxTexts = 128 << 20 // bytes of text that are held for later
	maxFetch = 200       // items in one request for contents
)

// texts keeps contents that came with the feed until they are written, up to a
// bound; what does not fit is fetched again by revision.
type texts struct {
	byRef map[memory.RevisionRef][]byte
	bytes int
}

func (t *texts) put(ref memory.RevisionRef, content []byte) {
	if t.byRef == nil {
		t.byRef = map[memory.RevisionRef][]byte{}
	}
	if _, there := t.byRef[ref]; !there && t.bytes+len(content) <= maxTexts {
		t.byRef[ref], t.bytes = content, t.bytes+len(content)
	}
}

func (t *texts) has(ref memory.RevisionRef) bool {
	_, ok := t.byRef[ref]
	return ok
}

// drop makes room again.
func (t *texts) drop(ref memory.RevisionRef) {
	t.bytes -= len(t.byRef[ref])
	delete(t.byRef, ref)
}

// localTexts keeps what was read for an upload in the same cycle, up to a
// bound.
type localTexts struct {
	byPath map[memory.Path][]byte
	bytes  int
}

func (l *localTexts) put(p memory.Path, content []byte) {
	l.drop(p)
	if l.byPath == nil {
		l.byPath = map[memory.Path][]byte{}
	}
	if l.bytes+len(content) <= maxTexts {
		l.byPath[p], l.bytes = content, l.bytes+len(content)
	}
}

func (l *localTexts) drop(p memory.Path) {
	l.bytes -= len(l.byPath[p])
	delete(l.byPath, p)
}

// fetch returns the texts of the revisions, as far as the server gives them
// out. Whether one is what it should be, the caller checks.
func (c *cycle) fetch(ctx context.Context, refs []memory.RevisionRef) (map[memory.RevisionRef][]byte, error) {
	found := make(map[memory.RevisionRef][]byte, len(refs))
	var missing []memory.RevisionRef
	for _, ref := range refs {
		if text, ok := c.texts.byRef[ref]; ok {
			found[ref] = text
			continue
		}
		missing = append(missing, ref)
	}
	for len(missing) > 0 {
		some := missing[:min(maxFetch, len(missing))]
		c.report.Requests++
		got, err := c.server.Contents(ctx, c.link.Project, some)
		if err != nil {
			return nil, err
		}
		if len(got.Items) == 0 || len(got.Items) > len(some) {
			return nil, fmt.Errorf("the server sent %d contents when it was asked for %d", len(got.Items), len(some))
		}
		for i, item := range got.Items {
			if item.Problem == nil && item.Ref == some[i] {
				found[item.Ref] = item.Content
			}
		}
		missing = missing[len(got.Items):]
	}
	return found, nil
}
