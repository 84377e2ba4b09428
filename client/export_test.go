package client

import (
	"testing"
	"time"
)

// OnSync calls f before each wait for the tree's disk.
func (s *Syncer) OnSync(f func()) { s.onSync = f }

// WaitForReports lets a report take its time, on a machine that does much else.
func (s *Syncer) WaitForReports() { s.reportTime = time.Minute }

// Patience is how long one answer may take from here on.
func (s *Server) Patience(d time.Duration) { s.patience = d }

// ForgetOrigins makes an index what one of the version before is once it was
// read: nothing in it says who wrote what.
func ForgetOrigins(t testing.TB, file string) {
	t.Helper()
	x, err := loadIndex(file)
	if err != nil {
		t.Fatal(err)
	}
	x.Unattributed = true
	for i := range x.Rows {
		x.Rows[i].Author, x.Rows[i].At = "", 0
	}
	if err := x.save(file); err != nil {
		t.Fatal(err)
	}
}
