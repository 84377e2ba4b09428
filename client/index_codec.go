package client

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// indexMagic starts every index file; its last byte is the format's version.
const indexMagic = "teammem index\x02"

// Flags of a row say which parts follow, and which equal what came before.
const (
	rowBase = 1 << iota
	rowRemote
	rowFile
	rowDeleted   // the remote is a delete
	rowElsewhere // the remote has a path of its own
	rowSpelled   // the name on disk is not the path
	rowBaseText  // the base's text hash is not its sum
	rowFileSum   // the file's sum is not the base's
	rowFileText  // the file's text hash is not its sum
)

// minRowBytes is about what a row takes; only the first allocation goes by it.
const minRowBytes = 64

// encode writes the index: the magic, the header, the rows, the refusals, and
// a CRC-32C of it all. Numbers are varints, strings have their length before
// them, hashes are raw.
func (x *index) encode() []byte {
	e := encoder{b: make([]byte, 0, 512+160*len(x.Rows))}
	e.b = append(e.b, indexMagic...)
	e.text(x.Instance)
	e.text(string(x.Project))
	e.text(x.RootID)
	e.number(x.MarkerInode)
	e.integer(x.MarkerCTime)
	e.cursor(x.Cursor)
	e.hash(memory.Hash(x.Digest))
	e.hash(memory.Hash(x.Own))
	e.integer(x.ScanStart)
	e.number(uint64(len(x.Checkpoints)))
	for _, c := range x.Checkpoints {
		e.cursor(c.Cursor)
		e.hash(memory.Hash(c.Digest))
	}
	e.number(uint64(len(x.Rows)))
	for i := range x.Rows {
		e.row(&x.Rows[i])
	}
	e.number(uint64(len(x.Refusals)))
	for i := range x.Refusals {
		e.refusal(&x.Refusals[i])
	}
	return binary.BigEndian.AppendUint32(e.b, checksum(e.b))
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

type encoder struct{ b []byte }

func (e *encoder) number(n uint64)    { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) integer(n int64)    { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) hash(h memory.Hash) { e.b = append(e.b, h[:]...) }

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) cursor(c memory.Cursor) {
	e.text(c.Epoch)
	e.integer(c.Seq)
}

func (e *encoder) row(r *row) {
	flags := r.flags()
	e.number(flags)
	e.text(r.Path.String())
	if flags&rowBase != 0 {
		e.text(string(r.Base.EntryID))
		e.integer(r.Base.Rev)
		e.hash(r.Base.Sum)
		e.hashIf(flags&rowBaseText != 0, r.Base.Text)
	}
	if flags&rowRemote != 0 {
		e.text(string(r.Remote.EntryID))
		e.integer(r.Remote.Rev)
		e.hash(r.Remote.Sum)
		e.integer(r.Remote.At)
		e.textIf(flags&rowElsewhere != 0, r.Remote.Path.String())
	}
	if flags&rowFile != 0 {
		e.textIf(flags&rowSpelled != 0, r.File.Disk)
		e.integer(r.File.Size)
		e.integer(r.File.MTime)
		e.integer(r.File.CTime)
		e.number(r.File.Inode)
		e.hashIf(flags&rowFileSum != 0, r.File.Sum)
		e.hashIf(flags&rowFileText != 0, r.File.Text)
	}
}

func (e *encoder) hashIf(wanted bool, h memory.Hash) {
	if wanted {
		e.hash(h)
	}
}

func (e *encoder) textIf(wanted bool, s string) {
	if wanted {
		e.text(s)
	}
}

func (r *row) flags() uint64 {
	var flags uint64
	set := func(flag uint64, on bool) {
		if on {
			flags |= flag
		}
	}
	set(rowBase, r.Base.EntryID != "")
	set(rowRemote, r.Remote.EntryID != "")
	set(rowFile, r.File.Disk != "")
	set(rowDeleted, r.Remote.Deleted)
	set(rowElsewhere, r.Remote.Path != r.Path)
	set(rowSpelled, r.File.Disk != r.Path.String())
	set(rowBaseText, r.Base.Text != r.Base.Sum)
	set(rowFileSum, r.File.Sum != r.Base.Sum)
	set(rowFileText, r.File.Text != r.File.Sum)
	return flags
}

func (e *encoder) refusal(r *refusal) {
	e.text(string(r.Entry))
	e.text(r.Disk)
	e.text(r.Path.String())
	e.hash(r.Sum)
	for _, s := range []string{string(r.Action), r.RuleSet, string(r.Code), r.Layer, r.Message, r.Hint} {
		e.text(s)
	}
	e.integer(r.Position)
	e.number(uint64(len(r.Findings)))
	for _, f := range r.Findings {
		e.text(f.Rule)
		e.text(string(f.Severity))
		e.integer(int64(f.Line))
		e.integer(int64(f.Column))
	}
}

