package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/klauspost/compress/zstd"
)

// maxObject bounds the manifest, which grows with the number of projects.
const maxObject = 64 << 20

// A File is a backup that was read to its end once and found whole. It is used
// by one goroutine.
type File struct {
	in       io.ReadSeeker
	size     int64 // without the seal
	manifest Manifest
	rows     map[string]int64
}

// Open verifies a file. What it refuses is an [ErrFile]; nothing of it can be
// used then.
func Open(in io.ReadSeeker) (*File, error) {
	end, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	f := &File{in: in, size: end - sealSize}
	if err := f.checkSeal(); err != nil {
		return nil, err
	}
	if err := f.Tables(func(Table, io.Reader) error { return nil }); err != nil {
		return nil, err
	}
	return f, nil
}

// Manifest returns what the file says it holds.
func (f *File) Manifest() Manifest { return f.manifest }

// Rows returns how many rows a table has in the file.
func (f *File) Rows(table string) int64 { return f.rows[table] }

// Size returns the file's length.
func (f *File) Size() int64 { return f.size + sealSize }

// Looks reports whether a file begins and ends like a backup: what may be
// replaced by another need not be whole, but must be ours.
func Looks(in io.ReaderAt, size int64) bool {
	begin, end := make([]byte, 4), make([]byte, sealSize-sha256.Size)
	if _, err := in.ReadAt(begin, 0); err != nil || !bytes.Equal(begin, magicOf()) || size < sealSize {
		return false
	}
	_, err := in.ReadAt(end, size-sealSize)
	return err == nil && bytes.Equal(end, sealOf(sha256.New())[:len(end)])
}

// magicOf is how zstd begins.
func magicOf() []byte { return []byte{0x28, 0xB5, 0x2F, 0xFD} }

func (f *File) checkSeal() error {
	if f.size <= 0 {
		return refused("it has %d bytes, too few for any backup", f.size+sealSize)
	}
	if _, err := f.in.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	magic := make([]byte, 4)
	sum := sha256.New()
	if _, err := io.ReadFull(io.TeeReader(f.in, sum), magic); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if !bytes.Equal(magic, magicOf()) {
		return refused("it does not begin like one that teammem admin backup wrote")
	}
	if _, err := io.CopyN(sum, f.in, f.size-int64(len(magic))); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	seal := make([]byte, sealSize)
	if _, err := io.ReadFull(f.in, seal); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if !bytes.Equal(seal, sealOf(sum)) {
		return refused("its end does not match its content, so it was cut short or changed since it was written")
	}
	return nil
}

// Tables calls use with each table in the manifest's order. Rows that use does
// not read are passed over. That the file is as it was is checked again on the
// way, so only its nil error says that all rows were the right ones.
func (f *File) Tables(use func(t Table, rows io.Reader) error) error {
	if _, err := f.in.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	z, err := zstd.NewReader(io.LimitReader(f.in, f.size), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	defer z.Close()
	r := &reader{tar: tar.NewReader(z)}
	if err := r.begin(&f.manifest); err != nil {
		return err
	}
	rows := map[string]int64{}
	for _, t := range f.manifest.Tables {
		if rows[t.Name], err = r.table(t, use); err != nil {
			return err
		}
	}
	return f.end(r, z, rows)
}

// end reads what follows the tables, and that nothing follows that.
func (f *File) end(r *reader, z io.Reader, rows map[string]int64) error {
	var trailer Trailer
	if err := r.object(trailerName, &trailer); err != nil {
		return err
	}
	if !maps.Equal(trailer.Rows, rows) {
		return refused("its trailer counts other rows than it holds")
	}
	f.rows = rows
	if r.header != nil {
		return refused("something follows its trailer")
	}
	// tar stops at its end mark, whatever comes behind.
	switch n, err := io.ReadFull(z, make([]byte, 1)); {
	case n > 0:
		return refused("something follows its end")
	case !errors.Is(err, io.EOF):
		return refused("it cannot be decompressed: %v", err)
	}
	return nil
}

// A reader is at one member of the archive.
type reader struct {
	tar    *tar.Reader
	header *tar.Header // nil behind the last one
}

// begin reads the manifest.
func (r *reader) begin(m *Manifest) error {
	if err := r.next(); err != nil {
		return err
	}
	*m = Manifest{}
	if err := r.object(manifestName, m); err != nil {
		return err
	}
	if m.Format != Format {
		return refused("it has the format %d, and this build of teammem reads format %d", m.Format, Format)
	}
	return nil
}

// next moves to the next member.
func (r *reader) next() error {
	header, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		r.header = nil
		return nil
	}
	if err != nil {
		return refused("it cannot be read as an archive: %v", err)
	}
	r.header = header
	return nil
}

// at reports whether the reader is at the member, which must be a file of at
// most max bytes.
func (r *reader) at(name string, most int64) (bool, error) {
	if r.header == nil || r.header.Name != name {
		return false, nil
	}
	if r.header.Typeflag != tar.TypeReg || r.header.Size > most {
		return false, refused("its member %s is no file of at most %d bytes", name, most)
	}
	return true, nil
}

// object reads the JSON of the member that must be here, and moves on.
func (r *reader) object(name string, v any) error {
	here, err := r.at(name, maxObject)
	if err != nil {
		return err
	}
	if !here {
		return refused("it has %s where %s belongs", r.where(), name)
	}
	decoder := json.NewDecoder(r.tar)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		return refused("its %s cannot be read: %v", name, err)
	}
	return r.next()
}

func (r *reader) where() string {
	if r.header == nil {
		return "nothing"
	}
	return fmt.Sprintf("%.80q", r.header.Name)
}

// table gives use the rows of one table, and returns how many there are.
func (r *reader) table(t Table, use func(Table, io.Reader) error) (int64, error) {
	rows := &rowReader{r: r, table: t.Name, number: 1}
	if err := use(t, rows); err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, rows); err != nil {
		return 0, err
	}
	return rows.rows, nil
}

// rowReader joins the pieces of a table.
type rowReader struct {
	r      *reader
	table  string
	number int // of the piece that the reader is at, if it is one
	rows   int64
}

func (p *rowReader) Read(b []byte) (int, error) {
	for {
		here, err := p.r.at(pieceName(p.table, p.number), pieceSize)
		if err != nil {
			return 0, err
		}
		if !here {
			return 0, io.EOF // whatever comes instead, its reader expects something by name
		}
		n, err := p.r.tar.Read(b)
		p.rows += int64(bytes.Count(b[:n], []byte{'\n'}))
		if err != nil && !errors.Is(err, io.EOF) {
			return n, refused("%s cannot be read: %v", p.r.where(), err)
		}
		if err != nil {
			if err := p.r.next(); err != nil {
				return n, err
			}
			p.number++
		}
		if n > 0 || len(b) == 0 {
			return n, nil
		}
	}
}
