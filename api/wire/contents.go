package wire

import (
	"fmt"

	"github.com/teammem/teammem/memory"
)

// RevisionRef names one revision.
type RevisionRef struct {
	EntryID string `json:"entry_id"`
	Rev     int64  `json:"rev"`
}

// NewRevisionRef names a revision.
func NewRevisionRef(r memory.RevisionRef) RevisionRef { return RevisionRef{string(r.EntryID), r.Rev} }

// Domain returns the reference; prefix goes before the names of wrong fields.
func (w RevisionRef) Domain(prefix string) (memory.RevisionRef, error) {
	entry, err := ParseEntryID(prefix+"entry_id", w.EntryID)
	switch {
	case err != nil:
		return memory.RevisionRef{}, err
	case entry == "":
		return memory.RevisionRef{}, missing(prefix + "entry_id")
	case w.Rev <= 0:
		return memory.RevisionRef{}, memory.Invalid(prefix+"rev", "a revision is a number above 0")
	}
	return memory.RevisionRef{EntryID: entry, Rev: w.Rev}, nil
}

// ContentsRequest is the body of POST …/contents.
type ContentsRequest struct {
	Items []RevisionRef `json:"items"`
}

// NewContentsRequest asks for revisions.
func NewContentsRequest(refs []memory.RevisionRef) ContentsRequest {
	w := ContentsRequest{Items: make([]RevisionRef, len(refs))}
	for i, r := range refs {
		w.Items[i] = NewRevisionRef(r)
	}
	return w
}

// Domain returns the references.
func (w ContentsRequest) Domain() ([]memory.RevisionRef, error) {
	refs := make([]memory.RevisionRef, len(w.Items))
	for i, item := range w.Items {
		ref, err := item.Domain(fmt.Sprintf("items[%d].", i))
		if err != nil {
			return nil, err
		}
		refs[i] = ref
	}
	return refs, nil
}

// Contents is the answer to POST …/contents.
type Contents struct {
	Items []Content `json:"items"`
	More  bool      `json:"more"`
}

// Content is one stored text, or the problem why there is none.
type Content struct {
	EntryID string   `json:"entry_id"`
	Rev     int64    `json:"rev"`
	SHA256  string   `json:"sha256,omitzero"`
	Content *string  `json:"content,omitzero"`
	Problem *Problem `json:"problem,omitzero"`
}

// NewContents describes stored texts.
func NewContents(c memory.Contents) Contents {
	w := Contents{Items: make([]Content, len(c.Items)), More: c.More}
	for i, item := range c.Items {
		w.Items[i] = Content{EntryID: string(item.Ref.EntryID), Rev: item.Ref.Rev}
		if item.Problem != nil {
			problem := NewProblem(item.Problem)
			w.Items[i].Problem = &problem
			continue
		}
		content := string(item.Content)
		w.Items[i].SHA256, w.Items[i].Content = item.Sum.String(), &content
	}
	return w
}

// Domain returns the texts. One that is not what its sha256 says has a problem
// instead.
func (w Contents) Domain() memory.Contents {
	c := memory.Contents{Items: make([]memory.ContentItem, len(w.Items)), More: w.More}
	for i, item := range w.Items {
		to := &c.Items[i]
		to.Ref = memory.RevisionRef{EntryID: memory.EntryID(item.EntryID), Rev: item.Rev}
		if item.Problem != nil {
			to.Problem = item.Problem.Domain()
			continue
		}
		sum, err := hash("sha256", item.SHA256)
		if err == nil && item.Content == nil {
			err = missing("content")
		}
		if err == nil {
			err = checkContent(*item.Content, sum)
		}
		if err != nil {
			to.Problem = problemOf(err)
			continue
		}
		to.Content, to.Sum = []byte(*item.Content), sum
	}
	return c
}
