package memory

// Decision is what policy says of a change that passed every check.
type Decision int

// The decisions.
const (
	DecidePublish Decision = iota // into the feed at once
	DecideHold                    // a reviewer has to see it first
)

// Decide applies the project's review preset to a checked write. Strict holds
// everything, whoever writes it: a reviewer's own change is for another
// reviewer to see. A write that asks for a reviewer is held under any preset.
// Guarded publishes like open for now: what it would hold is told by signals of
// risk, which this version does not look for.
func Decide(p Project, _ Role, w Write) Decision {
	if w.Review || p.Review == PresetStrict {
		return DecideHold
	}
	return DecidePublish
}
