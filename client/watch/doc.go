// Package watch keeps linked trees in sync for as long as it runs: what changes
// in a tree is sent, and what others write comes. It owns when something is
// done; what is done is one cycle of package client, so whatever a watcher
// misses, the next cycle finds.
//
//	w := watch.New(watch.Options{Dirs: dirs, Links: dirs.Links, Connect: …, Syncer: …, Clock: time.Now})
//	err := w.Run(ctx)
//
// # How it hears of changes
//
// One watcher of folders serves all trees. An event only says that a tree is to
// be looked at. Each listing names the folders that there are; those that were
// not watched before it began are watched from then on, and the tree is listed
// once more. Where there are no events, or where they end, the names are looked
// at every few seconds, and [ProjectState] says why. That a tree is watched is
// only said while it is proven: the folder is touched at each regular look, and
// the event has to come.
//
// One stream of events for each server tells where its projects stand. Where it
// cannot pass, questions wait at the server; where not even these, the regular
// pull has to do.
//
// # What is promised
//
//   - Whatever is missed (an event, a hint, an overflow, a suspended computer),
//     all names are looked at once a minute, or every thousandfold of what that
//     takes if it is longer, and every file is read every ten minutes, in a large
//     tree every hour. The server is asked once a minute; while a stream lives, in
//     which it looks itself for what was not told, every five.
//   - A delete is sent when the file has been gone for ten seconds, in two
//     listings. A rename is none.
//   - Only one process watches a tree. Others may sync it meanwhile.
//   - When a login ends, nothing is asked until there is another. In a pause
//     nothing is done.
//
// The package may import the standard library, packages json, fsnotify and
// x/sys, and of teammem client, client/tree and memory.
package watch
