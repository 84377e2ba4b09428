package wire

import (
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/teammem/teammem/memory"
)

// Manifest is the answer to GET …/manifest. Count and digest come last: a
// reader that does not see them has not seen it all.
type Manifest struct {
	Epoch   string          `json:"epoch"`
	Seq     int64           `json:"seq"`
	Purged  []string        `json:"purged,omitzero"` // sha256 of texts that are to be kept nowhere
	Entries []ManifestEntry `json:"entries"`
	Count   *int            `json:"count"`
	Digest  string          `json:"digest"`
}

// ManifestEntry is one live entry.
type ManifestEntry struct {
	EntryID   string    `json:"entry_id"`
	Path      string    `json:"path"`
	Rev       int64     `json:"rev"`
	SHA256    string    `json:"sha256"`
	Size      int       `json:"size"`
	Author    Author    `json:"author"`
	UpdatedAt time.Time `json:"updated_at"`
}

// WriteManifest streams a manifest.
func WriteManifest(w io.Writer, head memory.Head, entries []memory.Entry, purged []memory.Hash) error {
	enc := jsontext.NewEncoder(w)
	s := tokens{enc: enc}
	s.write(jsontext.BeginObject, jsontext.String("epoch"), jsontext.String(head.Epoch), jsontext.String("seq"), jsontext.Int(head.Seq))
	if len(purged) > 0 {
		s.write(jsontext.String("purged"), jsontext.BeginArray)
		for _, sum := range purged {
			s.write(jsontext.String(sum.String()))
		}
		s.write(jsontext.EndArray)
	}
	s.write(jsontext.String("entries"), jsontext.BeginArray)
	for _, e := range entries {
		if s.err != nil {
			break
		}
		s.err = json.MarshalEncode(enc, ManifestEntry{string(e.ID), e.Path.String(), e.Rev, e.Sum.String(), e.Size, newAuthor(e.Author), utc(e.UpdatedAt)})
	}
	s.write(jsontext.EndArray, jsontext.String("count"), jsontext.Int(int64(len(entries))),
		jsontext.String("digest"), jsontext.String(head.Digest.String()), jsontext.EndObject)
	if s.err != nil {
		return fmt.Errorf("write manifest: %w", s.err)
	}
	return nil
}

// tokens keeps the first error of a row of writes.
type tokens struct {
	enc *jsontext.Encoder
	err error
}

func (s *tokens) write(all ...jsontext.Token) {
	for _, t := range all {
		if s.err == nil {
			s.err = s.enc.WriteToken(t)
		}
	}
}

// Domain returns the head and its entries. Entries whose path is not allowed
// here are returned as refusals. The error says that the manifest is cut off
// or does not have the digest that it claims.
func (w Manifest) Domain() (memory.Head, []memory.Entry, []Refusal, error) {
	fail := func(err error) (memory.Head, []memory.Entry, []Refusal, error) { return memory.Head{}, nil, nil, err }
	digest, err := memory.ParseDigest(w.Digest)
	if err != nil || w.Count == nil || *w.Count != len(w.Entries) {
		return fail(malformed("the manifest is incomplete"))
	}
	if err := servedEpoch(w.Epoch); err != nil {
		return fail(err)
	}
	head := memory.Head{Epoch: w.Epoch, Seq: w.Seq, Digest: digest}
	entries := make([]memory.Entry, 0, len(w.Entries))
	var refused []Refusal
	var sum memory.Digest
	for _, e := range w.Entries {
		if e.Rev <= 0 || e.Rev > w.Seq {
			return fail(malformed("revision %d in a manifest of %d", e.Rev, w.Seq))
		}
		if _, err := served[memory.EntryID]("ent_", e.EntryID); err != nil {
			return fail(err)
		}
		entry, err := e.domain()
		if err != nil {
			refused = append(refused, Refusal{memory.EntryID(e.EntryID), e.Rev, e.Path, false, problemOf(err)})
			continue
		}
		sum.Add(entry.Path, entry.Sum)
		entries = append(entries, entry)
	}
	if len(refused) == 0 && sum != digest {
		return fail(malformed("the manifest's entries do not have its digest"))
	}
	return head, entries, refused, nil
}

// maxRemoved is more texts than are ever purged one by one in a project.
const maxRemoved = 200_000

// Removed are the texts of which no copy is to be kept.
func (w Manifest) Removed() ([]memory.Hash, error) {
	if n := len(w.Purged); n > maxRemoved {
		return nil, malformed("%d texts are said to be purged", n)
	}
	return purgedOf(w.Purged)
}

func (w ManifestEntry) domain() (memory.Entry, error) {
	path, err := memory.ParseServedPath(w.Path)
	if err != nil {
		return memory.Entry{}, err
	}
	sum, err := hash("sha256", w.SHA256)
	if err != nil {
		return memory.Entry{}, err
	}
	return memory.Entry{
		ID: memory.EntryID(w.EntryID), Path: path, Rev: w.Rev, Sum: sum, Size: w.Size,
		Author: w.Author.Domain(), UpdatedAt: w.UpdatedAt,
	}, nil
}
