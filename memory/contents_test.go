package memory

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every answer brings the caller on: asking for the rest ends, whatever is
// unknown and wherever the page is full.
func TestContents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		refs string // sizes of stored revisions; x is unknown, d a delete
		want string // answers, one page after the other
	}{
		{"all fit", "3 4", "3 4"},
		{"unknown", "x", "-"},
		{"unknown between", "3 x 4", "3 - 4"},
		{"delete", "3 d 4", "3 - 4"},
		{"exactly full", "5 5", "5 5"},
		{"exactly full, then unknown", "5 5 x", "5 5 -"},
		{"exactly full, then empty", "5 5 0", "5 5 0"},
		{"one is more than a page", "11 3", "11 | 3"},
		{"over several pages", "6 6 6 6 6", "6 6 | 6 6 | 6"},
		{"unknown before a full page", "x 11 3", "- 11 | 3"},
		{"unknown behind a full page", "11 x 3", "11 | - 3"},
		{"unknown alone behind a full page", "11 x", "11 | -"},
		{"twice the same", "3 3", "3 3"},
		{"twice the same unknown", "x x", "- -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupWith(t, Limits{PageBytes: 10})
			refs := b.withRevisions(strings.Fields(tt.refs))
			var pages []string
			for len(refs) > 0 {
				c, err := b.Contents(t.Context(), b.who, "prj_a", refs)
				must(t, err)
				if len(c.Items) == 0 || c.More != (len(c.Items) < len(refs)) {
					t.Fatalf("%d answers to %d, more: %v", len(c.Items), len(refs), c.More)
				}
				var page []string
				for i, item := range c.Items {
					if item.Ref != refs[i] || (item.Problem != nil && item.Problem.Code != CodeNotFound) {
						t.Errorf("answer %d is %+v", i, item)
					}
					page = append(page, told(item))
				}
				pages, refs = append(pages, strings.Join(page, " ")), refs[len(c.Items):]
			}
			if diff := cmp.Diff(tt.want, strings.Join(pages, " | ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func told(item ContentItem) string {
	if item.Problem != nil {
		return "-"
	}
	if item.Sum != Sum(item.Content) {
		return "another text"
	}
	return fmt.Sprint(len(item.Content))
}

// withRevisions stores revisions of the given sizes; equal ones are the same
// revision.
func (b *bundle) withRevisions(sizes []string) (refs []RevisionRef) {
	for _, size := range sizes {
		ref := RevisionRef{EntryID: EntryID("ent_" + size), Rev: 1}
		refs = append(refs, ref)
		var n int
		if _, err := fmt.Sscan(size, &n); err != nil && size != "d" {
			continue
		}
		text := []byte(strings.Repeat("x", n))
		r := Revision{EntryID: ref.EntryID, Rev: 1, Action: ActionPut, Content: text, Sum: Sum(text), Size: n}
		if size == "d" {
			r.Action = ActionDelete
		}
		b.store.texts[ref] = r
	}
	return refs
}

func TestContents_Limits(t *testing.T) {
	t.Parallel()
	b := setupWith(t, Limits{ContentsItems: 3})
	for n, want := range map[int]Code{0: CodeInvalid, 1: "", 3: "", 4: CodeInvalid} {
		_, err := b.Contents(t.Context(), b.who, "prj_a", make([]RevisionRef, n))
		if want == "" {
			must(t, err)
			continue
		}
		if e := problemOf(t, err, want); e.Field != "items" || !strings.HasSuffix(e.Message, "1 to 3 revisions") {
			t.Errorf("%d: %v", n, e)
		}
	}
}

func TestContents_StoreFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.revisionErr = errFake
	if _, err := b.Contents(t.Context(), b.who, "prj_a", []RevisionRef{{"ent_a", 1}}); !errors.Is(err, errFake) {
		t.Errorf("got %v", err)
	}
}
