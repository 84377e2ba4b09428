package client

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/teammem/teammem/memory"
	msync "github.com/teammem/teammem/sync"
)

// trashAge is how long replaced and removed texts are kept.
const trashAge = 30 * 24 * time.Hour

// The reasons for which nothing moves, in either direction.
var (
	ErrMarker = errors.New("the tree is not the one that was linked")
	ErrReset  = errors.New("the server's history was replaced")
)

// Syncer mirrors one linked tree. Make it with [NewSyncer].
type Syncer struct {
	dirs       Dirs
	link       Link
	server     *Server
	device     memory.DeviceID
	scanner    func() (memory.Scanner, error)
	ruleSet    string
	clock      memory.Clock
	home       string
	member     string
	progress   func(what string, done, total int)
	onDone     func(Done)
	resident   *resident     // nil: the next run has to read and look at everything
	unreported bool          // the server takes no reports on trees
	reportTime time.Duration // what a report may take; another by tests only
	onSync     func()        // before each wait for the tree's disk; set by tests only
}

// SyncerOptions are what a [Syncer] needs from the outside. Its functions, but
// for the clock, are never called by two goroutines at once.
type SyncerOptions struct {
	Device   memory.DeviceID
	Member   string                             // name of whoever is logged in
	Scanner  func() (memory.Scanner, error)     // built when the first text is to be sent
	RuleSet  string                             // of that scanner
	Clock    memory.Clock                       //
	Home     string                             // the member's home folder
	Progress func(what string, done, total int) // may be nil
	Done     func(Done)                         // told of each op as it is done; may be nil
}

// NewSyncer prepares to mirror the tree of a link.
func NewSyncer(d Dirs, l Link, s *Server, o SyncerOptions) *Syncer {
	progress := o.Progress
	if progress == nil {
		progress = func(string, int, int) {}
	}
	onDone := o.Done
	if onDone == nil {
		onDone = func(Done) {}
	}
	var telling sync.Mutex // pull and scan run at the same time
	return &Syncer{
		dirs: d, link: l, server: s, reportTime: reportTime, device: o.Device, scanner: o.Scanner, ruleSet: memory.RuleSet(o.RuleSet), clock: o.Clock, home: o.Home, member: o.Member, onDone: onDone,
		progress: func(what string, done, total int) {
			telling.Lock()
			defer telling.Unlock()
			progress(what, done, total)
		},
	}
}

// SyncOptions change what one run does.
type SyncOptions struct {
	DryRun  bool // plan, and change nothing
	Verify  bool // hash every file, whatever its time stamps say
	Offline bool // do not ask the server: plan from what is known
	Mode    Mode // of this run; "": as the folder was linked

	inspect func(context.Context, *cycle, []msync.Op) error // shown the plan of a dry run

	// What a person has to say about changes that are held (see [Report]).
	AllowDeletes int           // carry out the deletes that are held, if they are that many
	AllowChanges int           // send the changes that are held, if they are that many
	AllowEmpty   bool          // share files that were emptied
	RestoreHeld  bool          // undo the deletes that are held: files come back, and are offered again
	Removed      []memory.Path // files that somebody agreed to remove: these deletes are not held

	// What whoever watches the tree has to say, and to hear. All may be nil.
	News    bool                                       // the server has some: it is asked at once
	Current func(memory.Cursor) bool                   // whether the server is known to stand there: it need not be asked then
	Touched func() (folders []string, all bool)        // where something may have happened since it was last asked; see cycle.list
	Relook  bool                                       // whatever they say of that, every name is looked at
	Settled func(memory.Path) bool                     // whether a file has been gone, or empty since it was made, for so long that it is meant
	Listed  func(folders []string, took time.Duration) // told of the folders of each listing, on disk below team/
}

// Sync runs one cycle: observe both sides, plan, carry out, until nothing is
// left to do. The report is complete also when an error ended the run.
func (s *Syncer) Sync(ctx context.Context, o SyncOptions) (_ *Report, err error) {
	report := &Report{DryRun: o.DryRun}
	state := s.dirs.stateDir(s.link)
	l, err := takeLock(ctx, filepath.Join(state, "lock"))
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	sweepTemps(state, time.Time{})
	file := filepath.Join(state, "index")
	c, err := s.open(ctx, file, o, report)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, c.tree.Close()) }()
	err = c.run(ctx)
	c.unstage()
	if finished := c.finish(file, err); finished != nil {
		report.Proven = false
		err = errors.Join(err, finished)
	}
	if err == nil && !o.DryRun && !o.Offline && c.mode() != PullOnly {
		c.mirror(ctx)
	}
	if err == nil && !o.DryRun && !o.Offline {
		c.tellState(ctx)
	}
	if err == nil {
		c.leave(file)
	}
	return report, err
}
