package web

import (
	"unicode"
	"unicode/utf8"

	"github.com/teammem/teammem/web/view"
)

// flash says what the last action did. Addresses carry its name only, so
// nobody can put words of their own into the page.
func flash(done string) *view.Notice {
	switch done {
	case "restored":
		return &view.Notice{Tone: view.ToneOK, Title: "Restored", Text: "The older text is the newest revision now; members get it with their next sync."}
	case "same":
		return &view.Notice{Tone: view.ToneInfo, Title: "Nothing to restore", Text: "The entry has this text already."}
	case "proposed":
		return &view.Notice{Tone: view.ToneInfo, Title: "Waits for review", Text: "This project publishes nothing without a reviewer; one of them has to approve it."}
	case "approved":
		return &view.Notice{Tone: view.ToneOK, Title: "Approved", Text: "It is published; members get it with their next sync."}
	case "rejected":
		return &view.Notice{Tone: view.ToneOK, Title: "Rejected", Text: "The author is told why, and keeps the text."}
	case "resolved":
		return &view.Notice{Tone: view.ToneOK, Title: "Resolved", Text: "Its author's computer hears of it with the next sync, and puts the text into the trash there."}
	case "asked":
		return &view.Notice{Tone: view.ToneOK, Title: "Asked", Text: "A maintainer who is not the author has seven days to decide."}
	case "unasked":
		return &view.Notice{Tone: view.ToneOK, Title: "Taken back", Text: "Nobody has to decide on it any more."}
	case "allowed":
		return &view.Notice{Tone: view.ToneOK, Title: "Allowed", Text: "The author's next sync shares the text."}
	case "denied":
		return &view.Notice{Tone: view.ToneOK, Title: "Denied", Text: "The author is told why; the text stays on their computer."}
	case "cared":
		return &view.Notice{Tone: view.ToneOK, Title: "Taken care of", Text: "If the secret is found again, the finding is open again."}
	case "revoked":
		return &view.Notice{Tone: view.ToneOK, Title: "Revoked", Text: "What is shared from now on is refused again; what was shared by the exception stays."}
	case "withdrawn":
		return &view.Notice{Tone: view.ToneOK, Title: "Withdrawn", Text: "Nobody has to decide on it any more."}
	}
	return nil
}

// sentence gives a message of the domain the form of a sentence.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:] + "."
}
