package memory

// leave is a move to another name, which may be part of a put.
type leave struct {
	item int
	head *EntryHead
	to   string // path key
}

// clear frees the names of all entries that the batch moves elsewhere, and
// returns the items that do so. Moves that are stuck, or are seen to be, keep
// their name.
func (c *court) clear(stuck []bool) map[int]bool {
	leaving := map[int]bool{}
	for _, l := range c.hopeful(stuck) {
		leaving[l.item] = true
		c.leavers[l.head.Path] = l.head.ID
	}
	for _, id := range c.leavers {
		c.vacate(c.entries[id])
	}
	return leaving
}

// hopeful returns the moves whose new name is free, or is given up by another
// op of the batch.
func (c *court) hopeful(stuck []bool) []leave {
	var moves []leave
	going := map[EntryID]int{} // ops that give up the entry's name
	for i, it := range c.batch.Items {
		if !it.passed() || it.waits() || stuck[i] {
			continue
		}
		head := c.find(it.Write)
		if head == nil || head.DeletedRev > 0 || !based(it.Write, head) {
			continue
		}
		switch {
		case it.Write.Action == ActionDelete:
			going[head.ID]++
		case it.Write.Path != head.Path:
			going[head.ID]++
			moves = append(moves, leave{i, head, it.Write.Path.Skeleton()})
		}
	}
	for {
		var next []leave
		for _, m := range moves {
			if holder, held := c.named[m.to]; held && going[holder] == 0 {
				going[m.head.ID]-- // its own name stays taken, too
				continue
			}
			next = append(next, m)
		}
		if len(next) == len(moves) {
			return moves
		}
		moves = next
	}
}
