package view

// SignInState is which of its forms the sign-in page shows.
type SignInState string

// The states of the sign-in page.
const (
	SignInAsk     SignInState = ""        // no link was followed: how to get one
	SignInConfirm SignInState = "confirm" // a link was followed: one button signs in
	SignInInvalid SignInState = "invalid" // the link is unknown, expired or was used
	SignedOut     SignInState = "out"     // after signing out
)

// SignIn is the sign-in page. A GET of the link only shows it: programs that
// look at links in chats must not use them up.
type SignIn struct {
	State SignInState
	Token string // of the link, sent back by the form as "token"
	Back  string // where to go afterwards, sent back as "back"
}
