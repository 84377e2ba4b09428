package web

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// spend takes one from what the limiter allows the key, or tells the browser
// how long to wait.
func (v *visit) spend(l *auth.Limiter, key, problem string) error {
	return v.mustWait(l.Take(key, 1, v.console.clock()), problem)
}

// admitScans lets the visitor have texts searched for secrets, unless that took
// too much of late.
func (v *visit) admitScans() error {
	scans := v.console.options.Scans
	if scans == nil || v.who.Member == "" || v.Request().Method != http.MethodPost {
		return nil
	}
	ctx, wait := scans.Admit(v.Request().Context(), v.who.Member)
	v.SetRequest(v.Request().WithContext(ctx))
	return v.mustWait(wait, "searching what you send for secrets took too long")
}

func (v *visit) mustWait(wait time.Duration, problem string) error {
	if wait <= 0 {
		return nil
	}
	v.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return &memory.Error{Code: memory.CodeRateLimited, Message: problem}
}
