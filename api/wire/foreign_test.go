package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/teammem/teammem/memory"
)

// Whatever word of an answer a hostile server writes to a terminal with, the answer
// is refused, or the word is fit to be printed.
func TestDomain_WordsFitToBePrinted(t *testing.T) {
	t.Parallel()
	by := memory.Author{Member: "mem_a", Name: "Ann"}
	agent := memory.Agent{Name: "claude", Version: "1", Session: "s", Model: "m"}
	sum, p := memory.Sum([]byte("x")), path(t, "a.md")
	revision := memory.Revision{
		EntryID: "ent_a", Rev: 2, Action: memory.ActionPut, Path: p, Sum: sum, Author: by, Device: "dev_a", Agent: agent, Note: "n",
		RuleSet: "r", Content: []byte("x"), At: at(),
	}
	entry := memory.Entry{ID: "ent_a", Path: p, Kind: "project", Name: "n", Description: "d", Rev: 2, Sum: sum, Author: by, UpdatedAt: at()}
	proposal := memory.Proposal{
		ID: "prp_a", State: "rejected", Action: memory.ActionPut, Path: p, EntryID: "ent_a", Sum: sum, Kind: "project", Name: "n",
		Description: "d", Author: by, Device: "dev_a", Agent: agent, Note: "n", RuleSet: "r", At: at(), Successor: "prp_b",
		Decision: &memory.ReviewDecision{By: by, At: at(), Reason: memory.ReasonOther, Note: "n"},
	}
	conflict := memory.Conflict{
		ID: "cnf_a", Path: p, EntryID: "ent_a", Sum: sum, Author: by, Device: "dev_a", RuleSet: "r", KeptAt: at(), At: at(),
		Closed: &memory.Resolution{By: by, At: at(), How: memory.HowOurs, EntryID: "ent_a", Proposal: "prp_a"},
	}
	quarantine := memory.Quarantine{
		ID: "qua_a", Suspects: memory.Suspects{Member: "mem_a", Device: "dev_a", Token: "tok_a", Session: "s"}, Reason: "r", By: by, At: at(),
		Entries: []memory.Quarantined{{EntryID: "ent_a", Path: p, Stuck: memory.StuckRefused}},
	}
	feed := memory.FeedPage{Epoch: "e", From: 1, To: 2, Head: 2, Changes: []memory.Change{{
		Seq: 2, EntryID: "ent_a", Action: memory.ActionPut, Path: p, Rev: 2, Sum: sum, Kind: "project", At: at(), Author: by, Device: "dev_a", Agent: agent,
	}}}
	who := memory.Principal{Device: "dev_a", Project: "prj_a", Scopes: []memory.Scope{"sync:read"}}
	tokens := memory.Tokens{Access: "a", Refresh: "r", AccessEnds: at(), Device: "dev_a", Member: memory.Member{ID: "mem_a", Name: "Ann"}, Project: "prj_a", Scopes: who.Scopes}
	device := memory.Device{ID: "dev_a", Name: "laptop", OS: "linux", CreatedAt: at(), RevokedAt: at(), RevokedFor: "logout"}
	project := memory.ProjectView{
		Project: memory.Project{ID: "prj_a", Slug: "a", Review: "open", Remotes: []string{"h/a"}, Head: memory.Head{Epoch: "e"}}, Role: memory.RoleViewer,
	}
	decodes(t, NewRevision(revision), func(w Revision) (any, error) { return w.Domain() })
	decodes(t, NewEntryContent(entry, revision), func(w Entry) (any, error) { return w.Domain() })
	decodes(t, NewProposal(proposal), func(w Proposal) (any, error) {
		p, err := w.Domain()
		if err != nil {
			return nil, err
		}
		return []any{p, *p.Decision}, nil
	})
	decodes(t, NewConflict(conflict), func(w Conflict) (any, error) {
		c, err := w.Domain()
		if err != nil {
			return nil, err
		}
		return []any{c, *c.Closed}, nil
	})
	decodes(t, NewQuarantine(quarantine), func(w Quarantine) (any, error) { return w.Domain() })
	decodes(t, NewFeed(feed), func(w Feed) (any, error) {
		p, _, err := w.Domain() // what is refused is shown quoted
		return p, err
	})
	decodes(t, NewMe(memory.Member{ID: "mem_a", Name: "Ann"}, who), func(w Me) (any, error) {
		m, p, err := w.Domain()
		return []any{m, p}, err
	})
	decodes(t, NewTokens(tokens), func(w Tokens) (any, error) {
		t, err := w.Domain()
		t.Access, t.Refresh = "", "" // which nobody prints
		return t, err
	})
	decodes(t, NewDevice(device, ""), func(w Device) (any, error) { return w.Domain() })
	decodes(t, NewProject(project), func(w Project) (any, error) { return w.Domain() })
}

// decodes reads an answer, and each that differs by one word which writes to the
// terminal.
func decodes[W any](t *testing.T, answer W, domain func(W) (any, error)) {
	t.Helper()
	body, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(evil(t, body), evilLeaf{"", body}) {
		var w W
		err := DecodeAnswer(e.body, &w)
		var got any
		if err == nil {
			got, err = domain(w)
		}
		if e.name == "" && err != nil {
			t.Errorf("%T as it should be: %v", answer, err)
		}
		if err == nil && strings.ContainsAny(fmt.Sprintf("%+v", got), "\x1b\u202e") {
			t.Errorf("%T%s writes to the terminal", answer, e.name)
		}
	}
}

type evilLeaf struct {
	name string
	body []byte
}

// evil are the answers in which one string each turns the terminal red, and the
// rest of the line around.
func evil(t *testing.T, body []byte) (all []evilLeaf) {
	t.Helper()
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		t.Fatal(err)
	}
	var walk func(name string, v any, set func(any))
	walk = func(name string, v any, set func(any)) {
		switch v := v.(type) {
		case string:
			set(v + "\x1b[31m\u202e")
			changed, err := json.Marshal(tree)
			if err != nil {
				t.Fatal(err)
			}
			set(v)
			all = append(all, evilLeaf{name, changed})
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s[%d]", name, i), v[i], func(x any) { v[i] = x })
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(name+"."+key, v[key], func(x any) { v[key] = x })
			}
		}
	}
	walk("", tree, nil)
	return all
}
