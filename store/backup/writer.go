package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	manifestName = "manifest.json"
	trailerName  = "trailer.json"

	pieceSize = 1 << 20 // a tar member's size stands before it, so rows are held until a piece is full
	window    = 4 << 20 // how far zstd looks back; reading needs as much memory
)

// pieceName is the member that holds the numbered piece of a table.
func pieceName(table string, number int) string {
	return fmt.Sprintf("tables/%s/%06d", table, number)
}

// A Writer writes one file. It is used by one goroutine.
type Writer struct {
	out      *sealer
	zstd     *zstd.Encoder
	tar      *tar.Writer
	manifest Manifest
	rows     map[string]int64
}

// NewWriter begins the file with its manifest.
func NewWriter(out io.Writer, m Manifest) (*Writer, error) {
	m.Format = Format
	w := &Writer{out: &sealer{to: out, sum: sha256.New()}, manifest: m, rows: map[string]int64{}}
	var err error
	// One frame with one goroutine: whoever backs up a live server leaves it the rest of the machine.
	if w.zstd, err = zstd.NewWriter(w.out, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, fmt.Errorf("begin backup: %w", err)
	}
	w.tar = tar.NewWriter(w.zstd)
	return w, w.object(manifestName, m)
}

// Table writes the rows of the next table of the manifest, as COPY gives them.
func (w *Writer) Table(name string, fill func(rows io.Writer) error) error {
	next := len(w.rows)
	if next >= len(w.manifest.Tables) || w.manifest.Tables[next].Name != name {
		return fmt.Errorf("write backup: table %s is not number %d of the manifest", name, next+1)
	}
	p := &pieces{w: w, table: name}
	if err := fill(p); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	w.rows[name] = p.rows
	return nil
}

// Close ends the file with trailer and seal. Without it, no reader takes the
// file for a whole one. It does not close what was written to.
func (w *Writer) Close() error {
	if len(w.rows) != len(w.manifest.Tables) {
		return fmt.Errorf("end backup: %d of %d tables were written", len(w.rows), len(w.manifest.Tables))
	}
	err := w.object(trailerName, Trailer{Rows: w.rows})
	return errors.Join(err, w.tar.Close(), w.zstd.Close(), w.out.seal())
}

func (w *Writer) object(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return w.member(name, append(text, '\n'))
}

func (w *Writer) member(name string, content []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600, ModTime: w.manifest.MadeAt.UTC().Truncate(1e9)}
	err := w.tar.WriteHeader(header)
	if err == nil {
		_, err = w.tar.Write(content)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// pieces cuts a table's rows into members.
type pieces struct {
	w      *Writer
	table  string
	buf    []byte
	number int
	rows   int64
}

func (p *pieces) Write(b []byte) (int, error) {
	// Within a row, COPY's text format writes a line feed as \n.
	p.rows += int64(bytes.Count(b, []byte{'\n'}))
	for rest := b; len(rest) > 0; {
		n := min(len(rest), pieceSize-len(p.buf))
		p.buf, rest = append(p.buf, rest[:n]...), rest[n:]
		if len(p.buf) == pieceSize {
			if err := p.flush(); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

func (p *pieces) flush() error {
	if len(p.buf) == 0 {
		return nil
	}
	p.number++
	err := p.w.member(pieceName(p.table, p.number), p.buf)
	p.buf = p.buf[:0]
	return err
}

// The seal is a frame that zstd's own tools skip: its mark, the length of what
// follows, and the sum.
const (
	sealMark = 0x184D2A5E
	sealSize = 4 + 4 + sha256.Size
)

func sealOf(sum hash.Hash) []byte {
	b := binary.LittleEndian.AppendUint32(nil, sealMark)
	b = binary.LittleEndian.AppendUint32(b, sha256.Size)
	return sum.Sum(b)
}

// sealer sums up what passes.
type sealer struct {
	to  io.Writer
	sum hash.Hash
}

func (s *sealer) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.sum.Write(b[:n])
	return n, err
}

func (s *sealer) seal() error {
	_, err := s.to.Write(sealOf(s.sum))
	return err
}
