// Package store keeps everything in Postgres: it implements the ports of
// package memory with hand-written SQL, one file per noun.
//
// [Migrate] brings a database to this program's schema as the role that owns
// it. [Open] then serves as another role, which owns nothing and can only add
// to history, feed and audit. Exported methods own their transaction;
// unexported ones take it as an argument.
//
// [Backup], [Restore] and [Examine] are for whoever runs the server: they work
// as the owner, on a whole database.
//
// What always holds, and [Store.Check], [Store.VerifyAudit] and [Examine]
// recompute:
//
//   - The project's row is the only lock a push takes, and the first; its seq
//     counts the feed, so the feed has no gap and its order is the commit order.
//   - The project's digest and number of live entries are those of its entries.
//   - Every audit row hashes the one before it.
//   - A proposal ends once, and is published in the transaction of its revision.
//   - A refresh token is used up once, whoever else offers it at the same time.
//   - A restore is whole or was never there, and beside it there is no server.
//   - No error that leaves the package quotes a value of a row.
//
// It imports memory, migrations and store/backup:
//
//	if err := store.Migrate(ctx, url); err != nil { … }
//	s, err := store.Open(ctx, url, store.Options{Log: log})
//	if err != nil { … }
//	defer s.Close()
//	service := memory.NewService(s, scanner, hub, time.Now, memory.Limits{})
package store
