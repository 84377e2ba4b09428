// Package hook answers the events of a coding agent: it tells a session what
// the team's memory holds, looks at what is about to be written below team/,
// and hands over what was written.
//
//	h := hook.New(hook.Options{Dirs: dirs, Start: start, …})
//	h.Run(ctx, "SessionStart", os.Stdin, os.Stdout)
//
// # What is promised
//
//   - It never gets in the way. An event that cannot be read, concerns no linked
//     folder, or takes too long has no answer, and the agent goes on. The guard
//     is a courtesy: the engine and the server check everything again.
//   - It never fails unseen. What went wrong is noted, and the member is told
//     when the next session starts (see [Failures]), unless it is the disk of
//     the notes that hangs.
//   - A call that concerns nobody's team/ costs a look at the links and at the
//     folders on the way to the file.
//   - What it says are facts with the name of who they are from: no orders, no
//     tags, and never a value that looks like a secret.
//   - Prompts, answers and transcripts are neither kept nor sent.
//
// The package may import the standard library, package json, client and what is
// below it, memory, and sync for the names of ops. It runs no git, and builds a
// secret scanner only for a text that would go below team/.
package hook
