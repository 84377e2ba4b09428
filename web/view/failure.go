package view

import "time"

// Failure is an error page.
type Failure struct {
	Status    int
	Message   string        // safe to show; "" for the standard text of the status
	Hint      string        // what to do next
	RequestID string        // to look up in the log
	Wait      time.Duration // of a 429
	Back      string        // a page to go on with; "" for home
}
