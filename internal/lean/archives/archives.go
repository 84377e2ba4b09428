// Package archives stands in for the library of that name. The secret scanner's
// library links it for looking into archives, which teammem never gives it, and
// the packages of its dozen compressions would be initialised at every start of
// the program.
package archives

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// Format is what a file would be.
type Format any

// Extractor would walk the files of an archive.
type Extractor interface {
	Extract(ctx context.Context, archive io.Reader, handle FileHandler) error
}

// Decompressor would read a compressed file.
type Decompressor interface {
	OpenReader(r io.Reader) (io.ReadCloser, error)
}

// FileHandler would be called for each file of an archive.
type FileHandler func(ctx context.Context, info FileInfo) error

// FileInfo would be a file of an archive.
type FileInfo struct {
	fs.FileInfo
	NameInArchive string
	Open          func() (fs.File, error)
}

// Zip and SevenZip are the formats that the scanner's library asks for by name.
type (
	Zip      struct{ Extractor }
	SevenZip struct{ Extractor }
)

// Identify knows no format, so that every text is scanned as it is.
func Identify(context.Context, string, io.Reader) (Format, io.Reader, error) {
	return nil, nil, errors.ErrUnsupported
}
