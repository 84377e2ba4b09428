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

// TextSumOf is [TextSum] of a content whose hash is known: most texts have
// nothing that it leaves out, and then it is the same.
func TextSumOf(content []byte, sum memory.Hash) memory.Hash {
	plain := !bytes.HasPrefix(content, []byte(bom)) && !bytes.Contains(content, []byte("\r\n")) &&
		bytes.HasSuffix(content, []byte("\n")) && !bytes.HasSuffix(content, []byte("\n\n"))
	if plain {
		return sum
	}
	return TextSum(content)
}
