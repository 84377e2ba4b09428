package client

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/teammem/teammem/memory"
)

// Every index file starts with indexName and the version of its format. Older
// versions are still read.
const (
	indexName         = "teammem index"
	versionNow        = '\x05'
	versionUnscoped   = '\x04' // does not say what was left out
	versionUnguarded  = '\x03' // nor what was deleted lately, and what is held
	versionAuthorless = '\x02' // nor who wrote what
)

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
	rowAuthor    // somebody is known to have written it
	rowAt        // at a time of its own
	rowAtMTime   // at the file's time
	rowBlank     // the file is nothing but white space
	rowImposed   // a maintainer took back what was there
	rowPurged    // for good
)

// minRowBytes is about what a row takes; only the first allocation goes by it.
const minRowBytes = 64

// encode writes the index: name and version, the header, the names of authors,
// the rows, the refusals, the proposals, late deletes, what is held, what is left out, and a CRC-32C of it all. Numbers are varints, strings
// have their length before them, hashes are raw; a row names its author by a
// number, because few people write many entries.
func (x *index) encode() []byte {
	e := encoder{b: make([]byte, 0, 512+170*len(x.Rows))}
	e.b = append(e.b, indexName...)
	e.b = append(e.b, versionNow)
	e.header(x)
	e.checkpoints(x.Checkpoints)
	e.authorsOf(x.Rows)
	e.number(uint64(len(x.Rows)))
	for i := range x.Rows {
		e.row(&x.Rows[i])
	}
	e.lists(x)
	return binary.BigEndian.AppendUint32(e.b, checksum(e.b))
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encodeLists writes what an index has beside its rows and its header.
func (x *index) encodeLists() []byte {
	var e encoder
	e.lists(x)
	return e.b
}

type encoder struct {
	b       []byte
	authors map[string]uint64 // their numbers
}

func (e *encoder) number(n uint64)    { e.b = binary.AppendUvarint(e.b, n) }
func (e *encoder) integer(n int64)    { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) hash(h memory.Hash) { e.b = append(e.b, h[:]...) }

func (e *encoder) fact(is bool) {
	if is {
		e.number(1)
		return
	}
	e.number(0)
}

func (e *encoder) text(s string) {
	e.number(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) cursor(c memory.Cursor) {
	e.text(c.Epoch)
	e.integer(c.Seq)
}

func (e *encoder) header(x *index) {
	e.text(x.Instance)
	e.text(string(x.Project))
	e.text(x.RootID)
	e.number(x.MarkerInode)
	e.integer(x.MarkerCTime)
	e.cursor(x.Cursor)
	e.hash(memory.Hash(x.Digest))
	e.hash(memory.Hash(x.Own))
	e.integer(x.ScanStart)
	e.fact(x.Unattributed)
}

func (e *encoder) checkpoints(all []checkpoint) {
	e.number(uint64(len(all)))
	for _, c := range all {
		e.cursor(c.Cursor)
		e.hash(memory.Hash(c.Digest))
	}
}

func (e *encoder) lists(x *index) {
	e.number(uint64(len(x.Refusals)))
	for i := range x.Refusals {
		e.refusal(&x.Refusals[i])
	}
	e.number(uint64(len(x.Proposals)))
	for i := range x.Proposals {
		e.proposal(&x.Proposals[i])
	}
	e.guards(x)
	e.text(x.Scope.Rules)
	e.fact(x.Scope.Gone)
	e.text(string(x.Scope.Mode))
}

// authorsOf writes the authors' names, in the order in which the rows bring
// them.
func (e *encoder) authorsOf(rows []row) {
	var names []string
	e.authors = map[string]uint64{}
	for i := range rows {
		name := rows[i].Author
		if _, known := e.authors[name]; name != "" && !known {
			e.authors[name] = uint64(len(names))
			names = append(names, name)
		}
	}
	e.number(uint64(len(names)))
	for _, name := range names {
		e.text(name)
	}
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
	if flags&rowAuthor != 0 {
		e.number(e.authors[r.Author])
	}
	if flags&rowAt != 0 {
		e.integer(r.At)
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
	set(rowAuthor, r.Author != "")
	set(rowAt, r.At != 0 && r.At != r.File.MTime)
	set(rowAtMTime, r.At != 0 && r.At == r.File.MTime)
	set(rowBlank, r.File.Blank)
	set(rowImposed, r.Remote.Imposed)
	set(rowPurged, r.Remote.Purged)
	return flags
}

func (e *encoder) guards(x *index) {
	e.number(uint64(len(x.Deleted)))
	for _, d := range x.Deleted {
		for _, n := range []int64{d.At, d.Base, d.Sent, d.Taken} {
			e.integer(n)
		}
	}
	e.number(uint64(len(x.Held)))
	for _, h := range x.Held {
		for _, s := range []string{string(h.Entry), string(h.Kind), string(h.Why)} {
			e.text(s)
		}
	}
}

func (e *encoder) refusal(r *refusal) {
	e.text(string(r.Entry))
	e.text(r.Disk)
	e.text(r.Path.String())
	e.fact(r.Unwritten)
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

func (e *encoder) proposal(p *proposal) {
	for _, s := range []string{
		string(p.ID), string(p.Action), p.Path.String(), p.From.String(), string(p.Entry), string(p.State), p.By, string(p.Reason), p.Note,
	} {
		e.text(s)
	}
	e.hash(p.Sum)
	e.hash(p.Text)
	e.integer(p.BaseRev)
	e.integer(p.At)
	e.fact(p.Undone)
}
