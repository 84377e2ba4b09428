package watch

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
)

func TestAgenda_Next(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return start.Add(d) }
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		do   func(*agenda)
		at   time.Duration
		want job
		then time.Duration // when something is due, if nothing is
	}{
		"quiet":           {func(*agenda) {}, 0, nothing, time.Minute},
		"first event":     {func(a *agenda) { a.edit(start, 0) }, 0, run, 0},
		"in place":        {func(a *agenda) { a.edit(start, 20*ms) }, 0, nothing, 20 * ms},
		"save in place":   {func(a *agenda) { a.edit(start, 20*ms); a.edit(start, 0) }, 0, run, 0},
		"writing goes on": {func(a *agenda) { a.edit(start, 20*ms); a.edit(after(10*ms), 20*ms) }, 20 * ms, run, 0},
		"burst": {func(a *agenda) {
			a.edit(start, 0)
			a.begin(start, run)
			a.edit(after(10*ms), 0)
		}, 10 * ms, nothing, 250 * ms},
		"after a burst": {func(a *agenda) {
			a.edit(start, 0)
			a.begin(start, run)
			a.edit(after(300*ms), 0)
		}, 300 * ms, run, 0},
		"hint":            {func(a *agenda) { a.heard = true }, 0, run, 0},
		"hint in burst":   {func(a *agenda) { a.edit(start, 0); a.begin(start, run); a.heard = true }, ms, run, 0},
		"regular look":    {func(*agenda) {}, time.Minute, run, 0},
		"one for both":    {func(a *agenda) { a.pull = after(50 * time.Second) }, 50 * time.Second, run, 0},
		"large tree":      {func(a *agenda) { a.end(start, run, 200*ms, false) }, time.Minute, ask, 0},
		"larger, look":    {func(a *agenda) { a.end(start, run, 200*ms, false); a.pull = after(time.Hour) }, 200 * time.Second, run, 0},
		"told":            {func(a *agenda) { a.told = true; a.asked(start); a.rescan = after(time.Hour) }, time.Minute, nothing, 5 * time.Minute},
		"told, make sure": {func(a *agenda) { a.told = true; a.asked(start); a.rescan = after(time.Hour) }, 5 * time.Minute, ask, 0},
		"told no more": {func(a *agenda) {
			a.told = true
			a.asked(start)
			a.untold(after(45 * time.Second))
		}, 45 * time.Second, nothing, time.Minute},
		"read all": {func(a *agenda) { a.end(start, run, 0, false); a.rescan = after(time.Hour) }, 10 * time.Minute, verify, 0},
		"read all, large": {func(a *agenda) {
			a.begin(start, verify)
			a.end(after(time.Second), verify, 0, false)
			a.rescan, a.pull = after(2*time.Hour), after(2*time.Hour)
		}, 10 * time.Minute, nothing, 2001 * time.Second},
		"read all, slowly": {func(a *agenda) {
			a.begin(start, verify)
			a.end(after(time.Minute), verify, 0, false)
			a.rescan, a.pull = after(2*time.Hour), after(2*time.Hour)
		}, 10 * time.Minute, nothing, 61 * time.Minute},
		"settle":         {func(a *agenda) { a.settleAt(after(10 * time.Second)); a.settleAt(after(12 * time.Second)) }, 10 * time.Second, run, 0},
		"failed":         {func(a *agenda) { a.end(start, run, 0, true) }, 0, nothing, 750 * ms},
		"failed, edited": {func(a *agenda) { a.end(start, run, 0, true); a.edit(start, 0) }, 0, run, 0},
		"failed, hint":   {func(a *agenda) { a.end(start, run, 0, true); a.heard, a.patient = true, true }, 0, nothing, 750 * ms},
		"again, hint":    {func(a *agenda) { a.end(start, run, 0, true); a.heard, a.patient = true, true }, 750 * ms, run, 0},
		"a file failed":  {func(a *agenda) { a.end(start, run, 0, true); a.heard = true }, 0, run, 0},
		"failed often":   {func(a *agenda) { a.fails = 70; a.end(start, run, 0, true); a.pull = after(time.Hour) }, 0, nothing, 45 * time.Second},
		"polling":        {func(a *agenda) { a.polling = true; a.looked(start, 0) }, 2 * time.Second, look, 0},
		"polling slowly": {func(a *agenda) { a.polling = true; a.looked(start, 5*ms) }, 2 * time.Second, nothing, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := agenda{
				pace: usualPace(), spread: func() float64 { return 0.5 }, rescan: after(time.Minute), pull: after(time.Minute), verify: after(10 * time.Minute),
			}
			c.do(&a)
			got, at := a.next(after(c.at))
			if got != c.want || got == nothing && !at.Equal(after(c.then)) {
				t.Errorf("got %d at %s, want %d at %s", got, at.Sub(start), c.want, c.then)
			}
		})
	}
}

