package sync

import (
	"bytes"

	"github.com/teammem/teammem/memory"
)

const bom = "\ufeff"

// TextSum hashes a text without what editors change on their own: a byte order
// mark, CRLF line ends, and how many newlines end it. Two files with the same
// TextSum say the same.
func TextSum(content []byte) memory.Hash {
	text := bytes.ReplaceAll(bytes.TrimPrefix(content, []byte(bom)), []byte("\r\n"), []byte("\n"))
	text = bytes.TrimRight(text, "\n")
	return memory.Sum(append(text[:len(text):len(text)], '\n'))
}
