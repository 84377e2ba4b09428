// Package sync decides what has to happen so that a member's tree and the
// server agree. It is pure: no file, no network, no clock, no goroutine. The
// client's engine observes, asks [Plan], carries out the ops one by one, and
// observes again; nothing is ever remembered but observations, so an
// interruption at any point is harmless.
//
// # The plan
//
// "=" equals base, "Δ" differs from it, "–" is absent.
//
//	row  base  local               remote    op
//	 1   has   =                   =         none
//	 2   has   =                   Δ         Download
//	 3   has   Δ                   =         Upload
//	 4   has   Δ                   Δ, same   Adopt
//	 5   has   Δ                   Δ         Merge, or Conflict where the policy does not merge;
//	                                         Download if the server had the text since
//	 6   has   gone                =         DeleteRemote
//	 7   has   =                   gone      DeleteLocal
//	 8   has   gone                gone      Forget
//	 9   has   gone                Δ         Download, notice
//	10   has   Δ                   gone      Create under the same identity, notice
//	11   –     new                 –         Create
//	12   –     –                   new       Download
//	13   –     new                 new       Adopt, Download, Merge, Rename or Conflict
//	14   has   gone, text is at a  = or Δ    MoveRemote; remote gone: Forget and Create;
//	           new path                      declined by a reviewer: MoveLocal, back
//	15   has   = or Δ              moved     MoveLocal; the new name is taken: Report
//	16   has   only line ends Δ    any       counts as "="; Report
//	17   any   waiting or refused  =         Report
//	18   any   blocked             any       Report
//
// A name that the server gave to one entry while the file of another, or a new
// one, stays at it here (blocked, say) is reported: a person has to make room.
//
// # What is promised
//
//   - The same input gives the same plan, whatever the order of its parts.
//   - An entry has at most one op in a plan, and but for Forget no two ops
//     write one path, except that moves may follow each other. Where an entry
//     needs more than one step (a rename and then a text), the next plan has
//     the next step.
//   - Every op carries what it was planned from: Local is what has to be on
//     disk, Remote what has to be on the server. Whoever carries it out
//     compares first and drops the op if that no longer holds.
//   - A blocked path is never written, moved or deleted. DeleteLocal and
//     DeleteRemote are only ever planned for an entry with a base whose other
//     side still is that base.
//
// # What the index records after an op
//
//	Download, Upload, Adopt,   base = the server's id, path (not op.Path: a rename
//	Create, Merge, Conflict    may wait for review), rev and sum, with the text
//	                           hash of the content; the remote row goes
//	MoveLocal                  base.Path = op.Path; the remote row stays, and the
//	                           base before is it where there is none: a file goes
//	                           home by way of a free name if need be
//	MoveRemote                 base.Path = op.Path; remote = the new rev with
//	                           op.Remote.Sum; equal sums: base.Rev = that rev too
//	DeleteLocal, DeleteRemote, base and remote rows go
//	Forget
//	Rename, Report             nothing
//
// # Guarding
//
// [Guard.Check] takes out of a plan what looks like an accident: more deletes
// than max(5, a quarter of the base) in an hour, in either direction; the deletes
// that empty a folder here; uploads when every entry changed; and a text in whose
// place is nothing but white space. In their place are reports. What is held
// stays held until a person releases it by its number or it is undone.
//
// # Merging
//
// [MergeEntry] merges frontmatter key by key and the body line by line, or
// leaves a conflict. [MergeIndex] merges MEMORY.md, and always can.
//
//	for _, op := range msync.Plan(msync.Input{Base: rows, Local: files, Remote: heads}) {
//		switch op.Kind {
//		case msync.Download:
//			…
//		}
//	}
//
// The package shares its name with the standard one and stays free of
// anything that would need it; importers call it msync.
package sync
