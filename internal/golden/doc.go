// Package golden reads and writes recorded calls of the API: what a client sent
// and what the server answered.
//
// The files lie in api/testdata/golden, one for each route. A test of package
// api makes the calls anew and compares; one of package client sends the same
// requests and is given the same answers. So neither half of the protocol can
// change without a change of the files, which is seen in review.
//
// What differs from run to run stands there under a name of its own: ids as
// ent_1, times as one of two, tokens as tmp_1. The names have the form of what
// they stand for, so that a client can work with them.
package golden
