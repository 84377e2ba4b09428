package adopt

import (
	"fmt"
	"path"
	"strings"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// splitFolder is where the parts of files that agents load as instructions go.
const splitFolder = "imported"

// list makes items of the names that were found, with the keys they would have.
func (p *planning) list(all []found) {
	parts := map[string]bool{}
	for _, f := range all {
		i := Item{File: f.name, Folder: f.folder, key: path.Join(p.options.To, p.Source.key(f.key))}
		switch {
		case f.reason != "":
			i.skip(f.reason)
		case f.problem != nil:
			i.refuse(f.problem)
		case isInstructions(path.Base(f.key)):
			i.read(f.content)
			p.split(i, f, parts)
			continue
		default:
			i.read(f.content)
			p.leaveOutPeople(&i)
		}
		if p.options.As != "" {
			i.key = p.options.As
		}
		p.Items = append(p.Items, i)
	}
}

// read takes over a text.
func (i *Item) read(content []byte) {
	i.content, i.Size, i.Sum = content, len(content), memory.Sum(content)
	path, _ := memory.ParsePath(i.key) // zero if it is refused: then the text alone speaks
	i.Meta = about(path, content)
}

// leaveOutPeople skips what is about a person.
func (p *planning) leaveOutPeople(i *Item) {
	switch {
	case p.options.IncludeUser:
	case strings.EqualFold(path.Base(i.key), "USER.md"):
		i.skip("about a person (USER.md)")
	case i.Meta.Kind == memory.KindUser:
		i.skip("about a person (kind user)")
	}
}

// isInstructions reports whether a file is one that an agent loads as
// instructions, so that it is only shared in parts and under other names.
func isInstructions(base string) bool {
	return sanitize.IsAgentFile(base) || strings.EqualFold(base, "copilot-instructions.md")
}

// split makes an item of each part. used holds the names of parts so far.
func (p *planning) split(whole Item, f found, used map[string]bool) {
	all := sections(string(f.content))
	whole.Verdict = Split
	whole.Reason = fmt.Sprintf("agents load a file of this name as instructions, so its %d parts are taken by themselves", len(all))
	p.Items = append(p.Items, whole)
	stem := slug(strings.TrimSuffix(path.Base(f.key), path.Ext(f.key))) + "-notes"
	for n, s := range all {
		name := slug(s.title)
		if name == "" {
			name = stem
		}
		key := path.Join(p.options.To, splitFolder, path.Dir(p.Source.key(f.key)), name+extension)
		made := suggest(key, func(m memory.Path) bool { return !used[m.Skeleton()] })
		used[made.Skeleton()] = true
		i := Item{File: f.name, Part: n + 1, key: made.String()}
		i.read([]byte(s.text))
		if s.bare() {
			i.skip("nothing but a title")
		}
		p.Items = append(p.Items, i)
	}
}
