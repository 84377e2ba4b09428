// Package recall is responsible for finding entries by their words (BM25). Server and client search with the same
// code, so it imports package memory alone and does no I/O.
package recall
