package memory

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The defaults are those that PROTOCOL tells clients.
func TestLimits_Defaults(t *testing.T) {
	t.Parallel()
	want := Limits{
		PushOps: 200, PushBytes: 4 << 20, ContentsItems: 200, PageBytes: 4 << 20, InlineBytes: 64 << 10, FeedPage: 1000, ListPage: 200,
		ProjectEntries: 20_000, ProjectPending: 2000, MemberPending: 1000, OpenConflicts: 1000, OpenFindings: 1000, LongPoll: 25 * time.Second, Note: 500,
	}
	if diff := cmp.Diff(want, Limits{}.withDefaults()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	set := Limits{PushOps: 1, PushBytes: 2, ContentsItems: 3, PageBytes: 4, InlineBytes: 5, FeedPage: 6, ListPage: 7, ProjectEntries: 8, ProjectPending: 11, MemberPending: 12, OpenConflicts: 13, OpenFindings: 14, LongPoll: 9, Note: 10}
	if diff := cmp.Diff(set, set.withDefaults()); diff != "" {
		t.Errorf("what is set is kept (-want +got):\n%s", diff)
	}
	if MaxEntryBytes != 256<<10 {
		t.Errorf("an entry has at most %d bytes", MaxEntryBytes)
	}
}
