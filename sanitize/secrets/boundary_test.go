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

// TestScan_DisguisedBeyondChunk puts what is new of a token's plain form behind
// the chunk that its prefix lies in.
func TestScan_DisguisedBeyondChunk(t *testing.T) {
	t.Parallel()
	token := newGenerator(1).fill("sk-ant-api03-<u93>AA")
	for at := chunkLeast - 100; at < chunkLeast+20; at += 5 {
		text := prose(at) + "\n\n" + token[:100] + "\u200b" + token[100:] + "\n" + prose(8000)
		if len(scan(t, text)) == 0 {
			t.Errorf("a token at %d was not found", at)
		}
	}
	line := strings.Repeat("x ", chunkMost/2-10) + token[:100] + "\u200b" + token[100:] + strings.Repeat(" x", 4000)
	if len(scan(t, line)) == 0 {
		t.Error("a token over the cut of a long line was not found")
	}
}

// TestScan_Again holds that a text whose other parts are known is read as well
// as a new one: each shape comes into a text that was clean before.
func TestScan_Again(t *testing.T) {
	t.Parallel()
	s := *scanner(t)
	before, after := prose(6000), prose(5000)
	for i, c := range catalogue() {
		if i%4 != 0 && !soaking() {
			continue
		}
		secret := c.text(newGenerator(uint64(i)))
		fresh := len(scan(t, before+"\n"+secret+"\n"+after)) > 0
		s.known = newVerdicts()
		for _, text := range []string{before + "\n" + after, before + "\nx\n" + after} {
			if found, err := s.look(t.Context(), text); err != nil || len(found) > 0 {
				t.Fatalf("%d findings, %v; want none", len(found), err)
			}
		}
		found, err := s.look(t.Context(), before+"\n"+secret+"\n"+after)
		if again := len(found) > 0; err != nil || again != fresh {
			t.Errorf("%s: found = %t, %v; in a new text %t", c.name, again, err, fresh)
		}
	}
}
