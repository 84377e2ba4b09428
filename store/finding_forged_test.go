package store_test

import (
	"testing"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/sanitize"
)

// A member says in advance that a hard secret is a soft one of another rule. What
// the server finds itself is told all the same.
func TestFinding_Forged(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	key, err := o.Service.FindingKey(ctx, o.mara, id)
	must(t, err)
	r := memory.FindingReport{Path: "a.md", RuleSet: "soft-1", Device: o.device.ID, Excerpt: "an example ********"}
	r.Rule, r.Severity, r.Line, r.Column = "harmless", sanitize.SeveritySoft, 1, 1
	r.Fingerprint = sanitize.Fingerprint(memory.Sum([]byte(string(key.Bytes()) + "one")))
	_, err = o.Service.ReportFinding(ctx, o.mara, id, r)
	must(t, err)
	o.share(t, o.mara, "a.md", "hard-one")
	all, err := o.Service.Findings(ctx, o.mia, id, memory.FindingQuery{})
	must(t, err)
	hard := 0
	for _, f := range all {
		if f.Hard() {
			hard++
		}
	}
	if len(all) != 2 || hard != 1 {
		t.Errorf("%d findings, %d of them hard, want 2 and 1", len(all), hard)
	}
}

// Findings that were settled and come back need room like new ones.
func TestFinding_ReopenedWithinTheLimit(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	share := func(round string) []memory.Finding {
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			o.share(t, o.mara, round+n+".md", "soft-one")
		}
		all, err := o.Service.Findings(t.Context(), o.mara, o.project.ID, memory.FindingQuery{State: memory.FindingOpen})
		must(t, err)
		return all
	}
	for _, f := range share("x") {
		_, err := o.Service.ResolveFinding(t.Context(), o.mara, o.project.ID, f.ID)
		must(t, err)
	}
	share("y")
	if n := len(share("x")); n != 5 {
		t.Errorf("%d are open, the limit is 5", n)
	}
}
