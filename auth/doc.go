// Package auth says who makes a request: it mints and checks API tokens and
// access tokens, and turns an Authorization header into a [memory.Principal].
//
// It imports only package memory, whose store it reads through the small
// interface [Records]. What it promises:
//
//   - An API token is "tmp_", 30 random characters and a checksum. Only its
//     hash is ever stored; a mistyped token is refused without asking the
//     database.
//   - A refresh token is "tmr_" and of the same form. It is exchanged once, for
//     its successor, which the database keeps only sealed under the token itself.
//   - An access token is a JWT signed with Ed25519, for one login of one device.
//     Every check of RFC 8725 and RFC 9068 that applies is made by
//     [AccessTokens.Verify]; no algorithm, key or address that the token itself
//     names is ever used.
//   - The signing keys are in the database, sealed under a [MasterKey] that is
//     not. All servers of an instance share them: see [StoredKeys].
//   - Each request asks the store again whether token, member and device are
//     still good, so that a revocation counts at once.
//   - Whatever is wrong, the answer is the same: "sign in again".
//
// In use:
//
//	keys, err := auth.OpenKeys(ctx, store, masterKey, clock)
//	authenticator := auth.NewAuthenticator(store, auth.NewAccessTokens(keys, instanceID, clock), clock)
//	who, err := authenticator.Authenticate(ctx, r.Header.Get("Authorization"))
//	tokens, err := auth.NewExchange(authenticator, service).Tokens(ctx, from, grant)
package auth
