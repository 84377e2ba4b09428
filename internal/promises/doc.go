// Package promises knows what teammem promises, and which test shows it: the
// table behind docs/promises.md, and faults that a named test has to find when
// they are put into the source. It imports nothing of ours.
//
// The page is made from a run of the tests by internal/promises/write, which
// `make promises` calls. A test of this package fails when the page names a
// test that is not there, leaves out a scenario, or does not name one of its
// tests, and when a fault does not fit the source any more.
package promises
