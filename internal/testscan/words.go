package testscan

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// Words finds words that begin with "soft-" or "hard-", by a rule that is called
// word, and tells values apart by what follows. Its columns count words. It is a
// memory.KeyedScanner.
type Words struct{}

// RuleSet names the rules.
func (Words) RuleSet() string { return "soft-1" }

// Scan finds words, without fingerprints.
func (s Words) Scan(ctx context.Context, text string) ([]sanitize.Finding, error) {
	return s.ScanKeyed(ctx, text, nil)
}

// ScanKeyed finds words with their fingerprints.
func (Words) ScanKeyed(ctx context.Context, text string, key []byte) (found []sanitize.Finding, _ error) {
	for n, word := range strings.Fields(text) {
		kind, value, ok := strings.Cut(word, "-")
		if !ok || kind != "soft" && kind != "hard" {
			continue
		}
		f := sanitize.Finding{Rule: "word", Severity: sanitize.Severity(kind), Line: 1, Column: n + 1}
		if key != nil {
			f.Fingerprint = Print(key, value)
		}
		found = append(found, f)
	}
	return found, ctx.Err()
}

// Mask puts a mask in the place of each such word.
func (s Words) Mask(ctx context.Context, text string) (string, error) {
	for _, word := range strings.Fields(text) {
		if found, _ := s.Scan(ctx, word); found != nil {
			text = strings.Replace(text, word, "****", 1)
		}
	}
	return text, ctx.Err()
}

// Print is the fingerprint of a value.
func Print(key []byte, value string) sanitize.Fingerprint {
	return sha256.Sum256([]byte(string(key) + value))
}
