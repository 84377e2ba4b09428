package secrets

import "strings"

// columns writes the head of a table column in front of the column's cells, if
// the head names a secret: in "| user | password |" the label is lines away
// from the value.
func columns(under *view) (view, bool) {
	r := rewriting{under: under}
	var heads []string // of the table that the current line belongs to
	before := ""
	for at := 0; at < len(under.text); {
		line, _, _ := strings.Cut(under.text[at:], "\n")
		switch {
		case !isRow(line):
			heads = nil
		case isDelimiter(line):
			heads = secretHeads(before)
		default:
			for i, c := range cells(line) {
				if i < len(heads) && heads[i] != "" && c.size() > 0 {
					r.replace(span{at + c.start, at + c.start}, heads[i]+" = ")
				}
			}
		}
		before = line
		at += len(line) + 1
	}
	return r.view()
}

func isRow(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t>"), "|") }

// isDelimiter recognises the line under the head of a table.
func isDelimiter(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|:- \t\r>") == ""
}

// cells returns where the contents of a row's cells lie, without white space.
func cells(line string) []span {
	var out []span
	at := strings.IndexByte(line, '|') + 1
	for {
		end := len(line)
		if n := strings.IndexByte(line[at:], '|'); n >= 0 {
			end = at + n
		}
		cell := line[at:end]
		start := at + len(cell) - len(strings.TrimLeft(cell, " \t"))
		out = append(out, span{start, start + len(strings.TrimSpace(cell))})
		if end == len(line) {
			return out
		}
		at = end + 1
	}
}

// secretHeads returns, by column, the heads that name a secret.
func secretHeads(line string) []string {
	if !isRow(line) {
		return nil
	}
	var out []string
	for _, c := range cells(line) {
		head := strings.ToLower(line[c.start:c.end])
		label := ""
		for _, word := range []string{"password", "passwd", "passphrase", "passwort", "secret", "token", "api key", "credential"} {
			if strings.Contains(head, word) {
				label = word
			}
		}
		out = append(out, label)
	}
	return out
}
