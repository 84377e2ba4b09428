// Package backup is the file that holds a whole instance: how it is laid out,
// and what makes one believable. It knows neither Postgres nor our schema.
//
// # The file
//
// A tar archive in a zstd frame, so that zstd -d and tar read it without
// teammem:
//
//	manifest.json          what is in it, see [Manifest]
//	tables/NAME/000001     rows as Postgres' COPY writes them in text, in pieces
//	tables/NAME/000002     of a mebibyte, table after table as in the manifest
//	…
//	trailer.json           how many rows each table had
//
// Behind the frame lies a seal: a skippable frame with the SHA-256 of
// everything before it.
//
// # Invariants
//
//   - [Open] believes nothing of a file whose seal does not match, and reads
//     it to the end before it returns; nobody sees a row of a damaged one.
//   - Reading takes the same memory however large the file claims to be: pieces
//     and JSON are bounded before they are read.
//   - Names of members are compared with the ones that must come next, and are
//     never used as paths.
//
// The seal finds damage. It is no signature: who can write the file can seal it.
//
// It imports nothing of teammem's:
//
//	w, err := backup.NewWriter(out, manifest)
//	err = w.Table("members", func(rows io.Writer) error { … })
//	err = w.Close()
//
//	f, err := backup.Open(in)
//	err = f.Tables(func(t backup.Table, rows io.Reader) error { … })
package backup
