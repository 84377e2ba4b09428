package watch

import "time"

// pace says how often things are done.
type pace struct {
	burst   time.Duration    // between runs for changes in the tree, after the first
	inPlace time.Duration    // from an event to the run, where somebody may still be writing
	pull    time.Duration    // between questions to the server, more or less
	check   time.Duration    // the same, while a stream tells what they would
	rescan  time.Duration    // between looks at the whole tree, at least
	verify  [2]time.Duration // between readings of every file: at least, at most
	settle  time.Duration    // that a file has to be gone
	proof   time.Duration    // that an event may take
	retry   [2]time.Duration
	poll    [2]time.Duration
	watch   time.Duration // between looks at what is beside the trees
	stream  time.Duration // until a stream is tried again where none passes
	refused time.Duration // until a login is tried again that was refused
}

// usualPace has a watcher of a quiet tree hear and say less than 20 bytes of IP
// a second. A sign of life in its stream, with the acknowledgement, is 112 bytes
// every 15 s: 7.5/s. A question with its answer is about 1,100, which once a
// minute would be 18/s, and is 3.7/s every five; another 4/s are its connection,
// which is opened, kept alive for a minute and a half, and closed.
//
// Nothing is heard of later for that. At each sign of life the server looks where
// the projects stand, whatever became of its hints. A stream that is silent for
// 45 s has ended; what was lost with it is told at the beginning of the next, and
// where there is none the questions come within the minute.
func usualPace() pace {
	return pace{
		burst: 250 * time.Millisecond, inPlace: 20 * time.Millisecond, pull: time.Minute, check: 5 * time.Minute,
		rescan: time.Minute, verify: [2]time.Duration{10 * time.Minute, time.Hour},
		settle: 10 * time.Second, proof: 5 * time.Second, retry: [2]time.Duration{time.Second, time.Minute},
		poll: [2]time.Duration{2 * time.Second, time.Minute}, watch: 10 * time.Second, stream: 10 * time.Minute,
		refused: 10 * time.Minute,
	}
}

// share is how much longer than a look at the tree the time between two has to
// be: a thousandth of one core is what they may cost. Readings of every file,
// which find what no stamp tells, get half of that.
const (
	share       = 1000
	verifyShare = 2000
)

// job is what is to be done for a project.
type job int

const (
	nothing job = iota
	look        // at the names in the tree
	ask         // the server whether there is news
	run         // a cycle
	verify      // a cycle in which every file is read
)

// agenda says when what is to be done for one project. It has no clock.
type agenda struct {
	pace   pace
	spread func() float64 // from 0 to 1: keeps clients from asking all at once

	edited time.Time // when to look at what happened in the tree; zero: nothing did
	heard  bool      // the server has news
	settle time.Time // when what may be half of something has settled; zero: nothing may
	retry  time.Time // after a failure; zero: there was none
	rescan time.Time
	pull   time.Time
	verify time.Time
	poll   time.Time // zero: events come

	told    bool // by a stream, where the server is
	polling bool
	fails   int
	patient bool      // news wait until retry, too
	ran     time.Time // when the last run for the tree's sake began
	began   time.Time // when the newest job did
}

// edit notes that something happened in the tree. The first time after a quiet
// while it is looked at soon, then at most once a burst.
func (a *agenda) edit(now time.Time, delay time.Duration) {
	at := now.Add(delay)
	if next := a.ran.Add(a.pace.burst); next.After(at) {
		at = next
	}
	if a.edited.IsZero() || at.Before(a.edited) {
		a.edited = at
	}
}

// all asks for a look at everything.
func (a *agenda) all(now time.Time) { a.rescan, a.heard = now, true }

// next returns what is due, or else when something is going to be.
func (a *agenda) next(now time.Time) (job, time.Time) {
	due := func(t time.Time) bool { return !t.IsZero() && !t.After(now) }
	switch {
	case !a.verify.After(now):
		return verify, now
	case a.heard && !(a.patient && a.retry.After(now)), due(a.edited), due(a.settle), due(a.retry), !a.rescan.After(now):
		return run, now
	case !a.pull.After(now) && a.rescan.Sub(now) < a.pace.rescan/3: // one cycle does for both
		return run, now
	case !a.pull.After(now):
		return ask, now
	case a.polling && due(a.poll):
		return look, now
	}
	at := a.verify
	for _, t := range []time.Time{a.edited, a.settle, a.retry, a.rescan, a.pull} {
		if !t.IsZero() && t.Before(at) {
			at = t
		}
	}
	if a.polling && !a.poll.IsZero() && a.poll.Before(at) {
		at = a.poll
	}
	return nothing, at
}

// begin notes that a job is being done. What comes in meanwhile is for the next.
func (a *agenda) begin(now time.Time, j job) {
	a.began = now
	if j < run {
		return
	}
	if !a.edited.IsZero() {
		a.ran = now
	}
	a.edited, a.settle, a.retry, a.heard = time.Time{}, time.Time{}, time.Time{}, false
}

// end plans what follows a cycle whose look at the tree took so long.
func (a *agenda) end(now time.Time, j job, took time.Duration, failed bool) {
	a.rescan = now.Add(max(a.pace.rescan, share*took))
	a.looked(now, took)
	if j == verify {
		all := verifyShare * now.Sub(a.began)
		a.verify = now.Add(max(a.pace.verify[0], min(all, a.pace.verify[1])))
	}
	if !failed {
		a.fails = 0
		return
	}
	a.retry = now.Add(backoff(a.pace.retry, a.fails, a.spread()))
	a.fails++
}

// asked plans the next question to the server, after it told where its feed
// stands, or could not be asked.
func (a *agenda) asked(now time.Time) {
	period := a.pace.pull
	if a.told {
		period = a.pace.check
	}
	a.pull = now.Add(a.about(period))
}

// about is a time that is not the same for all clients.
func (a *agenda) about(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*a.spread()))
}

// untold notes that the stream is over. What it did not tell since it fell silent
// is asked for, unless another one begins.
func (a *agenda) untold(now time.Time) {
	a.told = false
	if at := now.Add(a.about(a.pace.pull / 4)); at.Before(a.pull) {
		a.pull = at
	}
}

// looked plans the next look at names.
func (a *agenda) looked(now time.Time, took time.Duration) {
	a.poll = now.Add(min(max(share*took, a.pace.poll[0]), a.pace.poll[1]))
}

// settleAt asks for a cycle then.
func (a *agenda) settleAt(t time.Time) {
	if a.settle.IsZero() || t.Before(a.settle) {
		a.settle = t
	}
}

// backoff is how long to wait after so many failures: between half and all of a
// time that doubles.
func backoff(limits [2]time.Duration, fails int, spread float64) time.Duration {
	full := limits[1]
	if fails < 10 {
		full = min(limits[0]<<fails, limits[1])
	}
	return full/2 + time.Duration(float64(full/2)*spread)
}
