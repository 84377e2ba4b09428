package memory

import "testing"

// Under strict whatever anybody writes waits; everything else publishes, but for
// what asks for a reviewer.
func TestDecide(t *testing.T) {
	t.Parallel()
	writes := map[string]Write{
		"put": put(t, "", "a.md", 0, "x"), "put over": put(t, "ent_a", "a.md", 1, "x"), "index": put(t, "ent_m", "f/MEMORY.md", 1, "x"),
		"move": move(t, "ent_a", "a.md", "b.md", 1), "delete": remove(t, "ent_a", "a.md", 1),
	}
	for preset, want := range map[Preset]Decision{
		PresetOpen: DecidePublish, PresetGuarded: DecidePublish, PresetStrict: DecidePropose, "": DecidePublish,
	} {
		for name, w := range writes {
			if got := Decide(Project{Review: preset}, w); got != want {
				t.Errorf("%s under %q: got %d, want %d", name, preset, got, want)
			}
			if w.Review = true; Decide(Project{Review: preset}, w) != DecidePropose {
				t.Errorf("%s under %q asks for a reviewer and gets none", name, preset)
			}
		}
	}
}
