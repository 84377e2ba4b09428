package memory

import (
	"fmt"
	"time"
)

// Limits are the bounds of the service; PROTOCOL names them for clients. The
// zero value of a field means its default.
type Limits struct {
	PushOps        int           // ops in one push; 200
	PushBytes      int           // content in one push; 4 MB
	ContentsItems  int           // revisions in one request for contents; 200
	PageBytes      int           // content in one answer; 4 MB
	InlineBytes    int           // content of one entry in the feed; 64 KB
	FeedPage       int           // changes in one page of the feed; 1,000
	ListPage       int           // items in one page of a list; 200
	ProjectEntries int           // live entries of a project; 20,000
	ProjectPending int           // pending proposals of a project; 2,000
	MemberPending  int           // of those, one author's; 1,000
	OpenConflicts  int           // open conflicts of one author in a project; 1,000
	OpenFindings   int           // unsettled findings of one author in a project; 1,000
	LongPoll       time.Duration // longest wait for changes; 25 s
	Note           int           // characters of a note; 500
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&l.PushOps, 200)
	def(&l.PushBytes, 4<<20)
	def(&l.ContentsItems, 200)
	def(&l.PageBytes, 4<<20)
	def(&l.InlineBytes, 64<<10)
	def(&l.FeedPage, 1000)
	def(&l.ListPage, 200)
	def(&l.ProjectEntries, 20_000)
	def(&l.ProjectPending, 2000)
	def(&l.MemberPending, 1000)
	def(&l.OpenConflicts, 1000)
	def(&l.OpenFindings, 1000)
	def(&l.Note, 500)
	if l.LongPoll == 0 {
		l.LongPoll = 25 * time.Second
	}
	return l
}

func quotaReached(most int) *Error {
	return &Error{
		Code: CodeQuota, Field: "path",
		Message: fmt.Sprintf("the project already has %d entries, which is its limit", most),
		Hint:    "delete entries that are no longer true, or ask for a higher limit",
	}
}

// page bounds how many items of a list are asked for; 0 asks for as many as
// there may be.
func (l Limits) page(asked int) int {
	if asked <= 0 || asked > l.ListPage {
		return l.ListPage
	}
	return asked
}
