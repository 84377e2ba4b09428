package client_test

import (
	"slices"
	"testing"

	"github.com/teammem/teammem/internal/testdisk"
)

// S31, on the disks of which it speaks: where "Foo.md" and "foo.md" are one
// file, a rename that changes case alone is one, in both directions, and what a
// member has under the other spelling is not written over.
func TestScenario_S31_FoldingDisk(t *testing.T) {
	t.Parallel()
	tm, a, b := together(t, map[string]string{"Deploy.md": "one\n", "other.md": "x\n"})
	disk := testdisk.Folding{Root: b.tree()}
	a.rename(t, "Deploy.md", "deploy.md")
	a.sync(t)
	b.guestInSync(t, disk.Judge)
	has(t, b, map[string]string{"deploy.md": "one\n", "other.md": "x\n"})
	if o := b.guestInSync(t, disk.Judge); len(o.Done) > 0 {
		t.Errorf("one more sync did %q", o.Done)
	}

	b.rename(t, "deploy.md", "DEPLOY.md")
	b.guestInSync(t, disk.Judge)
	a.sync(t)
	has(t, a, map[string]string{"DEPLOY.md": "one\n", "other.md": "x\n"})
	tm.equal(t, a, b)

	// Capitals in the extension make it no entry, and delete none.
	b.rename(t, "other.md", "Other.MD")
	a.write(t, "more.md", "more\n")
	a.sync(t)
	for range 2 {
		if o := b.guestInSync(t, disk.Judge); o.Refused["Other.MD"] == "" {
			t.Errorf("refused %q", o.Refused)
		}
	}
	has(t, b, map[string]string{"DEPLOY.md": "one\n", "Other.MD": "x\n", "more.md": "more\n"})
	a.writeAndSync(t, "other.md", "x, by ann\n")
	if b.guestInSync(t, disk.Judge); b.files(t)["Other.MD"] != "x\n" || tm.deletesOf(t) != 0 {
		t.Errorf("the tree has %q, after %d deletes", b.files(t), tm.deletesOf(t))
	}

	b.write(t, "foo.md", "ben's\n")
	a.write(t, "Foo.md", "ann's\n")
	a.sync(t)
	o, _ := b.guest(t, disk.Judge)
	if o.Refused["foo.md"] == "" && o.Refused["Foo.md"] == "" || b.files(t)["foo.md"] != "ben's\n" {
		t.Errorf("refused %q, the tree has %q", o.Refused, b.files(t))
	}
	if got := tm.served(t); got["Foo.md"] != "ann's\n" || got["foo.md"] != "" || tm.deletesOf(t) != 0 {
		t.Errorf("the server has %q, after %d deletes", got, tm.deletesOf(t))
	}
}

// S30, on a disk that stores names decomposed, whatever they were created as:
// what it lists is the entry, and no name is ever sent back in another spelling.
func TestScenario_S30_DecomposingDisk(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "r\u00e9sum\u00e9.md", "re\u0301sume\u0301.md"
	tm, a, b := together(t, nil)
	disk := testdisk.Folding{Root: b.tree(), Decompose: true}
	a.write(t, composed, "one\n")
	a.sync(t)
	b.guestInSync(t, disk.Judge)
	has(t, b, map[string]string{decomposed: "one\n"})
	if o := b.guestInSync(t, disk.Judge); len(o.Done) > 0 {
		t.Errorf("one more sync did %q", o.Done)
	}
	a.write(t, composed, "two\n")
	a.sync(t)
	b.guestInSync(t, disk.Judge)
	has(t, b, map[string]string{decomposed: "two\n"})
	b.write(t, decomposed, "three\n")
	if o := b.guestInSync(t, disk.Judge); !slices.Equal(o.Done, []string{"upload " + composed}) {
		t.Errorf("did %q, want one upload", o.Done)
	}
	a.sync(t)
	has(t, a, map[string]string{composed: "three\n"})
	if got := tm.served(t); len(got) != 1 || got[composed] != "three\n" || tm.deletesOf(t) != 0 {
		t.Errorf("the server has %q, after %d deletes", got, tm.deletesOf(t))
	}
}
