// Package filetype stands in for the detector of that name. The secret
// scanner's library links it for scanning files, which teammem never lets it do,
// and its tables would be built at every start of the program.
package filetype

// Type is what a file would be.
type Type struct{ MIME MIME }

// MIME is the media type of a file.
type MIME struct{ Type, Subtype, Value string }

// Match knows no type, so that nothing would be skipped for having one.
func Match([]byte) (Type, error) { return Type{}, nil }
