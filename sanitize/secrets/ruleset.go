package secrets

// RuleSet names the rules without building them, which takes a while. It is
// the start of what [Scanner.RuleSet] returns, which also tells apart what a
// developer changed without naming a new revision.
const RuleSet = "gitleaks-" + libraryVersion + "+" + revision
