// Package wire holds the types of the protocol: what requests and answers look
// like in JSON, and nothing else.
//
// It is the only place with JSON tags. Conversions between wire and domain are
// methods here: requests and answers have a Domain method that parses every
// string into its typed value, and functions such as [NewFeed] go the other
// way. It imports only package memory and is used by api on one side and
// client on the other.
//
// Invariants:
//   - [Decode] is how a request is read. It refuses what two readers could
//     understand differently: bad UTF-8, lone surrogates, duplicate names,
//     names in another case, unknown names, null and trailing data. Its errors
//     never quote the body.
//   - [DecodeAnswer] is how an answer is read. It differs only in skipping
//     unknown names, so that a newer server can say more.
//   - A zero [memory.Path] or [memory.Clean] is refused where a request is
//     built, since anybody can write memory.Clean{}.
//   - Contents travel as JSON strings and arrive byte for byte; where an
//     answer is converted, each content is compared with its sha256.
//   - One table says which code has which status: [Status], and its inverse
//     [CodeOf].
//
// A server reads and answers like this:
//
//	var req wire.Push
//	err := wire.Decode(body, &req)
//	push, err := req.Domain(memory.Sum(body))
//	receipt, err := service.Push(ctx, who, project, push)
//	answer, err := wire.Encode(wire.NewReceipt(receipt))
package wire
