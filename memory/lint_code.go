package memory

import "strings"

// codeStructure finds claims about the code that a look into it answers better:
// places as file:line, which the next edit moves, and signatures.
func codeStructure(t textLine) string {
	if claim := lineClaim(t.text); claim != "" {
		return "line numbers such as " + Inert(claim, longestSummary) + " move with the next edit, and the repository shows them: name the symbol, or say what cannot be seen there"
	}
	if isSignature(t.text) {
		return "the repository shows its signatures: say what cannot be seen there"
	}
	return ""
}

// lineClaim returns the first file:line of a line of text, or "".
func lineClaim(text string) string {
	for at := 0; ; {
		colon := strings.IndexByte(text[at:], ':')
		if colon < 0 {
			return ""
		}
		colon += at
		at = colon + 1
		digits := len(text[at:]) - len(strings.TrimLeft(text[at:], "0123456789"))
		if digits == 0 || digits > 6 {
			continue
		}
		file := text[strings.LastIndexFunc(text[:colon], func(r rune) bool { return !isFileRune(r) })+1 : colon]
		if dot := strings.LastIndexByte(file, '.'); dot > 0 && isSource(file[dot+1:]) {
			return file + text[colon:at+digits]
		}
	}
}

func isFileRune(r rune) bool {
	return isWordASCII(r) || r == '.' || r == '/' || r == '-' || r == '\\'
}

func isWordASCII(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

// isSource knows the extensions of files whose lines move.
func isSource(extension string) bool {
	switch strings.ToLower(extension) {
	case "go", "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "vue", "svelte", "rs", "java", "kt", "kts", "scala", "swift",
		"rb", "php", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm", "cs", "fs", "sh", "bash", "zsh", "ps1", "lua", "ex", "exs",
		"erl", "hs", "clj", "dart", "zig", "sql", "proto", "tf", "yml", "yaml", "toml", "json", "html", "css", "scss", "md":
		return true
	}
	return false
}

// isSignature reports whether a line declares a function, as code does.
func isSignature(text string) bool {
	text = strings.TrimLeft(text, " \t-*`")
	for _, word := range []string{"pub ", "export ", "public ", "private ", "static ", "async "} {
		text = strings.TrimPrefix(text, word)
	}
	for _, word := range []string{"func ", "def ", "fn ", "function "} {
		rest, ok := strings.CutPrefix(text, word)
		if !ok {
			continue
		}
		if strings.HasPrefix(rest, "(") { // the receiver of a method
			_, rest, _ = strings.Cut(rest, ") ")
		}
		name := strings.IndexFunc(rest, func(r rune) bool { return !isWordASCII(r) })
		return name > 0 && rest[name] == '(' && strings.Contains(rest[name:], ")")
	}
	return false
}

// gitHistory finds commits by their ids: git log tells what happened.
func gitHistory(t textLine) string {
	if t.part != partProse {
		return ""
	}
	words := strings.FieldsFunc(strings.ToLower(t.text), func(r rune) bool { return !isWordASCII(r) })
	for i, word := range words {
		near := i > 0 && (strings.HasPrefix(words[i-1], "commit") || words[i-1] == "sha" || words[i-1] == "pushed" || words[i-1] == "merged")
		if near && isCommit(word) {
			return "git tells what was committed: keep what it does not tell, such as why"
		}
	}
	return ""
}

// isCommit reports whether a word is the id of a commit.
func isCommit(word string) bool {
	if len(word) < 7 || len(word) > 40 || strings.Trim(word, "0123456789abcdef") != "" {
		return false
	}
	return strings.ContainsAny(word, "0123456789")
}
