// Package sanitize judges what comes from outside: the keys that name entries,
// and the bytes that entries hold. It is the leaf below everything else: it
// imports nothing of this module, opens no file and reads no clock, so server
// and client reach the same verdict on every operating system.
//
// A key is a slash-separated name below team/, such as "testing/db.md".
// [ParseKey] sends it through named layers, in a fixed order, and returns its
// one canonical spelling; the first layer that refuses is the [PathError]. No
// layer repairs anything: composing to Unicode NFC is the only change ever
// made. What is accepted is a fixed point, names a file below the root on
// every system, and means the same file on all of them.
//
// Two keys that some file system would take for one another have the same
// [Skeleton], and [Names] keeps them apart.
//
//	key, err := sanitize.ParseKey(raw)
//	if err != nil {
//		return err // a *PathError: layer, byte, hint
//	}
//	return names.Check(key)
//
// Content is judged by [CheckText], which refuses what is no text, and what
// nobody can see in it. Findings in content are told by rule and position only,
// so that a [Finding] can be logged.
package sanitize
