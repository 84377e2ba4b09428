package memory

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// relativeDate finds a day that only means something on the day it was
// written. A line that also holds a date of its own may refer to that.
func relativeDate(t textLine, now time.Time) string {
	if t.part != partProse || hasDate(t.text) {
		return ""
	}
	words := strings.FieldsFunc(t.lower, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i := range words {
		if phrase, days, exact := relativeAt(words[i:]); phrase != "" {
			return datedHint(phrase, days, exact, now)
		}
	}
	for _, phrase := range []string{"明天", "昨天", "下周", "上周", "下个月", "上个月", "来週", "先週"} {
		if strings.Contains(t.lower, phrase) {
			return datedHint(phrase, 0, false, now)
		}
	}
	return ""
}

func datedHint(phrase string, days int, exact bool, now time.Time) string {
	if !exact || now.IsZero() {
		return fmt.Sprintf("%q is another day for each reader: write the date itself", phrase)
	}
	day := now.AddDate(0, 0, days).Format(time.DateOnly)
	return fmt.Sprintf("%q is another day for each reader: write the date itself, %s", phrase, day)
}

// relativeAt returns the phrase that starts a row of words, "" if none does,
// and how many days from now it is, if that can be told.
func relativeAt(words []string) (phrase string, days int, exact bool) {
	switch words[0] {
	case "tomorrow":
		return words[0], 1, true
	case "yesterday":
		return words[0], -1, true
	case "tonight":
		return words[0], 0, true
	case "next", "last", "this", "coming", "past":
		if len(words) < 2 || !isPeriod(words[1]) || len(words) > 2 && words[2] == "of" { // the last Friday of a month is a rule
			return "", 0, false
		}
		return words[0] + " " + words[1], 0, false
	}
	if len(words) < 3 || words[2] != "ago" || !isUnit(words[1]) || !isAmount(words[0]) {
		return "", 0, false
	}
	n, err := strconv.Atoi(words[0])
	unit := unitDays(words[1])
	return strings.Join(words[:3], " "), -n * unit, err == nil && n < 1000 && unit > 0
}

func isPeriod(word string) bool {
	switch word {
	case "week", "month", "quarter", "year", "sprint", "weekend", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	}
	return false
}

func isUnit(word string) bool {
	switch strings.TrimSuffix(word, "s") {
	case "hour", "day", "week", "month", "year":
		return true
	}
	return false
}

// unitDays is how many days a unit has, 0 if that is not the same for each.
func unitDays(word string) int {
	switch strings.TrimSuffix(word, "s") {
	case "day":
		return 1
	case "week":
		return 7
	}
	return 0
}

func isAmount(word string) bool {
	switch word {
	case "a", "an", "one", "two", "three", "four", "five", "six", "few", "several", "couple":
		return true
	}
	return isDigits(word)
}

// hasDate reports whether a line holds a date such as 2026-03-04.
func hasDate(line string) bool {
	for at := 0; ; {
		dash := strings.IndexByte(line[at:], '-')
		if dash < 0 {
			return false
		}
		dash += at
		at = dash + 1
		if dash >= 4 && len(line) >= dash+6 && isDigits(line[dash-4:dash]) && isDigits(line[dash+1:dash+3]) && line[dash+3] == '-' && isDigits(line[dash+4:dash+6]) {
			return true
		}
	}
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
