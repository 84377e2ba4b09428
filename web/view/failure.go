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

// class leaves the frame out for strangers.
func (p Failure) class(f Frame) string {
	if f.Viewer == "" {
		return "alone"
	}
	return "wide"
}

// next is where to go from here.
func (p Failure) next() string {
	if p.Back != "" {
		return p.Back
	}
	return HomeURL
}
