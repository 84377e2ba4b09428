package memory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A page names as many purged texts as it may, and those of its first purge.
func TestCutPurged(t *testing.T) {
	t.Parallel()
	text := func(seq int64, b byte) PurgedText { return PurgedText{Seq: seq, Sum: Hash{b}} }
	texts := []PurgedText{text(3, 9), text(3, 8), text(5, 1), text(5, 9), text(8, 2)}
	for name, c := range map[string]struct {
		texts []PurgedText
		most  int
		want  []Hash
		end   int64
	}{
		"none":                {nil, 2, nil, 20},
		"any number":          {texts, 0, []Hash{{1}, {2}, {8}, {9}}, 20},
		"all fit":             {texts, 5, []Hash{{1}, {2}, {8}, {9}}, 20},
		"the last does not":   {texts, 4, []Hash{{1}, {8}, {9}}, 7},
		"half of a purge":     {texts, 3, []Hash{{8}, {9}}, 4},
		"one purge too many":  {texts, 1, []Hash{{8}, {9}}, 4},
		"one purge, and that": {texts[:2], 1, []Hash{{8}, {9}}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sums, end := CutPurged(c.texts, 20, c.most)
			if diff := cmp.Diff(c.want, sums); diff != "" || end != c.end {
				t.Errorf("ends at %d, want %d (-want +got):\n%s", end, c.end, diff)
			}
		})
	}
}
