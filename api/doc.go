// Package api serves the protocol over HTTP: the REST calls under /api/v1, and
// the few that operate the process.
//
// It owns transport and nothing else. A handler binds its input, makes one
// call to [memory.Service] and answers with a type of api/wire; it has no SQL,
// no policy and no branch on a role. It imports memory, auth and api/wire.
//
// Start reading at routes.go: one table names every call with its scope, the
// least role that the service lets through, its query parameters and its
// handler. openapi.yaml says the same for machines, and a test compares them.
//
// Invariants:
//   - What is not in the table is refused, even where echo knows a route.
//   - One middleware authenticates, checks scope and project of the token, and
//     limits rate and time, for every route alike. The role is decided by the
//     service; a test walks the table with every role.
//   - Bodies are read in body.go only, queries in query.go only, and errors
//     become answers in problem.go only.
//   - An answer of "nothing new" is a bare 304: it is what most requests get,
//     and the exchange has a budget of 1,250 bytes.
//   - No body, query value or token is ever logged.
//
// In use:
//
//	hub := api.NewHub()
//	service := memory.NewService(store, scanner, hub, clock, memory.Limits{})
//	handler := api.New(service, authenticator, clock, api.Options{Instance: id, Hub: hub, Log: log})
//	err := api.NewServer(handler, hub, api.ServerOptions{Log: log}).Serve(ctx, listener)
package api
