package memory

import "testing"

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		live    int
		before  Deletes
		deletes int
		release int
		free    bool // nothing is guarded
		holds   bool
	}{
		{name: "no delete", live: 4, before: Deletes{All: 90, Own: 90}},
		{name: "few of few", live: 5, deletes: 5},
		{name: "one more", live: 6, deletes: 6, holds: true},
		{name: "a quarter", live: 40, deletes: 10},
		{name: "more than a quarter", live: 40, deletes: 11, holds: true},
		{name: "a trickle", live: 30, before: Deletes{All: 10, Own: 10}, deletes: 1, holds: true},
		{name: "of others", live: 30, before: Deletes{All: 10}, deletes: 10},
		{name: "what others deleted was there", live: 20, before: Deletes{All: 20, Own: 1}, deletes: 9},
		{name: "said yes", live: 40, deletes: 30, release: 30},
		{name: "said yes to some", live: 40, deletes: 30, release: 29, holds: true},
		{name: "said yes after another yes", live: 10, before: Deletes{All: 30, Own: 30}, deletes: 5, release: 5},
		{name: "not guarded", live: 40, deletes: 40, free: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := Batch{Release: Release{Hold: "h", Deletes: tt.release}}
			if !tt.free {
				b.Guarded = start()
			}
			j := Judgement{Stored: []Stored{{Action: ActionPut}, {Action: ActionMove}}}
			for range tt.deletes {
				j.Stored = append(j.Stored, Stored{Action: ActionDelete})
			}
			err := b.Guard(Heads{Live: tt.live, Deleted: tt.before}, j)
			if holds := err != nil; holds != tt.holds || holds && CodeOf(err) != CodeDeleteGuard {
				t.Errorf("got %v, want it held: %t", err, tt.holds)
			}
		})
	}
}
