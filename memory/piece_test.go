package memory

import (
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize/secrets"
)

// Teammates and their agents read name and description as YAML says them: no
// escape, fold or mark of Markdown in the file makes another text of a secret.
func TestScreen_WordsAsTheyAreRead(t *testing.T) {
	t.Parallel()
	scanner, err := secrets.New()
	must(t, err)
	const after = "hp" + "_" + "R9vK2mQ8xZ4nT7bL5w" + "Y1cJ6hG3fD0sAqWeRt" // of "g"
	for name, text := range map[string]string{
		"long escape": "---\ntype: project\ndescription: \"use \\U00000067" + after + "\"\n---\nbody\n",
		"name":        "---\nname: \"\\U00000067" + after + "\"\n---\nbody\n",
		"middle":      "---\ndescription: \"g" + strings.ReplaceAll(after, "4", `\U00000034`) + "\"\n---\n",
		"short marks": "---\ndescription: \"g" + strings.ReplaceAll(after, "c", `\x63\
  `) + "\"\n---\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := path1(t, "a.md")
			if f := ReadFrontmatter(p, text); !strings.Contains(f.Description+f.Name, "g"+after) {
				t.Fatalf("nobody reads it: %+v", f)
			}
			_, err := Screen(t.Context(), scanner, p, []byte(text))
			e := problemOf(t, err, CodeSecretFound)
			if e.Field != "content" || len(e.Findings) == 0 || e.Findings[0].Line < 2 {
				t.Errorf("got %+v", e)
			}
		})
	}
}
