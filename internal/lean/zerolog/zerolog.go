// Package zerolog stands in for the library of that name. The secret scanner's
// library logs with it, to stderr, and among its trace messages are the secrets
// themselves. Nothing of that must ever be written, so there is nothing here
// that could.
package zerolog

import "io"

// Logger logs nothing.
type Logger struct{}

// Level is how much is logged.
type Level int8

// The levels that the scanner's library asks for by name.
const (
	DebugLevel Level = 0
	InfoLevel  Level = 1
	Disabled   Level = 7
)

// ConsoleWriter is never written to.
type ConsoleWriter struct{ Out io.Writer }

// Write drops what it is given.
func (ConsoleWriter) Write(p []byte) (int, error) { return len(p), nil }

// New returns a logger that logs nothing.
func New(io.Writer) Logger { return Logger{} }

// GetLevel is [Disabled].
func (Logger) GetLevel() Level { return Disabled }

// Level changes nothing.
func (l Logger) Level(Level) Logger { return l }

// With returns an empty context.
func (Logger) With() Context { return Context{} }

// Trace and the seven after it return an event that is not logged. The last two
// would end the program, but nothing calls them.
func (Logger) Trace() *Event { return nil }

// Debug is as [Logger.Trace].
func (Logger) Debug() *Event { return nil }

// Info is as [Logger.Trace].
func (Logger) Info() *Event { return nil }

// Warn is as [Logger.Trace].
func (Logger) Warn() *Event { return nil }

// Error is as [Logger.Trace].
func (Logger) Error() *Event { return nil }

// Err is as [Logger.Trace].
func (Logger) Err(error) *Event { return nil }

// Fatal is as [Logger.Trace].
func (Logger) Fatal() *Event { return nil }

// Panic is as [Logger.Trace].
func (Logger) Panic() *Event { return nil }

// Context would be what each message of a logger holds.
type Context struct{}

// Timestamp changes nothing.
func (c Context) Timestamp() Context { return c }

// Str changes nothing.
func (c Context) Str(string, string) Context { return c }

// Logger returns a logger that logs nothing.
func (Context) Logger() Logger { return Logger{} }

// Event would be a message; it is always nil.
type Event struct{}

// Str changes nothing.
func (e *Event) Str(string, string) *Event { return e }

// Int changes nothing.
func (e *Event) Int(string, int) *Event { return e }

// Bool changes nothing.
func (e *Event) Bool(string, bool) *Event { return e }

// Float32 changes nothing.
func (e *Event) Float32(string, float32) *Event { return e }

// Err changes nothing.
func (e *Event) Err(error) *Event { return e }

// Msg logs nothing.
func (*Event) Msg(string) {}

// Send logs nothing.
func (*Event) Send() {}

// Msgf logs nothing.
func (*Event) Msgf(string, ...any) {}