// F36: where no events come, a change is seen within a minute, and an hour in
// which nothing happens takes next to nothing of a core.
func TestField_F36_Idle(t *testing.T) {
	t.Parallel()
	const most = 2500 * time.Microsecond // of a core, a second
	for name, took := range map[string]time.Duration{"small": 200 * time.Microsecond, "usual": 5 * time.Millisecond, "large": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
			a := agenda{pace: usualPace(), spread: func() float64 { return 0.5 }, polling: true}
			a.rescan, a.pull, a.verify = start, start.Add(a.pace.pull), start.Add(a.pace.verify[0])
			cost, looked := time.Duration(0), start
			for now := start; now.Before(start.Add(time.Hour)); {
				j, at := a.next(now)
				switch j {
				case nothing:
					now = at
					continue
				case ask:
					a.asked(now)
					continue
				case look:
					a.looked(now, took)
				case run, verify:
					a.begin(now, j)
					a.asked(now)
					a.end(now, j, took, false)
				}
				if now.Sub(looked) > time.Minute {
					t.Fatalf("nobody looked from %s to %s", looked.Sub(start), now.Sub(start))
				}
				cost, looked = cost+took, now
				if j == verify {
					cost += 10 * took // every file is read
				}
			}
			if per := cost / 3600; per > most {
				t.Errorf("it takes %s a second, want at most %s", per, most)
			}
		})
	}
}

// However often a tree is looked at while a stream tells where the server is, and
// whatever else the server is told, it is asked every five minutes.
func TestProject_Questions(t *testing.T) {
	t.Parallel()
	unreadable := client.Refused{File: "a.md", Problem: &memory.Error{Code: "unreadable"}}
	for name, r := range map[string]client.Report{
		"plain":                      {},
		"requests of other kind":     {Requests: 1},
		"a file that cannot be read": {Refused: []client.Refused{unreadable}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
			now, at := start, memory.Cursor{Epoch: "e", Seq: 7}
			w := New(Options{Clock: func() time.Time { return now }})
			w.spread = func() float64 { return 0.5 }
			p := newProject(w, client.Link{}, nil)
			p.hear(at)
			questions := 0
			for now.Before(start.Add(time.Hour)) {
				j, next := p.agenda.next(now)
				switch j {
				case nothing:
					now = next
				case ask:
					questions++
					p.agenda.asked(now)
				case run, verify:
					got := r
					got.Cursor, got.Asked = at, p.agenda.heard || !p.stands(at)
					if got.Asked {
						questions++
					}
					p.agenda.begin(now, j)
					p.concluded(j, &got, nil)
				case look:
					t.Fatal("a look at names where events come")
				}
			}
			if questions < 11 || questions > 14 {
				t.Errorf("asked %d times in an hour", questions)
			}
		})
	}
}

func TestBackoff_Bounds(t *testing.T) {
	t.Parallel()
	limits := usualPace().retry
	for fails := range 100 {
		for _, spread := range []float64{0, 0.5, 1} {
			if d := backoff(limits, fails, spread); d < limits[0]/2 || d > limits[1] {
				t.Errorf("after %d failures: %s", fails, d)
			}
		}
	}
}

func TestSlept_Clocks(t *testing.T) {
	t.Parallel()
	now := time.Now()
	if d := slept(now, now.Add(time.Minute)); d != 0 {
		t.Errorf("awake: got %s", d)
	}
	// Without its monotonic part a time differs by the wall clock alone.
	if d := slept(now.Add(-time.Second), now.Add(time.Hour).Round(0)); d != 0 {
		t.Errorf("no clock stood still: got %s", d)
	}
}

func TestConcerns_Names(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		op   fsnotify.Op
		want bool
	}{
		{"a.md", fsnotify.Write, true},
		{"a.md", fsnotify.Remove, true},
		{"gone", fsnotify.Create, true}, // a folder, for all we know
		{"4913", fsnotify.Remove, false},
		{"notes.txt", fsnotify.Write, false},
		{".a.md.swp", fsnotify.Create, false},
		{"a.md~", fsnotify.Write, false},
		{".teammem-0123456789abcdef.tmp", fsnotify.Create, false},
		{".teammemignore", fsnotify.Write, true},
	} {
		if got := concerns(fsnotify.Event{Name: filepath.Join(dir, c.name), Op: c.op}, c.name); got != c.want {
			t.Errorf("%s of %s: got %t", c.op, c.name, got)
		}
	}
}
