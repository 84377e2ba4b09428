package memory

// Stored is one op that Judge decided to write.
type Stored struct {
	Item     int // index in the batch
	Action   Action
	EntryID  EntryID
	Created  bool // the entry is new
	Rev      int64
	Path     Path
	Previous Path // of a move, and of a put that also moved
	BaseRev  int64
	Before   Hash // of the head that was replaced; zero for a new entry
	Sum      Hash // of the head afterwards; for a delete the last content's
	Digest   Digest
	Write    Write
}

// Judgement is what becomes of a batch.
type Judgement struct {
	Verdicts []Verdict // one per item, in order
	Stored   []Stored  // in the order of their revs, which follow the head without a gap
	Head     Head      // afterwards
	Live     int       // afterwards
}