// decodeIndex reads what encode wrote.
func decodeIndex(b []byte) (*index, error) {
	end := len(b) - crc32.Size
	if end < len(indexMagic) || string(b[:len(indexMagic)]) != indexMagic {
		return nil, errIndexDamaged
	}
	if checksum(b[:end]) != binary.BigEndian.Uint32(b[end:]) {
		return nil, errIndexDamaged
	}
	d := decoder{s: string(b[len(indexMagic):end])}
	x := &index{
		Instance: d.text(), Project: memory.ProjectID(d.text()), RootID: d.text(), MarkerInode: d.number(), MarkerCTime: d.integer(),
		Cursor: d.cursor(), Digest: memory.Digest(d.hash()), Own: memory.Digest(d.hash()),
		ScanStart: d.integer(),
	}
	for range d.count() {
		x.Checkpoints = append(x.Checkpoints, checkpoint{d.cursor(), memory.Digest(d.hash())})
	}
	rows := d.count()
	x.Rows = make([]row, 0, min(rows, len(d.s)/minRowBytes)) // what a damaged count promises is not allocated
	for range rows {
		x.Rows = append(x.Rows, d.row())
	}
	for range d.count() {
		x.Refusals = append(x.Refusals, d.refusal())
	}
	if d.bad || d.s != "" {
		return nil, errIndexDamaged
	}
	return x, nil
}

// decoder reads from the front of s. After the first bad read it only returns
// zero values.
type decoder struct {
	s   string
	bad bool
}

func (d *decoder) take(n int) string {
	if d.bad || n < 0 || n > len(d.s) {
		d.bad, d.s = true, ""
		return ""
	}
	head := d.s[:n]
	d.s = d.s[n:]
	return head
}

func (d *decoder) number() uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		b := d.take(1)
		if d.bad {
			return 0
		}
		n |= uint64(b[0]&0x7f) << shift
		if b[0] < 0x80 {
			return n
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) integer() int64 {
	n := d.number()
	return int64(n>>1) ^ -int64(n&1) // zigzag
}

// count reads the length of a list, every item of which takes a byte or more.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.s)) {
		d.bad, d.s = true, ""
		return 0
	}
	return int(n) //nolint:gosec // no more than the length of s
}

func (d *decoder) text() string { return d.take(d.count()) }

func (d *decoder) hash() memory.Hash {
	var h memory.Hash
	copy(h[:], d.take(len(h)))
	return h
}

func (d *decoder) cursor() memory.Cursor { return memory.Cursor{Epoch: d.text(), Seq: d.integer()} }

func (d *decoder) row() row {
	flags := d.number()
	r := row{Path: memory.StoredPath(d.text())}
	if flags&rowBase != 0 {
		r.Base = base{EntryID: memory.EntryID(d.text()), Rev: d.integer(), Sum: d.hash()}
		r.Base.Text = d.hashOr(flags&rowBaseText != 0, r.Base.Sum)
	}
	if flags&rowRemote != 0 {
		r.Remote = remote{EntryID: memory.EntryID(d.text()), Rev: d.integer(), Sum: d.hash(), At: d.integer(), Path: r.Path}
		r.Remote.Deleted = flags&rowDeleted != 0
		if flags&rowElsewhere != 0 {
			r.Remote.Path = memory.StoredPath(d.text())
		}
	}
	if flags&rowFile != 0 {
		r.File.Disk = r.Path.String()
		if flags&rowSpelled != 0 {
			r.File.Disk = d.text()
		}
		r.File.Size, r.File.MTime, r.File.CTime, r.File.Inode = d.integer(), d.integer(), d.integer(), d.number()
		r.File.Sum = d.hashOr(flags&rowFileSum != 0, r.Base.Sum)
		r.File.Text = d.hashOr(flags&rowFileText != 0, r.File.Sum)
	}
	return r
}

func (d *decoder) hashOr(stated bool, other memory.Hash) memory.Hash {
	if stated {
		return d.hash()
	}
	return other
}

func (d *decoder) refusal() refusal {
	r := refusal{Entry: memory.EntryID(d.text()), Disk: d.text(), Path: memory.StoredPath(d.text()), Sum: d.hash(), Action: memory.Action(d.text())}
	r.RuleSet, r.Code, r.Layer, r.Message, r.Hint = d.text(), memory.Code(d.text()), d.text(), d.text(), d.text()
	r.Position = d.integer()
	for range d.count() {
		f := sanitize.Finding{Rule: d.text(), Severity: sanitize.Severity(d.text())}
		f.Line, f.Column = int(d.integer()), int(d.integer())
		r.Findings = append(r.Findings, f)
	}
	return r
}
