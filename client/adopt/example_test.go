package adopt_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/adopt"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
)

// alone is a tree without a server; a program passes a *client.Syncer instead.
type alone struct{ memoryDir string }

func (a alone) Edit(_ context.Context, change func(*tree.Tree) error) error {
	keep := func(context.Context, tree.Old) error { return nil }
	t, err := tree.Open(a.memoryDir, tree.Options{Clock: time.Now, Keep: keep, Create: true})
	if err != nil {
		return err
	}
	return errors.Join(change(t), t.Close())
}

func (alone) Sync(context.Context, client.SyncOptions) (*client.Report, error) {
	return &client.Report{Proven: true}, nil
}

func ExampleImporter() {
	ctx := context.Background()
	home, err := os.MkdirTemp("", "adopt")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(home) }()
	notes, memoryDir := filepath.Join(home, "notes"), filepath.Join(home, "memory")
	for name, text := range map[string]string{
		"db.md": "---\ntype: feedback\n---\nUse Postgres.\n", "10:30.md": "standup\n", "todo.txt": "", "AGENTS.md": "## Build\nmake\n",
	} {
		err := errors.Join(os.MkdirAll(notes, 0o700), os.MkdirAll(memoryDir, 0o700), os.WriteFile(filepath.Join(notes, name), []byte(text), 0o600))
		if err != nil {
			panic(err)
		}
	}

	im := adopt.Into(alone{memoryDir}, adopt.Options{
		MemoryDir: memoryDir, Receipts: filepath.Join(home, "imports"), Clock: time.Now,
		Scanner: func() (memory.Scanner, error) { return markScanner{}, nil },
	})
	source, err := adopt.FindSource(notes, "", adopt.Places{Repository: home, Getenv: os.Getenv})
	if err != nil {
		panic(err)
	}
	plan, err := im.Plan(ctx, source, adopt.PlanOptions{})
	if err != nil {
		panic(err)
	}
	for _, i := range plan.Items {
		fmt.Printf("%-8s %s to %q\n", i.Verdict, i.File, cmp.Or(i.Path, i.Suggested))
	}
	done, err := im.Import(ctx, plan)
	if err != nil {
		panic(err)
	}
	undo, err := im.PlanUndo(ctx, done.ID)
	if err != nil {
		panic(err)
	}
	fmt.Println("an undo would act on", undo.Acts(), "files")
	// Output:
	// refused  10:30.md to "10-30.md"
	// split    AGENTS.md to ""
	// new      AGENTS.md to "imported/build.md"
	// new      db.md to "db.md"
	// skipped  todo.txt to ""
	// an undo would act on 2 files
}
