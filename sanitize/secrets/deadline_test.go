package secrets

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// expiring is a context that ends after a number of looks at it, so that a
// scan can be interrupted at each of its steps without a clock.
type expiring struct {
	context.Context
	looks int
}

func expireAfter(ctx context.Context, looks int) *expiring {
	return &expiring{Context: ctx, looks: looks}
}

func (e *expiring) Err() error {
	if e.looks--; e.looks < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestLook_ExpiresAnywhere interrupts a scan at every step: it ends with an
// error, never with a shorter list.
func TestLook_ExpiresAnywhere(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	var text strings.Builder
	for i, s := range shapes() {
		if i%6 == 0 {
			text.WriteString(s.text(g) + "\n" + prose(200) + "\n")
		}
	}
	look := func(ctx context.Context) ([]match, error) {
		s := *scanner(t)
		s.known = newVerdicts() // each time the same steps
		return s.look(ctx, text.String())
	}
	const enough = 1 << 20
	counter := expireAfter(t.Context(), enough)
	full, err := look(counter)
	if err != nil {
		t.Fatal(err)
	}
	steps := enough - counter.looks
	for looks := 0; looks < steps; looks += max(1, steps/40) {
		found, err := look(expireAfter(t.Context(), looks))
		if !errors.Is(err, context.DeadlineExceeded) || found != nil {
			t.Errorf("after %d of %d looks: %d of %d matches, error %v", looks, steps, len(found), len(full), err)
		}
	}
}

func TestScan_Deadline(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(newGenerator(1).fill("secret = <b20>\n"), 100)
	past, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	t.Cleanup(cancel)
	cancelled, cancelNow := context.WithCancel(t.Context())
	cancelNow()
	tests := []struct {
		name      string
		ctx       context.Context
		text      string
		want, not error
	}{
		{"expired", past, text, ErrTimeout, nil},
		{"expired, nothing to find", past, "clean", ErrTimeout, nil},
		{"expired, empty", past, "", ErrTimeout, nil},
		{"cancelled", cancelled, text, context.Canceled, ErrTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found, err := scanner(t).Scan(tt.ctx, tt.text)
			if !errors.Is(err, tt.want) || tt.not != nil && errors.Is(err, tt.not) || found != nil {
				t.Errorf("Scan = %v, %v; want no findings and %v", found, err, tt.want)
			}
		})
	}
}

// TestScan_Slots holds that a scan waits for its turn no longer than its
// context lasts.
func TestScan_Slots(t *testing.T) {
	t.Parallel()
	s := *scanner(t)
	s.slots = newSlots()
	long := prose(shortMost + 1)
	for range cap(s.slots.long) {
		s.slots.long <- struct{}{}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if _, err := s.Scan(ctx, long); !errors.Is(err, ErrTimeout) {
		t.Errorf("Scan without a free slot = %v, want ErrTimeout", err)
	}
	if _, err := s.Scan(t.Context(), "clean"); err != nil {
		t.Errorf("Scan of a short text among long ones = %v", err)
	}
	<-s.slots.long
	if _, err := s.Scan(t.Context(), long); err != nil {
		t.Errorf("Scan with a free slot = %v", err)
	}
	if len(s.slots.long) != cap(s.slots.long)-1 || len(s.slots.short) != 0 {
		t.Error("Scan kept its slot")
	}
}

// TestScan_Hostile scans texts made to be slow; every one must be done, or
// given up, within the deadline. The library alone takes up to 23 s for one.
func TestScan_Hostile(t *testing.T) {
	t.Parallel()
	// A text longer than chunks, pieces and windows are meets every limit; one
	// as long as an entry may be meets them more often.
	size := 64_000
	if soaking() {
		size = 250_000
	}
	g := newGenerator(4)
	s := scanner(t)
	var keywords []string
	for _, m := range []*matcher{s.near, s.far} {
		for _, r := range m.rules {
			keywords = append(keywords, r.keywords...)
		}
	}
	rule := strings.Repeat("-", 5)
	for name, unit := range map[string]string{
		"random line":   g.random("b", 4*size),
		"base64 line":   g.random("B", size),
		"keywords":      strings.Join(keywords, " ") + " ",
		"keywords, run": strings.Join(keywords, ""),
		"assignments":   "secret=",
		"key headers":   rule + "BEGIN RSA PRIVATE KEY" + rule + "\n",
		"urls":          "https://a:${bbbbbb}@c ",
		"tables":        "| password | x |\n|---|---|\n",
		"wide row":      "| password | x |\n|---|---|\n" + strings.Repeat("| abcdefgh ", size/11),
		"curl":          "curl -H ",
		"jwt":           "ey",
		"jwt parts":     "eyJhbGciOiJIUzI1NiJ9.",
		"percent":       "%41",
		"percent lines": "%41 x\n",
		"escapes":       `\u0041`,
		"base64 lines":  toBase64("secret = not one, just words") + "\n",
		"nested base64": toBase64(toBase64(toBase64(strings.Repeat("key = some words ", size/50)))),
		"zero-width":    "a\u200b",
		"fullwidth":     "\uff53\uff45\uff43\uff52\uff45\uff54\uff1d",
		"accents":       "\u0301",
		"line breaks":   "a\n",
		"manifests":     "kind: secret\ndata:\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat(unit, max(1, size/len(unit)))
			if _, err := s.Scan(t.Context(), text); err != nil && !errors.Is(err, ErrTimeout) {
				t.Errorf("Scan = %v", err)
			}
		})
	}
}
