package secrets

import (
	"strings"
	"testing"
)

// kind groups the catalogue by what gives a secret away.
type kind string

// The kinds, each with the share of its texts that must be found.
const (
	prefixed   kind = "prefixed"   // a form of its own: a prefix, a header
	contextual kind = "contextual" // random characters beside a word
	evasive    kind = "evasive"    // either of them, disguised
)

func (k kind) least() float64 {
	return map[kind]float64{prefixed: 0.97, contextual: 0.90, evasive: 0.85}[k]
}

// catalogued is a shape with its kind.
type catalogued struct {
	shape
	kind kind
	// fresh shapes were written down from what providers document before anybody
	// looked whether the rules find them. The others are the 91 of shapes.
	fresh bool
}

// catalogue returns all shapes that the scanner is measured by.
func catalogue() []catalogued {
	var all []catalogued
	for _, s := range shapes() {
		all = append(all, catalogued{s, kindOfShape(s.name), false})
	}
	for _, group := range []struct {
		kind   kind
		shapes []shape
	}{
		{prefixed, hostTokens()},
		{prefixed, cloudTokens()},
		{prefixed, modelTokens()},
		{prefixed, serviceTokens()},
		{prefixed, keyBlocks()},
		{prefixed, listedTokens()},
		{contextual, serviceContexts()},
		{contextual, peopleContexts()},
		{contextual, listedContexts()},
		{evasive, rewrittenTokens()},
		{evasive, brokenTokens()},
		{evasive, encodedTokens()},
	} {
		for _, s := range group.shapes {
			all = append(all, catalogued{s, group.kind, true})
		}
	}
	return all
}

// kindOfShape sorts the 91.
func kindOfShape(name string) kind {
	for _, s := range disguisedShapes() {
		if s.name == name {
			return evasive
		}
	}
	for _, s := range passwordShapes() {
		if s.name == name {
			return contextual
		}
	}
	switch name {
	case "aws secret as env", "aws secret in prose", "azure devops", "cloudflare token", "npmrc", "twilio auth token", "mailgun",
		"datadog api", "datadog app", "api_key in yaml", "curl header", "curl user", "telegram as env", "discord bot":
		return contextual
	}
	return prefixed
}

// wrapping is a place in Markdown where people and agents put what they note.
type markdown struct {
	name string
	wrap func(text string) string
}

// wrappings returns the six places; a text of several lines has its own.
func wrappings(text string) []markdown {
	with := func(name, before, after string) markdown {
		return markdown{name, func(s string) string { return before + s + after }}
	}
	lines := func(name, before, each, after string) markdown {
		return markdown{name, func(s string) string { return before + each + strings.ReplaceAll(s, "\n", "\n"+each) + after }}
	}
	const fence = "```"
	if strings.Contains(text, "\n") {
		return []markdown{
			with("paragraph", "", ""), with("fence", "The file that worked:\n\n"+fence+"\n", "\n"+fence),
			lines("block quote", "", "> ", ""), lines("indented code", "As of May:\n\n", "    ", "\n"),
			lines("list item", "- What the job uses:\n", "  ", ""), with("details", "<details><summary>Job</summary>\n\n", "\n\n</details>"),
		}
	}
	return []markdown{
		with("prose", "Since the move in May the job works like this: ", ", says Kim."), with("inline code", "Run `", "` first."),
		with("fence", fence+"sh\n# as on the build machine\n", "\n"+fence), with("list item", "- **Sign-in**: ", ""),
		with("table cell", "| job | note |\n|---|---|\n| nightly | ", " |"), with("block quote", "> Kim wrote on Monday:\n> ", ""),
	}
}

// tally counts texts by kind.
type tally struct{ found, all map[kind]int }

func newTally() tally { return tally{map[kind]int{}, map[kind]int{}} }

func (c tally) add(k kind, found bool) {
	c.all[k]++
	if found {
		c.found[k]++
	}
}

func (c tally) share(k kind) float64 { return float64(c.found[k]) / float64(max(1, c.all[k])) }

// eachText calls yield for each shape of the catalogue in each of its
// wrappings, with values of their own.
func eachText(round uint64, yield func(c catalogued, wrapping, text string)) {
	for i, c := range catalogue() {
		for j, w := range wrappings(c.text(newGenerator(0))) {
			g := newGenerator(1000*(round+1) + uint64(6*i+j))
			yield(c, w.name, intro+w.wrap(c.text(g))+outro)
		}
	}
}

// TestScan_Catalogue holds the shares that the scanner promises.
func TestScan_Catalogue(t *testing.T) {
	t.Parallel()
	all, fresh := newTally(), newTally()
	missed := map[string][]string{}
	var names []string
	eachText(0, func(c catalogued, wrapping, text string) {
		found := len(scan(t, text)) > 0
		all.add(c.kind, found)
		if c.fresh {
			fresh.add(c.kind, found)
		}
		if !found {
			name := string(c.kind) + ": " + c.name
			if missed[name] == nil {
				names = append(names, name)
			}
			missed[name] = append(missed[name], wrapping)
		}
	})
	for _, name := range names {
		t.Logf("%s: missed in %s", name, strings.Join(missed[name], ", "))
	}
	for _, k := range []kind{prefixed, contextual, evasive} {
		t.Logf("%s: %d of %d texts found, %.1f %%; of the fresh shapes %.1f %%", k, all.found[k], all.all[k], 100*all.share(k), 100*fresh.share(k))
		if all.share(k) < k.least() || fresh.share(k) < k.least() {
			t.Errorf("%s: want at least %.0f %%", k, 100*k.least())
		}
	}
	if n := len(catalogue()); n < 120 {
		t.Errorf("%d shapes, want at least 120", n)
	}
	if n := len(scan(t, intro+outro)); n > 0 {
		t.Errorf("%d findings in the text around the shapes", n)
	}
}
