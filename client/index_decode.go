package client

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
	msync "github.com/teammem/teammem/sync"
)

// decodeIndex reads what encode wrote, and what older versions wrote.
func decodeIndex(b []byte) (*index, error) {
	start, end := len(indexName)+1, len(b)-crc32.Size
	if end < start || string(b[:len(indexName)]) != indexName {
		return nil, errIndexDamaged
	}
	version := b[len(indexName)]
	if version < versionAuthorless || version > versionNow || checksum(b[:end]) != binary.BigEndian.Uint32(b[end:]) {
		return nil, errIndexDamaged
	}
	d := decoder{s: string(b[start:end]), version: version}
	x := &index{}
	d.header(x)
	d.checkpoints(x)
	d.readAuthors()
	rows := d.count()
	x.Rows = make([]row, 0, min(rows, len(d.s)/minRowBytes)) // what a damaged count promises is not allocated
	for range rows {
		x.Rows = append(x.Rows, d.row())
	}
	d.lists(x)
	if d.bad || d.s != "" {
		return nil, errIndexDamaged
	}
	return x, nil
}

func (d *decoder) header(x *index) {
	x.Instance, x.Project, x.RootID = d.text(), memory.ProjectID(d.text()), d.text()
	x.MarkerInode, x.MarkerCTime = d.number(), d.integer()
	x.Cursor, x.Digest, x.Own = d.cursor(), memory.Digest(d.hash()), memory.Digest(d.hash())
	x.ScanStart = d.integer()
	x.Unattributed = d.authorless() || d.fact()
}

func (d *decoder) checkpoints(x *index) {
	for range d.count() {
		x.Checkpoints = append(x.Checkpoints, checkpoint{d.cursor(), memory.Digest(d.hash())})
	}
}

func (d *decoder) lists(x *index) {
	for range d.count() {
		x.Refusals = append(x.Refusals, d.refusal())
	}
	d.proposals(x)
	d.guards(x)
	if d.version > versionUnscoped {
		x.Scope = scope{Rules: d.text(), Gone: d.fact(), Mode: Mode(d.text())}
	}
}

// decoder reads from the front of s. After the first bad read it only returns
// zero values.
type decoder struct {
	s       string
	bad     bool
	version byte
	authors []string
}

func (d *decoder) authorless() bool { return d.version == versionAuthorless }

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

func (d *decoder) fact() bool { return d.number() != 0 }

func (d *decoder) text() string { return d.take(d.count()) }

func (d *decoder) hash() memory.Hash {
	var h memory.Hash
	copy(h[:], d.take(len(h)))
	return h
}

func (d *decoder) cursor() memory.Cursor { return memory.Cursor{Epoch: d.text(), Seq: d.integer()} }

func (d *decoder) readAuthors() {
	if d.authorless() {
		return
	}
	for range d.count() {
		d.authors = append(d.authors, d.text())
	}
}

func (d *decoder) author() string {
	n := d.number()
	if n >= uint64(len(d.authors)) {
		d.bad, d.s = true, ""
		return ""
	}
	return d.authors[n]
}

func (d *decoder) row() row {
	flags := d.number()
	r := row{Path: memory.StoredPath(d.text())}
	if flags&rowBase != 0 {
		r.Base = base{EntryID: memory.EntryID(d.text()), Rev: d.integer(), Sum: d.hash()}
		r.Base.Text = d.hashOr(flags&rowBaseText != 0, r.Base.Sum)
	}
	if flags&rowRemote != 0 {
		r.Remote = remote{EntryID: memory.EntryID(d.text()), Rev: d.integer(), Sum: d.hash(), Path: r.Path}
		if d.authorless() {
			r.At = d.integer()
		}
		r.Remote.Deleted = flags&rowDeleted != 0
		r.Remote.Imposed, r.Remote.Purged = flags&rowImposed != 0, flags&rowPurged != 0
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
		r.File.Blank = flags&rowBlank != 0
	}
	if d.authorless() {
		return r
	}
	if flags&rowAuthor != 0 {
		r.Author = d.author()
	}
	switch {
	case flags&rowAt != 0:
		r.At = d.integer()
	case flags&rowAtMTime != 0:
		r.At = r.File.MTime
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
	r := refusal{Entry: memory.EntryID(d.text()), Disk: d.text(), Path: memory.StoredPath(d.text())}
	r.Unwritten = !d.authorless() && d.fact()
	r.Sum, r.Action = d.hash(), memory.Action(d.text())
	r.RuleSet, r.Code, r.Layer, r.Message, r.Hint = d.text(), memory.Code(d.text()), d.text(), d.text(), d.text()
	r.Position = d.integer()
	for range d.count() {
		f := sanitize.Finding{Rule: d.text(), Severity: sanitize.Severity(d.text())}
		f.Line, f.Column = int(d.integer()), int(d.integer())
		r.Findings = append(r.Findings, f)
	}
	return r
}

func (d *decoder) proposals(x *index) {
	if d.authorless() {
		return
	}
	for range d.count() {
		p := proposal{ID: memory.ProposalID(d.text()), Action: memory.Action(d.text()), Path: memory.StoredPath(d.text())}
		p.From, p.Entry, p.State = memory.StoredPath(d.text()), memory.EntryID(d.text()), memory.ProposalState(d.text())
		p.By, p.Reason, p.Note = d.text(), memory.Reason(d.text()), d.text()
		p.Sum, p.Text, p.BaseRev, p.At, p.Undone = d.hash(), d.hash(), d.integer(), d.integer(), d.fact()
		x.Proposals = append(x.Proposals, p)
	}
}

func (d *decoder) guards(x *index) {
	if d.version <= versionUnguarded {
		return
	}
	for range d.count() {
		x.Deleted = append(x.Deleted, deleted{At: d.integer(), Base: d.integer(), Sent: d.integer(), Taken: d.integer()})
	}
	for range d.count() {
		x.Held = append(x.Held, msync.HeldOp{Entry: memory.EntryID(d.text()), Kind: msync.Kind(d.text()), Why: msync.Danger(d.text())})
	}
}
