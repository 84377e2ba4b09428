package foreign

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// admissible reads rendered Markdown as a browser would and reports whether it
// holds only listed elements with listed attributes, each closed where it was
// opened. The renderers write nothing else; this is a second wall, for the day
// on which one of them is wrong. A text that does not pass is shown as source.
func admissible(page string) bool {
	z := html.NewTokenizer(strings.NewReader(page))
	var open []string
	for {
		switch z.Next() {
		case html.ErrorToken:
			return errors.Is(z.Err(), io.EOF) && len(open) == 0
		case html.TextToken:
		case html.StartTagToken:
			token := z.Token()
			if !admissibleTag(token) {
				return false
			}
			if token.Data != "br" && token.Data != "hr" {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return false
			}
			open = open[:len(open)-1]
		default: // a comment, a doctype, a tag that closes itself
			return false
		}
	}
}

// admissibleTag holds the list of elements and their attributes.
func admissibleTag(t html.Token) bool {
	switch t.Data {
	case "p", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "pre", "code", "em", "strong", "del", "br", "hr",
		"table", "thead", "tbody", "tr":
		return len(t.Attr) == 0
	case "li":
		return only(t, "value")
	case "th", "td":
		return only(t, "align", "scope", "class")
	case "span", "div":
		return only(t, "class", "title")
	case "a":
		return only(t, "href", "rel") && len(t.Attr) == 2
	}
	return false
}

func only(t html.Token, names ...string) bool {
	for _, a := range t.Attr {
		if a.Namespace != "" || !slices.Contains(names, a.Key) || !admissibleValue(a.Key, a.Val) {
			return false
		}
	}
	return true
}

func admissibleValue(key, value string) bool {
	switch key {
	case "href":
		return slices.ContainsFunc([]string{"https://", "http://", "mailto:", "/go?"}, func(prefix string) bool {
			return strings.HasPrefix(value, prefix) && len(value) > len(prefix)
		})
	case "rel":
		return value == rel
	case "class":
		return value == "chip" || strings.HasPrefix(value, "md-")
	case "title": // the class of an invisible code point
		return strings.Trim(value, "abcdefghijklmnopqrstuvwxyzUTF- 8") == ""
	case "align":
		return value == "left" || value == "right" || value == "center"
	case "scope":
		return value == "col"
	case "value":
		_, err := strconv.ParseInt(value, 10, 32)
		return err == nil
	}
	return false
}
