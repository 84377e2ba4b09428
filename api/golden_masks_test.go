package api

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// masks put names of their own in the place of what differs from run to run, and
// take them back for what is sent.
type masks struct {
	began  time.Time
	epoch  string
	named  map[string]string // by what was there
	meant  map[string]string // by name
	counts map[string]int    // of names, by kind
}

func newMasks(epoch string) *masks {
	return &masks{time.Now(), epoch, map[string]string{}, map[string]string{"epoch_1": epoch}, map[string]int{}}
}

// name gives a value the next name of its kind, unless it has one.
func (m *masks) name(kind, value string) string {
	if m.named[value] == "" {
		m.counts[kind]++
		name := fmt.Sprintf("%s_%d", kind, m.counts[kind])
		m.named[value], m.meant[name] = name, value
	}
	return m.named[value]
}

var (
	idForm      = regexp.MustCompile(`\b(prj|mem|dev|ent|prp|qua|tok|fnd)_[a-z2-7]{20}\b`)
	secretForm  = regexp.MustCompile(`\b(tmp|tmr)_[A-Za-z0-9]{30,}`)
	accessForm  = regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.[\w-]+`)
	cursorForm  = regexp.MustCompile(`("next":"|cursor=)([^"&\s]+)`)
	requestForm = regexp.MustCompile(`"instance":"[a-z2-7]{12}"`)
	keyForm     = regexp.MustCompile(`"finding_key":"[\w-]{43}"`)
	timeForm    = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	nameForm    = regexp.MustCompile(`\b(prj|mem|dev|ent|prp|qua|tok|fnd|tmp|tmr|cursor|epoch)_\d+\b`)
)

// The two times there are: what was, and what will be, such as the end of a
// token.
const (
	past   = "2026-01-02T03:04:05Z"
	future = "2027-01-02T03:04:05Z"
)

// mask names all in s that differs from run to run.
func (m *masks) mask(s string) string {
	s = cursorForm.ReplaceAllStringFunc(s, func(field string) string {
		parts := cursorForm.FindStringSubmatch(field)
		return parts[1] + m.name("cursor", parts[2])
	})
	s = idForm.ReplaceAllStringFunc(s, func(id string) string { return m.name(id[:3], id) })
	s = secretForm.ReplaceAllStringFunc(s, func(secret string) string { return m.name(secret[:3], secret) })
	s = accessForm.ReplaceAllString(s, "access") // two of one second are equal, so a number would depend on the time
	s = strings.ReplaceAll(s, m.epoch, "epoch_1")
	s = keyForm.ReplaceAllString(s, `"finding_key":"key"`)
	s = requestForm.ReplaceAllString(s, `"instance":"request"`)
	return timeForm.ReplaceAllStringFunc(s, func(at string) string {
		if t, err := time.Parse(time.RFC3339, at); err == nil && t.After(m.began.Add(5*time.Minute)) {
			return future
		}
		return past
	})
}

// unmask returns what is sent for s.
func (m *masks) unmask(s string) string {
	s = strings.ReplaceAll(s, past, m.began.Add(-time.Hour).UTC().Format(time.RFC3339))
	return nameForm.ReplaceAllStringFunc(s, func(name string) string {
		if meant, ok := m.meant[name]; ok {
			return meant
		}
		return name
	})
}
