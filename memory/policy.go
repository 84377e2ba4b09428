package memory

// Decision is what policy says of a change that passed every check.
type Decision int

// The decisions.
const (
	DecidePublish Decision = iota // into the feed at once
	DecidePropose                 // a reviewer has to see it first
)

// Decide applies the project's review preset to a checked write. Under strict
// everything waits, whoever writes it: a reviewer's own change is for another
// reviewer to see. A write that asks for a reviewer waits under any preset.
// Guarded publishes like open: the signs of risk that are found in a text are
// shown, and decide nothing.
func Decide(p Project, w Write) Decision {
	if w.Review || p.Review == PresetStrict {
		return DecidePropose
	}
	return DecidePublish
}
