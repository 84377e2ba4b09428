package tree

import "sync"

// writers write new texts of hidden folders beside the batch: making files is
// most of what a first sync does. Files of one folder are made one after the
// other, because the file system lets nobody else make one meanwhile. The zero
// value is ready for use.
type writers struct {
	queues  []chan func()
	running sync.WaitGroup
	texts   sync.WaitGroup // that are not written yet
}

const (
	maxWriters = 4
	maxQueued  = 64 // texts of each, which are held in memory until then
)

// add has a text written, by the writer whose turn it is.
func (w *writers) add(turn int, write func()) {
	if w.queues == nil {
		w.start()
	}
	w.texts.Add(1)
	w.queues[turn%maxWriters] <- write
}

func (w *writers) start() {
	for range maxWriters {
		queue := make(chan func(), maxQueued)
		w.queues = append(w.queues, queue)
		w.running.Go(func() {
			for write := range queue {
				write()
				w.texts.Done()
			}
		})
	}
}

// wait returns when all texts are written.
func (w *writers) wait() { w.texts.Wait() }

// stop ends the writers, when they have nothing left to write.
func (w *writers) stop() {
	for _, queue := range w.queues {
		close(queue)
	}
	w.queues = nil
	w.running.Wait()
}
