// Package static serves the console's files: one stylesheet, two fonts, one sprite of icons. They are embedded in the
// binary and nothing is loaded from another host. A file's name in an address holds a hash of its content, so browsers
// keep it for good and a new version is a new address.
//
//	files, err := static.Open()
//	mux.Handle("GET "+static.Prefix, files.Handler())
//	href := files.URL("console.css")
//
// The third-party files are brought by scripts/vendor-assets and listed in THIRD_PARTY. Nothing happens before Open.
package static
