package web

import (
	"math"
	"strconv"

	"github.com/teammem/teammem/auth"
	"github.com/teammem/teammem/memory"
)

// spend takes one from what the limiter allows the key, or tells the browser
// how long to wait.
func (v *visit) spend(l *auth.Limiter, key, problem string) error {
	wait := l.Take(key, 1, v.console.clock())
	if wait == 0 {
		return nil
	}
	v.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return &memory.Error{Code: memory.CodeRateLimited, Message: problem}
}
