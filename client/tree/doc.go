// Package tree is the only code that touches a member's team/ folder. It lists,
// reads and writes the entries below it, and promises three things: nothing is
// read or written outside team/, no byte that somebody wrote there is lost, and
// a path always holds a whole text, the old or the new one.
//
// Everything goes through [os.Root], one folder at a time, and symbolic links
// are never followed inside the tree. It may import the standard library,
// golang.org/x/sys, golang.org/x/text, and the packages memory and sanitize; it
// knows no server, no index and no plan.
//
// # Use
//
// A cycle lists the tree, reads what changed, and writes in one batch:
//
//	t, err := tree.Open(memoryDir, tree.Options{Clock: time.Now, Keep: keep})
//	l, err := t.List(ctx)
//	content, stamp, err := t.Read(ctx, l.Files[0].Disk, tree.Stamp{})
//	b := t.Begin()
//	b.Put(path, l.Spell(path), content, mtime, expect)
//	results, err := b.Commit(ctx)
//
// # Unknown is not absent
//
// A path that is missing in [Listing.Files] is only known to be absent if
// [Listing.Covers] says so. What cannot be listed, read or written safely is a
// [Blocked], as part of the listing or as the error of one operation.
//
// # Writing
//
// Each operation of a [Batch] states what it expects to replace. The text is
// compared once more right before the change, and whatever was at the name is
// moved aside under a name of our own (".old") by the same system call that
// puts the new file there, where the system has one. Only after the callback
// [Options.Keep] took the old text is the old file let go, and never while
// another program has it open for writing. What a crash leaves behind is
// listed in [Listing.Leftovers] and cleared by [Tree.Sweep].
package tree
