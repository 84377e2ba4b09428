package serving

import (
	"context"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// What the texts of one member may cost to search for secrets: all of it at once
// if need be, then a tenth of one core. A first upload of 10,000 entries takes
// some seconds; a text that was made to be slow takes up to longestScan.
const (
	scanSeconds  = 120
	scanRefill   = 20 * time.Minute
	longestScan  = 5 * time.Second // of one text, see secrets.Deadline
	longestBytes = memory.MaxEntryBytes
	shortestScan = 50 * time.Millisecond
)

// ScanBudget bounds what each member may have the server search, whichever way
// the texts come.
type ScanBudget struct {
	left  *auth.Limiter
	clock memory.Clock
}

// NewScanBudget gives every member a full one.
func NewScanBudget(clock memory.Clock) *ScanBudget {
	return &ScanBudget{auth.NewLimiter(scanSeconds, scanRefill), clock}
}

// payer is who pays for the scans of a request.
type payer struct {
	budget *ScanBudget
	member memory.MemberID
}

type payerKey struct{}

// Admit returns the context in which a member's texts are searched, or how long
// they have to wait.
func (b *ScanBudget) Admit(ctx context.Context, member memory.MemberID) (context.Context, time.Duration) {
	if wait := b.left.Take(string(member), 0, b.clock()); wait > 0 {
		return ctx, wait
	}
	return context.WithValue(ctx, payerKey{}, payer{b, member}), 0
}

// PayScan takes what it took to search so many bytes from the budget of the
// request's member, if there is one. Scans wait for each other, and nobody pays for
// that: a text costs no more than its share of what the longest may take.
func PayScan(ctx context.Context, bytes int, took time.Duration) {
	if p, ok := ctx.Value(payerKey{}).(payer); ok {
		most := max(shortestScan, longestScan*time.Duration(bytes)/longestBytes)
		p.budget.left.Charge(string(p.member), min(took, most).Seconds(), p.budget.clock())
	}
}
