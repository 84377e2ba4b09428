// Package memory is the domain of teammem: entries, their revisions, the
// feed, and the one gate through which everything is written.
//
// It owns the words of the program ([Entry], [Revision], [Change], [Path],
// [Clean], [Digest], [Error]), the pure rules ([Judge], [Decide]), and
// [Service], which holds the use cases. It imports only package sanitize: what
// it needs from the outside (a database, a secret scanner, a clock) are the
// small interfaces in ports.go, which package store and sanitize/secrets
// implement.
//
// Two types carry the security of the program. A [Path] can only come from a
// parser that applied every rule for path keys, and a [Clean] only from
// [Screen], which checked size, encoding and secrets. Everything that stores
// or sends takes these types and refuses their zero values.
//
// Start reading at [Service.Push]: it shows how a change travels. Where a
// reviewer has to see it first it becomes a [Proposal], which is in no tree
// until [Service.Approve] sends it through the same gate.
package memory
