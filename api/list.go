package api

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"github.com/teammem/teammem/api/wire"
	"github.com/teammem/teammem/memory"
)

// pageSize reads how many rows a page of a list has at the most.
func pageSize(q query) (int, error) {
	limit, err := q.number("limit", maxPage)
	if limit == 0 {
		limit = maxPage
	}
	return int(limit), err
}

// author reads whose rows a list has: "me" is the caller, and "" is everybody.
func (c *call) author() (memory.MemberID, error) {
	if name := c.query["author"]; name != "me" {
		return wire.ParseMemberID("author", name)
	}
	return c.who.Member, nil
}

// after reads the cursor of a list by time: the place of the last row of the page
// before. Without a cursor it is zero.
func after[ID ~string](q query, parse func(string) (ID, error)) (at time.Time, id ID, err error) {
	cursor := q["cursor"]
	if cursor == "" {
		return at, "", nil
	}
	at, name, err := parseTimeCursor(cursor)
	if err != nil {
		return at, "", err
	}
	if id, err = parse(name); err != nil {
		return at, "", badCursor()
	}
	return at, id, nil
}

// next returns the cursor that follows a page, or "" if the page is not full:
// then it is the last.
func next[T any](page []T, limit int, cursor func(T) string) string {
	if len(page) < limit {
		return ""
	}
	return cursor(page[len(page)-1])
}

// timeCursor writes the place of something in a list by time: microseconds, as
// the database keeps them, and the id.
func timeCursor[ID ~string](at time.Time, id ID) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at.UnixMicro(), 10) + "." + string(id)))
}

func parseTimeCursor(s string) (at time.Time, id string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return at, "", badCursor()
	}
	digits, id, _ := strings.Cut(string(raw), ".")
	micros, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || micros < 0 {
		return at, "", badCursor()
	}
	if at = time.UnixMicro(micros).UTC(); at.Year() > 9999 {
		return at, "", badCursor()
	}
	return at, id, nil
}

func badCursor() *memory.Error {
	return memory.Invalid("cursor", "this is not a cursor that a page named as its next")
}
