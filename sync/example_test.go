package sync_test

import (
	"fmt"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

func ExamplePlan() {
	db, queue := memory.StoredPath("testing/db.md"), memory.StoredPath("queue.md")
	old, edited := []byte("Use one database per test.\n"), []byte("Use one schema per test.\n")

	plan := msync.Plan(msync.Input{
		Base: []msync.Base{
			{EntryID: "ent_db", Path: db, Rev: 7, Sum: memory.Sum(old), Text: msync.TextSum(old)},
		},
		Local: map[memory.Path]msync.Local{
			db: {Path: db, Sum: memory.Sum(edited), Text: msync.TextSum(edited)},
		},
		Remote: []msync.Remote{
			{EntryID: "ent_queue", Path: queue, Rev: 9, Sum: memory.Sum([]byte("…"))},
		},
	})
	for _, op := range plan {
		fmt.Println(op.Kind, op.Path, "against rev", op.Remote.Rev)
	}
	// Output:
	// download queue.md against rev 9
	// upload testing/db.md against rev 7
}
