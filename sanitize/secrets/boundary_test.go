package secrets

import (
	"strings"
	"testing"
)

// prose returns about n bytes of harmless lines.
func prose(n int) string {
	return strings.Repeat("The deploy job runs every night and sends a short report to the team channel.\n", n/78+1)[:n]
}

// TestScan_ChunkBoundaries moves each shape over the place where the first
// chunk ends, by turns within a line that has no end and among short lines. One
// shape begins with the one, the next with the other.
func TestScan_ChunkBoundaries(t *testing.T) {
	t.Parallel()
	const after = chunkContext + 100 // the end of the text is out of sight
	long := strings.Repeat("nightly report ", 800)
	for turn, s := range shapes() {
		secret := s.text(newGenerator(1))
		step := max(1, len(secret)/5)
		for before := -4; before <= len(secret)+4; before += step {
			cut := chunkMost - before
			texts := []string{prose(cut) + "\n" + secret + "\n" + prose(after)}
			if !strings.Contains(secret, "\n") {
				texts = append(texts, long[:cut-1]+" "+secret+" "+long[:after])
			}
			turn++
			for i, text := range texts {
				if !soaking() && i != turn%len(texts) {
					continue
				}
				if len(scan(t, text)) == 0 {
					t.Errorf("%s, %d bytes before the boundary, text %d: not found", s.name, before, i)
				}
			}
		}
	}
}

// TestScan_BothEnds puts shapes at the ends of a long entry: all that span lines,
// and a sample of the others.
func TestScan_BothEnds(t *testing.T) {
	t.Parallel()
	filler := prose(240 << 10)
	for i, s := range shapes() {
		secret := s.text(newGenerator(2))
		if i%5 != 0 && !strings.Contains(secret, "\n") {
			continue
		}
		for name, text := range map[string]string{"start": secret + "\n" + filler, "end": filler + "\n" + secret} {
			if len(scan(t, text)) == 0 {
				t.Errorf("%s at the %s: not found", s.name, name)
			}
		}
	}
}

// TestScan_Alone gives the scanner nothing but the secret.
func TestScan_Alone(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		if len(scan(t, s.text(newGenerator(3)))) == 0 {
			t.Errorf("%s: not found", s.name)
		}
	}
}
