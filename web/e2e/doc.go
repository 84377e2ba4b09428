// Package e2e drives the console in a real browser: the program as it is
// built, a database of its own for each test, and headless Chromium.
//
// It holds tests only. Each opens tabs that keep no company with others
// (browser_test.go), on a site of its own (site_test.go). A tab fails its test
// for everything that a page should never do, whether the test looks there or
// not: a message on the browser's console, an exception, a report of the
// content security policy, an answer of 400 and above that nobody expected, or
// a request to another host.
//
// The browser is Debian's chromium-headless-shell. Without it the tests fail
// and say how to install it:
//
//	scripts/setup chromium
//
// Pictures of every page, in two themes and two widths, are written by
//
//	make screenshots
package e2e
