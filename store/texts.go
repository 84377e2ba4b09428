package store

import "github.com/teammem/teammem/memory"

// texts are the contents of a batch in one row. As an array, driver and Postgres
// would each copy them several times, all while the project is locked.
type texts struct {
	row    []byte
	starts []int // of the items in the row, counted from 1
}

// textsOf lays out what a batch brings, also what may not be stored: that is
// not known before the project is locked.
func textsOf(b memory.Batch) texts {
	size := 0
	for _, it := range b.Items {
		size += it.Write.Content.Size()
	}
	t := texts{row: make([]byte, 0, size), starts: make([]int, len(b.Items))}
	for i, it := range b.Items {
		t.starts[i] = len(t.row) + 1
		t.row = append(t.row, it.Write.Content.Text()...)
	}
	return t
}
