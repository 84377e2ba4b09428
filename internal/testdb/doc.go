// Package testdb gives tests databases on a real Postgres.
//
// The cluster is the one that TEAMMEM_TEST_DATABASE_URL names; make test starts
// one for the run. Without it a test fails; it never skips.
//
// # Which one
//
// [Tx] is for tests that need not commit: a transaction in a database that all
// share, rolled back when the test ends. [New] is for the others: a database of
// the test's own, which costs some 50 ms. Both have the schema.
//
//	s, err := store.Open(t.Context(), testdb.New(t), store.Options{})
//
// Addresses are those of the variable's role, a superuser. Roles belong to the
// cluster and not to a database, so tests that make roles have to name them
// apart.
//
// # How
//
// The first test migrates a template, named after the checksum of the
// migrations, and databases are copies of its files. A passed test's database
// is dropped. A failed test's stays to be looked into, until the next run on
// that cluster drops it.
//
// It imports store and migrations, so a test in package store itself cannot use
// it; those are in package store_test.
package testdb
