// Package view turns view structs into the console's HTML. A component takes a struct and nothing else: no service, no
// request and no context, so what a page shows is decided before it is drawn.
package view
