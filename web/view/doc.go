// Package view turns view structs into the console's HTML. A component takes a struct and nothing else: no service, no
// request and no context, so what a page shows is decided before it is drawn. Each page is one component,
//
//	err := view.HomePage(frame, view.Home{…}).Render(ctx, w)
//
// and works without a script. Whatever members or their agents wrote is drawn by package foreign or package diff only.
package view

//go:generate go tool templ generate
