// Package auth says who makes a request: it mints and checks API tokens and
// access tokens, and turns an Authorization header into a [memory.Principal].
//
// It imports only package memory, whose store it reads through the small
// interface [Records]. What it promises:
//
//   - An API token is "tmp_", 30 random characters and a checksum. Only its
//     hash is ever stored; a mistyped token is refused without asking the
//     database.
//   - An access token is a JWT signed with Ed25519. Every check of RFC 8725 and
//     RFC 9068 that applies is made by [AccessTokens.Verify]; no algorithm, key
//     or address that the token itself names is ever used.
//   - Each request asks the store again whether token, member and device are
//     still good, so that a revocation counts at once.
//   - Whatever is wrong, the answer is the same: "sign in again".
//
// In use:
//
//	keys, err := auth.NewKeyring(signingKey)
//	access := auth.NewAccessTokens(keys, instanceID, clock)
//	who, err := auth.NewAuthenticator(store, access, clock).Authenticate(ctx, r.Header.Get("Authorization"))
package auth
