package store_test

import (
	"testing"

	"github.com/teammem/teammem/memory"
)

// except has Mia allow what Mara asks for.
func (o *office) except(t *testing.T, f memory.FindingID, glob string) {
	t.Helper()
	_, err := o.Service.RequestAllow(t.Context(), o.mara, o.project.ID, f, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
	must(t, err)
	_, err = o.Service.DecideAllow(t.Context(), o.mia, o.project.ID, f, memory.AllowAnswer{Approve: true, Glob: glob})
	must(t, err)
}

// Exceptions are for texts: a name with the value is refused, as by a move and a
// re-scan.
func TestFinding_NotInNames(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "**")
	if v := o.share(t, o.mara, "b.md", "soft-one"); v.Ruling != memory.RulingPublished {
		t.Errorf("in a text: %+v", v)
	}
	if v := o.share(t, o.mara, "of soft-one here.md", "clean"); v.Ruling != memory.RulingRefused || v.Problem.Field != "path" {
		t.Errorf("in a name: %+v", v)
	}
}

// Who takes out what was allowed has not shared it by the exception.
func TestFinding_CleanAfterAll(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.share(t, o.mara, "a.md", "soft-one")
	o.except(t, o.only(t, o.mara).ID, "")
	o.share(t, o.mara, "a.md", "clean")
	o.state(t, memory.FindingResolved)
}
