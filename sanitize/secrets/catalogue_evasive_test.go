package secrets

import (
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

// anyToken is a token of one of the providers whose tokens leak most.
func anyToken(g generator) string {
	templates := []string{
		"ghp_<b36>", "sk_live_<b24>", "glpat-<u20>", "sk-ant-api03-<u93>AA", "xoxb-<d12>-<d13>-<b24>", "npm_<b36>", "AKIA<t16>",
		"github_pat_<b22>_<b59>", "hf_<L34>", "dop_v1_<h64>",
	}
	return g.fill(templates[g.IntN(len(templates))])
}

// hidden makes a shape of what happens to a token.
func hidden(name string, disguise func(g generator, token string) string) shape {
	return shape{name, func(g generator) string { return disguise(g, anyToken(g)) }}
}

// eachRune writes each character of s in its own way.
func eachRune(s string, write func(r rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(write(r))
	}
	return b.String()
}

// insert puts s into the token, at a place behind its prefix or within it.
func insert(g generator, token, s string) string {
	at := 2 + g.IntN(len(token)-4)
	return token[:at] + s + token[at:]
}

// rewrittenTokens write characters differently, or others beside them.
func rewrittenTokens() []shape {
	lookalikes := strings.NewReplacer("a", "а", "c", "с", "e", "е", "o", "о", "p", "р", "x", "х", "A", "А", "K", "К")
	return []shape{
		hidden("soft hyphen", func(g generator, t string) string { return insert(g, t, "\u00ad") }),
		hidden("word joiners", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return string(r) + "\u2060" })
		}),
		hidden("variation selector", func(g generator, t string) string { return insert(g, t, "\ufe0f") }),
		hidden("tag character", func(g generator, t string) string { return insert(g, t, "\U000e0041") }),
		hidden("bidi marks", func(g generator, t string) string { return "\u202d" + insert(g, t, "\u200e") + "\u202c" }),
		hidden("fullwidth", func(_ generator, t string) string { return toFullwidth(t) }),
		hidden("mathematical letters", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string {
				if 'a' <= r && r <= 'z' {
					return string(r - 'a' + '\U0001d5ee')
				}
				return string(r)
			})
		}),
		hidden("cyrillic letters", func(_ generator, t string) string { return lookalikes.Replace(t) }),
		hidden("combining marks", func(g generator, t string) string { return insert(g, t, "\u0335") }),
		hidden("typographic dash", func(_ generator, t string) string { return strings.ReplaceAll(t, "-", "\u2011") }),
		hidden("decimal entities", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return fmt.Sprintf("&#%d;", r) })
		}),
		hidden("one hexadecimal entity", func(_ generator, t string) string { return fmt.Sprintf("&#x%x;", t[0]) + t[1:] }),
		hidden("named entity", func(_ generator, t string) string {
			return strings.NewReplacer("_", "&lowbar;", "-", "&hyphen;").Replace(t)
		}),
		hidden("escaped signs", func(_ generator, t string) string {
			return strings.NewReplacer("_", `\_`, "-", `\-`).Replace(t)
		}),
		hidden("bold part", func(_ generator, t string) string { return t[:4] + "**" + t[4:10] + "**" + t[10:] }),
		hidden("tag inside", func(g generator, t string) string { return insert(g, t, "<wbr>") }),
		hidden("comment inside", func(g generator, t string) string { return insert(g, t, "<!-- x -->") }),
		hidden("marked part", func(_ generator, t string) string { return "<b>" + t[:5] + "</b>" + t[5:] }),
		hidden("code spans", func(_ generator, t string) string { return "`" + t[:5] + "` `" + t[5:] + "`" }),
		hidden("spaced out", func(_ generator, t string) string { return strings.Join(strings.Split(t, ""), " ") }),
		hidden("in groups", func(_ generator, t string) string { return groups(t, 8, " ") }),
	}
}

func groups(s string, size int, between string) string {
	var parts []string
	for ; len(s) > size; s = s[size:] {
		parts = append(parts, s[:size])
	}
	return strings.Join(append(parts, s), between)
}

