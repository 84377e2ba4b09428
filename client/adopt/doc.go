// Package adopt takes notes that other places hold (memory that is committed to
// a repository, another agent's folder, single private files) into a linked
// tree. One import is one act: it is shown before it happens, leaves a receipt,
// and can be undone as one.
//
//	im := adopt.Into(syncer, adopt.Options{MemoryDir: link.MemoryDir, Receipts: …, Scanner: scanner, Clock: time.Now})
//	plan, err := im.Plan(ctx, source, adopt.PlanOptions{})
//	result, err := im.Import(ctx, plan)
//	undo, err := im.PlanUndo(ctx, "")
//	undone, err := im.Undo(ctx, undo)
//
// # What is promised
//
//   - Every file below the source is in the plan, as itself or as part of a
//     folder that is in it, with a verdict and the reason.
//   - The source is only read, through [os.Root], and no link in it is followed.
//   - Bytes are copied as they are. A file is either taken whole or not at all;
//     of a file that agents load as instructions the parts are, put together,
//     the file.
//   - Nothing in team/ is overwritten. An index that is there already only gains
//     lines, at its end.
//   - What is taken passes the same checks as every other text: here, and once
//     more at the server.
//   - Undo removes what an import added and nothing else: a file that was
//     changed since stays. That holds for an import that was cut off, too.
//
// The package may import the standard library, golang.org/x/sys,
// golang.org/x/text, package json, and of teammem client, client/tree, memory,
// sanitize and sync.
package adopt
