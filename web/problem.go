package web

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/teammem/teammem/internal/serving"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/web/view"
)

// answer turns an error into a page. It is the only place that does, and logs
// what is the server's own fault.
func (c *Console) answer(v *visit, err error) {
	e := describe(err)
	v.problem = e.Code
	if status(e) >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		serving.Failed(c.log, v, v.id, err, e)
	}
	if v.Response().Committed {
		v.aborted = true // part of another answer is out: only a broken connection tells the browser
		return
	}
	if err := v.page(status(e), v.failure(e)); err != nil {
		v.aborted = true
	}
}

// failure is the page of an error. Who is not signed in is told how to.
func (v *visit) failure(e *memory.Error) templ.Component {
	f := v.frame(view.SectionNone)
	if e.Code == memory.CodeUnauthenticated {
		state := view.SignInAsk
		if v.Path() == view.SignInURL {
			state = view.SignInInvalid
		}
		return view.SignInPage(f, view.SignIn{State: state})
	}
	p := view.Failure{Status: status(e), Message: sentence(e.Error()), Hint: sentence(e.Hint), RequestID: v.id}
	if seconds, err := strconv.Atoi(v.Response().Header().Get("Retry-After")); err == nil {
		p.Wait = time.Duration(seconds) * time.Second
	}
	return view.ErrorPage(f, p)
}

// describe finds the domain's error. What is not an error of the domain or of
// the router is internal.
func describe(err error) *memory.Error {
	if e, ok := errors.AsType[*memory.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*echo.HTTPError](err); ok {
		switch e.Code {
		case http.StatusNotFound:
			return memory.NotFound("page")
		case http.StatusMethodNotAllowed:
			return &memory.Error{Code: codeMethod, Message: "this page does not take this method"}
		}
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return &memory.Error{Code: memory.CodeUnavailable, Message: "this took too long", Hint: "try again in a moment", Err: err}
	}
	return &memory.Error{Code: memory.CodeInternal, Message: "something went wrong", Err: err}
}

// codeMethod is a code of the console's own: the domain knows no methods.
const codeMethod memory.Code = "method"

// status is how browsers are told of a code.
func status(e *memory.Error) int {
	switch e.Code {
	case memory.CodeInvalid:
		return http.StatusBadRequest
	case memory.CodeUnauthenticated:
		return http.StatusUnauthorized
	case memory.CodeForbidden:
		return http.StatusForbidden
	case memory.CodeNotFound:
		return http.StatusNotFound
	case codeMethod:
		return http.StatusMethodNotAllowed
	case memory.CodeConflict, memory.CodeChanged, memory.CodeEpochChanged, memory.CodeCursorAhead, memory.CodeHistoryForked, memory.CodeDeleteGuard:
		return http.StatusConflict
	case memory.CodeCursorTooOld:
		return http.StatusGone
	case memory.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case memory.CodeUnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case memory.CodePathRejected, memory.CodeSecretFound, memory.CodeTextRejected, memory.CodeSuspectEmpty, memory.CodeScanTimeout,
		memory.CodeQuota:
		return http.StatusUnprocessableEntity
	case memory.CodeUpgradeRequired:
		return http.StatusUpgradeRequired
	case memory.CodeRateLimited:
		return http.StatusTooManyRequests
	case memory.CodeUnavailable:
		return http.StatusServiceUnavailable
	case memory.CodeInternal:
	}
	return http.StatusInternalServerError
}

// words are what was typed into a field of the form that an error is about. Where
// there was a secret, nothing of it goes back.
func (v *visit) words(e *memory.Error, field string) string {
	if e.Code == memory.CodeSecretFound {
		return ""
	}
	return v.form[field]
}
