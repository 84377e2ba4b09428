package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store/embedded"
)

// The exit codes. Scripts rely on them, so they never change their meaning.
const (
	exitOK        = 0
	exitRetry     = 1
	exitUsage     = 2
	exitConflicts = 3
	exitHold      = 4
	exitLocked    = 5
	exitLogin     = 6
	exitRefused   = 7
	exitOffline   = 8
	exitReset     = 9
	exitPending   = 10
	exitInterrupt = 130
)

// exitHelp is part of the help of the commands that use the codes.
const exitHelp = `Exit codes:
  0   in sync, proven (what waits for a reviewer and known refusals are listed)
  1   something temporary: run it again
  2   wrong usage
  3   conflicts are open
  4   held for safety: deletes or changes that wait for your word, or the tree is
      not the one that was linked
  5   another teammem process is at work
  6   not logged in, or the login has ended
  7   something was refused for the first time: a name, a secret, a size; or by a reviewer
  8   the server cannot be reached, or its certificate is not trusted
  9   the server's history was replaced
  10  changes are pending (status, --dry-run)
  130 interrupted`

// byUrgency lists the codes in the order in which one is chosen when several
// apply.
func byUrgency() []int {
	return []int{
		exitInterrupt, exitUsage, exitLogin, exitReset, exitLocked, exitOffline, exitHold, exitConflicts, exitRefused, exitRetry,
		exitPending, exitOK,
	}
}

// outcome is an error that only carries an exit code: what there was to say
// has been said.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// usageError is a command line that cannot be understood.
type usageError struct {
	error
	command string
}

func (e usageError) Unwrap() error { return e.error }

// exitCode is the one place where errors become codes.
func exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitInterrupt
	}
	if o, ok := errors.AsType[outcome](err); ok {
		return int(o)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return exitUsage
	}
	switch {
	case errors.Is(err, client.ErrNotLoggedIn):
		return exitLogin
	case errors.Is(err, client.ErrNotLinked):
		return exitUsage
	case errors.Is(err, client.ErrReset), errors.Is(err, client.ErrOtherServer):
		return exitReset
	case errors.Is(err, client.ErrLocked), errors.Is(err, embedded.ErrRunning):
		return exitLocked
	case errors.Is(err, client.ErrOffline):
		return exitOffline
	case errors.Is(err, client.ErrMarker), errors.Is(err, client.ErrScope), errors.Is(err, tree.ErrUnsafe), errors.Is(err, tree.ErrReplaced):
		return exitHold
	}
	return codeOf(err)
}

// codeOf maps the codes of the protocol.
func codeOf(err error) int {
	e, ok := errors.AsType[*memory.Error](err)
	if !ok {
		return exitRetry
	}
	switch e.Code {
	case memory.CodeUnauthenticated, memory.CodeForbidden:
		return exitLogin
	case memory.CodeInvalid, memory.CodeNotFound, memory.CodeConflict: // the last one is a name that is taken
		return exitUsage
	case memory.CodePathRejected, memory.CodeSecretFound, memory.CodeTextRejected, memory.CodeTooLarge, memory.CodeQuota,
		memory.CodeScanTimeout, memory.CodeSuspectEmpty, memory.CodeUpgradeRequired:
		return exitRefused
	case memory.CodeEpochChanged, memory.CodeCursorAhead, memory.CodeHistoryForked:
		return exitReset
	case memory.CodeDeleteGuard:
		return exitHold
	case memory.CodeChanged, memory.CodeCursorTooOld, memory.CodeUnsupportedMedia, memory.CodeRateLimited, memory.CodeInternal,
		memory.CodeUnavailable:
	}
	return exitRetry
}

// isUsage recognises what cobra says of a wrong command line; it has no types
// for it.
func isUsage(err error) bool {
	for _, start := range []string{"unknown command", "unknown flag", "accepts ", "requires at least", "required flag", "if any flags in the group"} {
		if strings.HasPrefix(err.Error(), start) {
			return true
		}
	}
	return false
}

// mostUrgent chooses between codes that all apply.
func mostUrgent(codes ...int) int {
	for _, code := range byUrgency() {
		if slices.Contains(codes, code) {
			return code
		}
	}
	return exitRetry
}

// explain tells the person what happened, on stderr.
func (a *app) explain(err error) {
	if err == nil {
		return
	}
	if _, ok := errors.AsType[outcome](err); ok {
		return
	}
	if errors.Is(err, context.Canceled) {
		a.tell("interrupted; run it again to go on")
		return
	}
	a.tell("%v", err)
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Hint != "" {
		a.tell("  %s", e.Hint)
	}
	if c, ok := errors.AsType[*client.ConnectError](err); ok {
		a.tell("  %s", c.Hint)
	} else if errors.Is(err, client.ErrOffline) {
		a.tell("  your files stay as they are; run it again when the server can be reached")
	}
	if u, ok := errors.AsType[usageError](err); ok {
		a.tell("  see %s --help", u.command)
	}
}

// tell writes one line for the person; results go to stdout instead. Some words
// may be a server's, so nothing of them moves the cursor.
func (a *app) tell(format string, args ...any) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, fmt.Sprintf(format, args...))
	fmt.Fprintf(a.stderr, "teammem: %s\n", text)
}
