package memory_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

func ExampleParsePath() {
	p, err := memory.ParsePath("testing/db.md")
	fmt.Println(p, p.Dir(), p.Stem(), err)

	_, err = memory.ParsePath("../outside.md")
	if e, ok := errors.AsType[*memory.Error](err); ok {
		fmt.Println(e.Code, e.Layer, e.Position)
	}
	// Output:
	// testing/db.md testing db <nil>
	// path_rejected traversal 0
}

// Two trees have one digest if and only if they hold the same entries; a
// change costs the same in a tree of any size.
func ExampleDigest() {
	db, _ := memory.ParsePath("testing/db.md")
	before, after := memory.Sum([]byte("use sqlite\n")), memory.Sum([]byte("use postgres\n"))

	var server, client memory.Digest
	server.Add(db, after)

	client.Add(db, before)
	fmt.Println(client == server)
	client.Remove(db, before)
	client.Add(db, after)
	fmt.Println(client == server)
	// Output:
	// false
	// true
}

// noSecrets stands for the scanner of package sanitize/secrets.
type noSecrets struct{}

func (noSecrets) Scan(context.Context, string) ([]sanitize.Finding, error) { return nil, nil }
func (noSecrets) RuleSet() string                                          { return "none" }

// A store asks Judge what becomes of a batch while it holds the project's
// lock. Here two members had seen change 7 when they edited the same entry.
func ExampleJudge() {
	path, _ := memory.ParsePath("testing/db.md")
	heads := memory.Heads{
		Head: memory.Head{Epoch: "e1", Seq: 7}, Live: 1,
		Entries: []memory.EntryHead{{ID: "ent_db", Path: path, Rev: 7, Sum: memory.Sum([]byte("use sqlite\n"))}},
	}
	edit := func(text string) memory.Item {
		content, err := memory.Screen(context.Background(), noSecrets{}, path, []byte(text))
		if err != nil {
			return memory.Item{}
		}
		return memory.Item{Write: memory.Write{Action: memory.ActionPut, EntryID: "ent_db", Path: path, BaseRev: 7, Content: content}}
	}
	j := memory.Judge(memory.Batch{Items: []memory.Item{edit("use postgres\n"), edit("use mysql\n")}}, heads)
	for _, v := range j.Verdicts {
		fmt.Println(v.Ruling, v.Rev)
	}
	fmt.Println(j.Verdicts[1].Current.Rev)
	// Output:
	// published 8
	// conflict 0
	// 8
}
