package sanitize

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Level says how much a person should look at a text before agents read it.
type Level string

// The levels.
const (
	LevelLow    Level = "low" // nothing was found
	LevelMedium Level = "medium"
	LevelHigh   Level = "high"
)

// A Cause names what makes a text worth a look: what it could do to an agent
// that reads it, or to a person who checks it. Causes are labels and no
// protection. Whoever knows the list can say the same in other words, and
// ordinary notes match as well; what holds is review, provenance and
// withdrawal.
type Cause string

// What steers an agent.
const (
	CauseOverride      Cause = "override"         // "ignore earlier instructions"
	CauseSecrecy       Cause = "secrecy"          // "do not tell the user"
	CauseRoleClaim     Cause = "role-claim"       // "you are now", "I am your administrator"
	CausePermission    Cause = "permission-grant" // "without asking", "you have permission to"
	CausePipeToShell   Cause = "pipe-to-shell"    // a download that is executed
	CauseSkipFlags     Cause = "skip-permissions" // flags by which agents stop asking
	CauseCredentialURL Cause = "credential-url"   // credentials are to go to an address
	CauseBlob          Cause = "encoded-blob"     // over 80 characters that nobody can read
	CauseImageQuery    Cause = "image-query"      // an image whose address can carry text away
	CauseKindUser      Cause = "kind-user"        // a note about a person, says its frontmatter
	CauseAllowed       Cause = "secret-allowed"   // passed only because a maintainer made an exception

	CauseInstruction Cause = "instruction"    // "always", "never" or "must" outside of feedback
	CauseImmutable   Cause = "immutable"      // "never change this note"
	CauseCommand     Cause = "command"        // network, privilege or deletion
	CauseSecretFile  Cause = "secret-file"    // where credentials usually lie
	CauseWebhook     Cause = "webhook-url"    // an address that takes whatever is sent
	CauseImport      Cause = "import-path"    // "@~/file", which some agents load
	CauseSettings    Cause = "agent-settings" // hooks, permissions or servers of an agent
	CausePromptTag   Cause = "prompt-tag"     // "<system>" and the like
)

// What a person can overlook.
const (
	CauseHidden      Cause = "hidden-character"
	CauseChannel     Cause = "hidden-channel" // written now so, now so, though it looks alike
	CauseJoiner      Cause = "joiner"         // where no script or emoji needs it
	CauseDirection   Cause = "direction-mark"
	CauseLineEnd     Cause = "odd-line-end" // a line for some programs and none for others
	CauseScripts     Cause = "mixed-scripts"
	CauseMarks       Cause = "stacked-marks"
	CauseComment     Cause = "comment"     // not shown when rendered
	CauseCollapsed   Cause = "collapsed"   // <details>
	CauseHiddenHTML  Cause = "hidden-html" // by its style
	CauseRawHTML     Cause = "raw-html"
	CauseLinkText    Cause = "link-text" // names another host than the link leads to
	CauseDataURI     Cause = "data-uri"
	CausePushedAside Cause = "pushed-aside" // text behind over 200 blanks
)

// Level returns how much the cause weighs.
func (c Cause) Level() Level {
	switch c {
	case CauseOverride, CauseSecrecy, CauseRoleClaim, CausePermission, CausePipeToShell, CauseSkipFlags, CauseCredentialURL, CauseBlob,
		CauseImageQuery, CauseKindUser, CauseAllowed:
		return LevelHigh
	default:
		return LevelMedium
	}
}

// A Risk is one place of a text with its cause.
type Risk struct {
	Cause  Cause
	Line   int // from 1; 0: the text as a whole
	Column int // from 1, in code points
	Length int // in code points, line ends included
}

// MaxRisks is how many risks are told of one text.
const MaxRisks = 50

// RiskRules are what texts are searched by. They can be used by many at once.
type RiskRules struct {
	phrases  phraseBook
	literals literalBook
}

// NewRiskRules reads the rules, which takes about as long as searching a note.
func NewRiskRules() *RiskRules { return &RiskRules{newPhraseBook(), newLiteralBook()} }

// Risks returns why a person should look at the text, in its order. At most 50
// are told: of each cause the first, and then those that weigh most.
func (rules *RiskRules) Risks(text string) []Risk {
	r := riskSearch{text: text}
	r.characters()
	r.lineEnds()
	r.markup()
	f := fold(text)
	r.words(f, rules.phrases)
	r.literals(f, rules.literals)
	r.blobs()
	return r.told()
}

// riskSearch is one text on its way through the rules.
type riskSearch struct {
	text  string
	spans []riskSpan
	count map[Cause]int
	last  map[Cause]int // by place in spans

	// What characters passes over, as long as there is not much of it.
	selectors, blanks int
	fillers           []int // by their places
}

// riskSpan is a risk by bytes.
type riskSpan struct {
	cause      Cause
	start, end int
	nth        int // of its cause
}

// add notes a place. One that overlaps the last of its cause makes that longer,
// and of a cause that is everywhere the first places are enough.
func (r *riskSearch) add(cause Cause, start, end int) {
	if r.count == nil {
		r.count, r.last = map[Cause]int{}, map[Cause]int{}
	}
	n := r.count[cause]
	if n > 0 {
		if last := &r.spans[r.last[cause]]; last.start <= start && start < last.end {
			last.end = max(last.end, end)
			return
		}
	}
	if n == MaxRisks {
		return
	}
	r.count[cause], r.last[cause] = n+1, len(r.spans)
	r.spans = append(r.spans, riskSpan{cause, start, end, n})
}

// told chooses what is told, and counts its lines and columns in one pass.
func (r *riskSearch) told() []Risk {
	weight := func(s riskSpan) int {
		switch {
		case s.nth == 0:
			return 0
		case s.cause.Level() == LevelHigh:
			return 1
		}
		return 2
	}
	place := func(a, b riskSpan) int {
		return cmp.Or(a.start-b.start, a.end-b.end, strings.Compare(string(a.cause), string(b.cause)))
	}
	slices.SortFunc(r.spans, func(a, b riskSpan) int { return cmp.Or(weight(a)-weight(b), place(a, b)) })
	spans := r.spans[:min(len(r.spans), MaxRisks)]
	slices.SortFunc(spans, place)
	var risks []Risk
	line, column, at := 1, 1, 0
	for _, s := range spans {
		passed := r.text[at:s.start]
		if n := strings.Count(passed, "\n"); n > 0 {
			line, column, passed = line+n, 1, passed[strings.LastIndexByte(passed, '\n')+1:]
		}
		column += utf8.RuneCountInString(passed)
		at = s.start
		risks = append(risks, Risk{s.cause, line, column, utf8.RuneCountInString(r.text[s.start:s.end])})
	}
	return risks
}
