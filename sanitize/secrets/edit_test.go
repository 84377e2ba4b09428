package secrets

import (
	"strings"
	"testing"
)

// TestLook_LaterEdit holds that an edit is seen however far it stands from what
// it turns into a secret: what is known of a text answers as if nothing was.
func TestLook_LaterEdit(t *testing.T) {
	t.Parallel()
	g := newGenerator(5)
	rows := strings.Repeat("| nightly | runs on the build machine |\n", 200)
	comments := strings.Repeat("# kept as it was before the move in May\n", 4)
	for name, tt := range map[string]struct{ before, after, text string }{
		"head of a table":      {"note", "password", "| job | % |\n|---|---|\n" + rows + "| nightly | " + g.random("b", 16) + " |\n" + rows},
		"delimiter of a table": {"x-x", "---", "| job | password |\n|---|%|\n" + rows + "| nightly | " + g.random("b", 16) + " |\n" + rows},
		"cell of a table":      {"in the vault", g.random("b", 16), "| job | password |\n|---|---|\n" + rows + "| nightly | % |\n" + rows},
		"beginning of a table": {"", "| job | password |\n|---|---|", "%\n" + rows + "| nightly | " + g.random("b", 16) + " |\n"},
		"kind of a manifest":   {"ConfigMap", "Secret", "```yaml\nkind: %\n" + comments + "data:\n  dsn: " + toBase64(g.random("b", 18)) + "\n```\n"},
		"type of a key":        {"kind", "kty", `{"%":"EC",` + strings.Repeat(" ", 900) + `"d":"` + g.random("u", 43) + `"}`},
		"half of a token":      {"", g.fill("ghp_<b18>") + "\\", "export A=%\n" + g.random("b", 18) + "\n"},
		"what a digest is of":  {"commit", "key", "api_key % = " + g.random("h", 40) + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := func(part string) string {
				return prose(500) + "\n\n" + strings.Replace(tt.text, "%", part, 1) + "\n" + prose(500)
			}
			s := *scanner(t)
			s.known = newVerdicts()
			if found, err := s.look(t.Context(), text(tt.before)); err != nil || len(found) != 0 {
				t.Fatalf("before the edit: %v, %v", found, err)
			}
			found, err := s.look(t.Context(), text(tt.after))
			if err != nil {
				t.Fatal(err)
			}
			if want := scan(t, text(tt.after)); len(found) == 0 || len(want) == 0 {
				t.Errorf("after the edit %d are found, and %d by who knows nothing of the text", len(found), len(want))
			}
		})
	}
}
