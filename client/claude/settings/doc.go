// Package settings edits the text of an agent's settings file: it puts hooks
// in, and takes them out again, and leaves every other byte as it is. It opens
// no file.
//
//	after, made, err := settings.Insert(before, items)
//	rest, missing, err := settings.Remove(after, made)
//
// # What is promised
//
//   - A text is only changed if it is JSON as the agent reads it: one object,
//     no comments, no name twice. Anything else is an [ErrText].
//   - What was there stays byte for byte: order, indentation, line ends, a byte
//     order mark, unknown keys. New text follows the layout of its neighbours.
//   - Remove takes out what Insert put in and nothing else, also if the file was
//     edited in between. Containers go only if Insert made them and they are
//     empty by then.
//
// The package may import the standard library and package json.
package settings
