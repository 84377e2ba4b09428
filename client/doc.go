// Package client mirrors a member's team/ folder with a project of a server. It
// owns what the client keeps outside of the tree: logins, links, the index, the
// trash and the conflict store; the tree itself is package tree's, and what has
// to be done is package sync's to decide.
//
// # A cycle
//
// [Syncer.Sync] takes the tree's lock and then observes both sides, plans,
// carries the plan out, and observes again what has moved, until a plan has
// nothing to do. What is remembered, in one index file, are observations and
// never work, so that a run may be cut off at any point: the next one sees what
// became of it.
//
//	dirs, err := client.UserDirs(os.Getenv)
//	link, err := dirs.LinkOf(folder)
//	login, err := dirs.Login(link.Server)
//	server, err := dirs.Connect(login, client.ServerOptions{Instance: link.Instance, Clock: time.Now})
//	report, err := client.NewSyncer(dirs, link, server, client.SyncerOptions{Clock: time.Now, …}).Sync(ctx, client.SyncOptions{})
//
// # Where things are
//
//   - A run: sync.go starts it, cycle.go goes through it, observe.go, scan.go,
//     pull.go and review.go look at both sides, plan.go asks package sync, and
//     guard.go takes out what looks like an accident, which holds.go describes.
//     narrow.go and ahead.go are the shorter ways of a run in which little happened,
//     and watched.go is what a watcher knows better.
//   - Carrying out: carry.go changes the tree, with stage.go and texts.go for what
//     is written, and keep.go, keep_ahead.go for what is replaced. upload.go makes
//     offers, push.go sends them, settle.go takes in the verdicts, merge.go merges,
//     and proposals.go does what waits for a reviewer.
//   - What is known: state.go is the tree and the server as the index has them,
//     track.go what of it moves, names.go who has which name; index.go,
//     index_codec.go, index_decode.go and index_journal.go keep it, and resident.go
//     hands it to the next run of the same process.
//   - Notes for the run after one that was cut off (notes.go): sent.go, received.go
//     and deleted.go; renamed.go tells what they cannot.
//   - What is not shared: refusals.go and scope.go; allowed.go, exceptions.go and
//     leaks.go for secrets, and device_report.go tells the server.
//   - Kept texts: vault.go, for trash.go and conflicts.go (conflicts_mirror.go tells
//     the server, conflicts_resolve.go ends one); wipe.go removes what was purged.
//   - Calls: server.go and call.go, a file for each kind of call (history.go,
//     findings.go, quarantine.go, events.go), connect.go and transport.go for what
//     goes wrong on the way; login.go, session.go and exchange.go for tokens.
//   - Places: dirs.go, links.go and link.go, credentials.go, lock.go, watch_lock.go,
//     pause.go; file.go replaces a file.
//   - Without a run: known.go, status.go, diff.go, hints.go, treenames.go, doctor.go;
//     edit.go lends the tree to others.
//
// # What is promised
//
//   - A text that only the member has is never thrown away. What is replaced or
//     removed in the tree goes to the trash if the server has it or if it was
//     merged, and else to the conflict store, whatever was planned.
//   - Unknown is not absent. Nothing is deleted on the server because a file
//     could not be seen, because the index is new, or because the tree was put
//     back from a backup; and nothing in the tree because the server's list is
//     shorter than the index, but for what is moved to the trash.
//   - A text leaves this machine only after the same checks that the server
//     makes, and what a server sends is written only below team/, under a name
//     that those checks allow, and only if it has the announced hash.
//   - [Report.Proven] means that the server's digest is that of the index, and
//     that every file is as the index has it, but for what the report lists.
//     What is not shared is listed in every run, and is news in the first.
//   - What waits for a reviewer stays in the tree as the member left it, is not
//     sent again, and is listed. So is a text that a reviewer said no to, until
//     it changes; a delete or rename is undone instead. What the member takes
//     back is withdrawn.
//   - What looks like an accident (see msync.Guard) waits for a person, in
//     [Report.Held]: nothing of it is carried out, and all else is.
//   - One bad entry stops nothing but itself.
//
// # A login
//
// [Dirs.LogIn] exchanges an API token for tokens of this computer, and
// [Dirs.Connect] makes calls with them. All processes of a member share them:
// an access token is used until shortly before its end, by the server's clock,
// or until the server refuses it; then one process renews it, under a lock, and
// the others take what it got. An answer that was lost is asked for again by
// the same nonce, so it ends no login. Only the server's own "no" does.
//
// [Dirs.Known] tells what the last runs found out, without any of that: no lock,
// no server, no look at the tree.
//
// The package may import the standard library, golang.org/x/text, packages
// json, flock and compress, and of teammem api/wire, memory, sanitize, sync and
// client/tree.
package client
