package adopt

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// joinIndexes decides what the indexes gain for which there is one in team/
// already: the list items that lead to an entry which this import brings, or
// which is there, and which the index does not list yet.
func (p *planning) joinIndexes() {
	paths := map[string]memory.Path{}
	for i := range p.Items {
		item := &p.Items[i]
		if item.Part == 0 && (item.Verdict == New || item.Verdict == Same) {
			paths[norm.NFC.String(item.key)] = item.Path
		}
	}
	for i := range p.Items {
		if item := &p.Items[i]; item.Verdict == Merged {
			item.join(p.there.texts[item.Path], paths)
		}
	}
}

// join plans the lines that an index gains. before is the one that is there.
func (i *Item) join(before []byte, paths map[string]memory.Path) {
	i.before = before
	eol := lineEnd(before)
	listed := targets(before, i.Path.Dir())
	taken := map[int]bool{}
	for _, item := range msync.Items(i.content) {
		target := resolve(path.Dir(i.key), item.Target)
		p, brought := paths[target]
		if item.Target == "" || !brought || listed[p.String()] {
			continue
		}
		listed[p.String()] = true
		i.Lines = append(i.Lines, Line{Text: relink(item, i.Path.Dir(), p, eol), Target: p})
		for n := range item.Lines {
			taken[item.Line+n] = true
		}
	}
	i.leave(taken)
	i.lead = leadIn(before, eol)
	after := string(before) + i.lead
	for _, l := range i.Lines {
		after += l.Text
	}
	if len(i.Lines) == 0 || !gains(before, []byte(after), len(i.Lines)) {
		i.Lines, i.lead = nil, ""
		i.leave(nil)
		i.Verdict, i.Reason = Differs, "the index in team/ stays as it is: nothing in this one leads to an entry that it lacks"
		return
	}
	i.content = []byte(after)
	i.Reason = "the index in team/ gains lines at its end"
}

// leave notes the lines that stay behind: those that were not taken and are not
// in the index in the same words.
func (i *Item) leave(taken map[int]bool) {
	there := map[string]bool{}
	for _, line := range lines(string(i.before)) {
		there[plain(line)] = true
	}
	i.NotTaken = nil
	for n, line := range lines(string(i.content)) {
		if !taken[n+1] && plain(line) != "" && !there[plain(line)] {
			i.NotTaken = append(i.NotTaken, n+1)
		}
	}
}

func plain(line string) string { return strings.TrimSpace(strings.TrimPrefix(line, bom)) }

// gains reports whether the items that were added are items in the new text: at
// the end of an open comment, say, they would be none.
func gains(before, after []byte, added int) bool {
	return len(msync.Items(after)) == len(msync.Items(before))+added
}

// targets are the keys that an index in a folder leads to.
func targets(index []byte, dir string) map[string]bool {
	all := map[string]bool{}
	for _, item := range msync.Items(index) {
		if item.Target != "" {
			all[resolve(dir, item.Target)] = true
		}
	}
	return all
}

// resolve returns the key that a link in a folder leads to.
func resolve(dir, target string) string {
	target, _, _ = strings.Cut(target, "#")
	if unescaped, err := url.PathUnescape(target); err == nil {
		target = unescaped
	}
	return norm.NFC.String(path.Join(dir, target))
}

// relink writes an item as it stands in the index of a folder. Its words stay;
// its link does, too, unless the entry has got another name.
func relink(item msync.Item, dir string, to memory.Path, eol string) string {
	all := slices.Clone(item.Lines)
	indent := all[0][:len(all[0])-len(strings.TrimLeft(all[0], " \t"))]
	for n, line := range all {
		all[n] = strings.TrimPrefix(line, indent)
	}
	if resolve(dir, item.Target) != to.String() {
		words, rest, _ := strings.Cut(all[0], "](")
		all[0] = words + "](" + strings.Replace(rest, item.Target, link(dir, to), 1)
	}
	return strings.Join(all, eol) + eol
}

// link is how an index in a folder links to an entry.
func link(dir string, to memory.Path) string {
	target := to.String()
	if dir != "" {
		target = strings.TrimPrefix(target, dir+"/")
	}
	return (&url.URL{Path: target}).EscapedPath()
}

// lineEnd is what most lines of a text end with.
func lineEnd(text []byte) string {
	if 2*strings.Count(string(text), "\r\n") > strings.Count(string(text), "\n") {
		return "\r\n"
	}
	return "\n"
}

// leadIn is what goes before new items at the end of a text, so that they are a
// list: what is missing of the last line, and a blank line behind prose.
func leadIn(text []byte, eol string) string {
	if len(text) == 0 {
		return ""
	}
	lead := ""
	if !strings.HasSuffix(string(text), "\n") {
		lead = eol
	}
	all := lines(strings.TrimSuffix(string(text), "\n"))
	last := len(all) // its number
	inItem := slices.ContainsFunc(msync.Items(text), func(i msync.Item) bool {
		return i.Line <= last && last < i.Line+len(i.Lines)
	})
	if plain(all[last-1]) != "" && !inItem {
		lead += eol
	}
	return lead
}
