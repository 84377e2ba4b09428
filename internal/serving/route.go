package serving

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
)

// Pattern is the path of a route, such as /projects/{p}, in echo's notation.
func Pattern(path string) string {
	return strings.NewReplacer("{", ":", "}", "").Replace(path)
}

// Declared are the routes of a table: method and pattern of each.
type Declared map[string]bool

// Refuse stops whatever was not declared.
func (d Declared) Refuse(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ctx echo.Context) error {
		switch {
		case ctx.Path() == "" || d[ctx.Request().Method+ctx.Path()]:
			return next(ctx)
		case ctx.Get(echo.ContextKeyHeaderAllow) != nil: // set by the router when only the method is wrong
			return echo.MethodNotAllowedHandler(ctx)
		}
		return echo.ErrNotFound
	}
}

// Recovered turns a panic into an error. It is the only place that does.
func Recovered(next echo.HandlerFunc, ctx echo.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return next(ctx)
}
