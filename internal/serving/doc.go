// Package serving holds what the API and the console do alike around every
// request: naming where it came from, turning panics into errors, refusing what
// no table of routes declares, and writing one line of the log.
package serving
