package secrets

import "strings"

// shortestCell is the length of the shortest secret that a label alone gives away.
const shortestCell = 8

// columns writes the head of a table column in front of the column's cells, if
// the head names a secret: in "| user | password |" the label is lines away
// from the value. If the text begins within a table, heads are that table's.
func columns(under *view, heads []string) (view, bool) {
	r := rewriting{under: under}
	before := ""
	for at := 0; at < len(under.text); {
		line, _, _ := strings.Cut(under.text[at:], "\n")
		switch {
		case !isRow(line):
			heads = nil // of the table that the current line belongs to
		case isDelimiter(line):
			if at > 0 { // else the heads are above
				heads = secretHeads(before)
			}
		default:
			for i, c := range cells(line) {
				if i < len(heads) && heads[i] != "" && c.size() >= shortestCell {
					r.replace(span{at + c.start, at + c.start}, heads[i]+" = ")
				}
			}
		}
		before = line
		at += len(line) + 1
	}
	return r.view()
}

// headAbove returns the line with the heads of the table in which offset at lies,
// if that is where a row begins; "" if there is none.
func headAbove(text string, at int) string {
	first, _, _ := strings.Cut(text[at:], "\n")
	if !isRow(first) || at > 0 && text[at-1] != '\n' {
		return ""
	}
	for under := first; at > 0; {
		start := strings.LastIndexByte(text[:at-1], '\n') + 1
		line := text[start : at-1]
		switch {
		case !isRow(line):
			return ""
		case isDelimiter(under):
			return line
		}
		at, under = start, line
	}
	return ""
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
