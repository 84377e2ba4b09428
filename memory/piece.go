package memory

import (
	"context"
	"strings"

	"github.com/teammem/teammem/sanitize"
)

// piece is one of the ways in which words are read that others see: a secret can
// stand in any of them.
type piece struct {
	words string
	line  int // of the text where the words come from; 0: they are all of it
}

// pieces are a text, and what it says of itself where that stands otherwise in the
// text: escapes of YAML, folded lines and marks of Markdown are gone from it.
func pieces(text string, h head, f Frontmatter) []piece {
	all := []piece{{words: text}}
	for _, said := range []struct{ key, words string }{{"name", f.Name}, {"description", f.Description}, {"type", f.Type}} {
		if said.words != "" && !strings.Contains(text, said.words) {
			all = append(all, piece{said.words, max(1, h.line(said.key))})
		}
	}
	return all
}

// namePieces are a path, or a pattern of paths. Rules for text expect a token to end
// in a blank or a quote, so each name is also looked at by itself.
func namePieces(path string) []piece {
	return []piece{{words: path}, {words: strings.ReplaceAll(strings.TrimSuffix(path, ".md"), "/", "\n")}}
}

// findIn returns what is found in the first piece that is not clean.
func findIn(ctx context.Context, scanner Scanner, all []piece) ([]sanitize.Finding, error) {
	for _, p := range all {
		found, err := scanner.Scan(ctx, p.words)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		for i := range found {
			if p.line > 0 {
				found[i].Line, found[i].Column = p.line, 1
			}
		}
		return found, nil
	}
	return nil, nil
}