// brokenTokens are put together by the reader.
func brokenTokens() []shape {
	return []shape{
		hidden("concatenated", func(_ generator, t string) string { return `token = "` + t[:5] + `" + "` + t[5:] + `"` }),
		hidden("concatenated in three", func(_ generator, t string) string { return `'` + t[:4] + `' + '` + t[4:12] + `' + '` + t[12:] + `'` }),
		hidden("concatenated in PHP", func(_ generator, t string) string { return `$t = '` + t[:4] + `' . '` + t[4:] + `';` }),
		hidden("concatenated in shell", func(_ generator, t string) string { return `T="` + t[:7] + `""` + t[7:] + `"` }),
		hidden("juxtaposed", func(_ generator, t string) string { return `TOKEN = ("` + t[:8] + `" "` + t[8:] + `")` }),
		hidden("joined", func(_ generator, t string) string { return `["` + t[:4] + `", "` + t[4:] + `"].join("")` }),
		hidden("go slice", func(_ generator, t string) string {
			return `strings.Join([]string{"` + t[:4] + `", "` + t[4:] + `"}, "")`
		}),
		hidden("concatenated over lines", func(_ generator, t string) string { return "x := \"" + t[:9] + "\" +\n\t\"" + t[9:] + "\"" }),
		hidden("over three lines", func(_ generator, t string) string { return "token: " + t[:7] + "\n  " + t[7:14] + "\n  " + t[14:] }),
		hidden("over lines of a comment", func(_ generator, t string) string { return "# " + t[:9] + "\n# " + t[9:] }),
		hidden("over lines of a diff", func(_ generator, t string) string { return "+token: " + t[:9] + "\n+" + t[9:] }),
		hidden("two cells", func(_ generator, t string) string { return "| a | b |\n|---|---|\n| " + t[:9] + " | " + t[9:] + " |" }),
		hidden("two items", func(_ generator, t string) string { return "1. " + t[:9] + "\n2. " + t[9:] }),
		hidden("said in two", func(_ generator, t string) string { return "The token is `" + t[:9] + "` followed by `" + t[9:] + "`." }),
	}
}

// encodedTokens are in an encoding that tools read back.
func encodedTokens() []shape {
	return []shape{
		hidden("base64 twice", func(_ generator, t string) string { return toBase64(toBase64(t)) }),
		hidden("base64url", func(_ generator, t string) string { return base64.RawURLEncoding.EncodeToString([]byte("token=" + t)) }),
		hidden("base64 in lines", func(_ generator, t string) string {
			return groups(toBase64("the token of the job is "+t+", says Kim"), 32, "\n")
		}),
		hidden("hex in capitals", func(_ generator, t string) string { return strings.ToUpper(toHex(t)) }),
		hidden("hex in pairs", func(_ generator, t string) string { return groups(toHex(t), 2, " ") }),
		hidden("hex with colons", func(_ generator, t string) string { return groups(toHex(t), 2, ":") }),
		hidden("hex of base64", func(_ generator, t string) string { return toHex(toBase64(t)) }),
		hidden("backslash x", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return fmt.Sprintf(`\x%02x`, r) })
		}),
		hidden("octal", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return fmt.Sprintf(`\%03o`, r) })
		}),
		hidden("one JSON escape", func(_ generator, t string) string { return fmt.Sprintf(`"\u%04x%s"`, t[0], t[1:]) }),
		hidden("JSON escapes", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return fmt.Sprintf(`\u%04x`, r) })
		}),
		hidden("percent, all", func(_ generator, t string) string {
			return eachRune(t, func(r rune) string { return fmt.Sprintf("%%%02X", r) })
		}),
		hidden("percent, signs", func(_ generator, t string) string { return strings.NewReplacer("_", "%5F", "-", "%2D").Replace(t) }),
		hidden("percent twice", func(_ generator, t string) string {
			return url.QueryEscape(strings.NewReplacer("_", "%5F", "-", "%2D").Replace(t))
		}),
		hidden("quoted printable", func(_ generator, t string) string { return fmt.Sprintf("=%02X%s", t[0], t[1:10]) + "=\n" + t[10:] }),
		hidden("base32", func(_ generator, t string) string { return base32.StdEncoding.EncodeToString([]byte(t)) }),
		hidden("character codes", func(_ generator, t string) string {
			return "[" + strings.TrimSuffix(eachRune(t, func(r rune) string { return fmt.Sprintf("%d, ", r) }), ", ") + "]"
		}),
		hidden("reversed", func(_ generator, t string) string {
			b := []byte(t)
			for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
				b[i], b[j] = b[j], b[i]
			}
			return string(b)
		}),
		hidden("data uri", func(_ generator, t string) string { return "![x](data:text/plain;base64," + toBase64("token "+t) + ")" }),
		{"key in one line", func(g generator) string { return strings.ReplaceAll(g.pem("RSA PRIVATE KEY", 24), "\n", " ") }},
		{"key with broken rules", func(g generator) string {
			return strings.ReplaceAll(g.pem("RSA PRIVATE KEY", 24), "-----", "\u2013 \u2013 ")
		}},
		{"key in base64", func(g generator) string { return toBase64(g.pem("EC PRIVATE KEY", 3)) }},
	}
}
