package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressBar shows how far a long run is, on a terminal only. It appears after
// a moment, so that an ordinary run stays silent.
type progressBar struct {
	app   *app
	start time.Time
	shown bool
	what  string
	bar   *progressbar.ProgressBar
}

// quietFor is how long a run may take before it shows a bar.
const quietFor = 500 * time.Millisecond

func (a *app) newProgressBar() *progressBar {
	f, ok := a.stderr.(*os.File)
	return &progressBar{app: a, start: a.now(), shown: ok && term.IsTerminal(int(f.Fd()))}
}

func (p *progressBar) update(what string, done, total int) {
	if !p.shown || p.app.now().Sub(p.start) < quietFor {
		return
	}
	if p.bar == nil || p.what != what {
		p.finish()
		p.what = what
		p.bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(p.app.stderr), progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
	}
	p.bar.ChangeMax(total)
	_ = p.bar.Set(done) // a bar that cannot be drawn is no reason to stop
}

// finish takes the bar off the screen.
func (p *progressBar) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
