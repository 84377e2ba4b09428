// Package testscan is a scanner for tests that need secrets which a person can
// allow: it is quick, and says by the text alone what it finds. It imports
// sanitize, so that the tests of any package can use it.
//
//	service := memory.NewService(store, testscan.Words{}, hub, time.Now, memory.Limits{})
package testscan
