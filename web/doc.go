// Package web is the console: the pages on which people read and review what
// their agents wrote.
//
// It owns what browsers ask for and nothing else. A handler binds its input,
// asks [memory.Service] and hands plain structs to package view, which draws
// them; it has no SQL and no policy. It imports memory, auth, web/view and
// web/static. There is one file per action.
//
// Start reading at routes.go: one table names every page and form with who may
// use it, its query parameters, its fields and its handler.
//
// Invariants:
//   - What is not in the table is refused, even where echo knows a route.
//   - A GET changes nothing. A form counts only if the browser says that it
//     comes from a page of this console.
//   - Who visits is asked anew for each request. Only the session's cookie lets
//     anybody in; a token of the API is worth nothing here.
//   - A project that the visitor may not know of is not found, like one that
//     does not exist. The service decides about roles again.
//   - Every answer has the headers of headers.go, errors and files too. There is
//     no script, and the policy lets none run.
//   - A decision says what was on the screen. If that is not what is there any
//     more, the answer is what is there now.
//   - Forms and queries are read in guard.go only, and errors become pages in
//     problem.go only. No query, token or cookie is ever logged.
//
// In use:
//
//	files, err := static.Open()
//	sessions := auth.NewSessions(store, clock)
//	pages := web.New(service, sessions, files, clock, web.Options{Log: log})
package web
