// Package migrations holds the database schema: NNNN_name.sql files, numbered
// from 0001 without a gap, and grants.sql.
//
// Package store runs the numbered files, once each, in order, in a transaction
// of their own. They are forward-only: a merged file is never edited, since
// its checksum is kept in every database that ran it; the next change is the
// next file. grants.sql says what the serving role may do. It is no migration:
// it is edited in place and runs after each start's migrations, so that a
// database restored into another cluster gets its grants back.
//
// Every table that belongs to a project has project_id as the first column of
// its primary key and of every index, so that the schema can be partitioned by
// it without change.
package migrations

import "embed"

// FS holds the files.
//
//go:embed *.sql
var FS embed.FS
