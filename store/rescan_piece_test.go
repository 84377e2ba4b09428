package store_test

import (
	"testing"

	"github.com/teammem/teammem/internal/testscan"
	"github.com/teammem/teammem/memory"
)

// A re-scan reads names and texts in all the ways in which the gate does.
func TestRescan_AsTheGateReads(t *testing.T) {
	t.Parallel()
	a := openArchive(t)
	a.write(t, a.other, "keys/hard-one.md", "clean")
	a.write(t, a.other, "a.md", "---\ndescription: \"see \\x68ard-two\"\n---\nclean\n")
	a.write(t, a.other, "b.md", "clean")
	a.rescan(t, softScanner{})
	for path, gone := range map[string]bool{"keys/hard-one.md": true, "a.md": true, "b.md": false} {
		if a.gone(t, path) != gone {
			t.Errorf("%s is gone: %v", path, !gone)
		}
	}
	for _, path := range []string{"keys/hard-three.md", "c.md"} {
		text := "---\ndescription: \"see \\x68ard-three\"\n---\n"
		if v := a.share(t, a.other, path, text); v.Problem == nil || v.Problem.Code != memory.CodeSecretFound {
			t.Errorf("the gate takes %s: %+v", path, v)
		}
	}
}

// A computer that tells of a finding does not get a secret stored in its path, nor
// one in the paths that its member asks for.
func TestReportFinding_Names(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	ctx, id := t.Context(), o.project.ID
	r := memory.FindingReport{Path: "keys/hard-one.md", RuleSet: "soft-1"}
	r.Rule, r.Severity, r.Line, r.Column, r.Fingerprint = "word", "soft", 1, 1, testscan.Print(make([]byte, 32), "two")
	f, err := o.Service.ReportFinding(ctx, o.other, id, r)
	if err != nil || !f.Path.IsZero() {
		t.Errorf("kept with the path %s, %v", f.Path, err)
	}
	r.Path, r.Fingerprint = "keys/a.md", testscan.Print(make([]byte, 32), "three")
	f, err = o.Service.ReportFinding(ctx, o.other, id, r)
	must(t, err)
	for _, glob := range []string{"keys/[hard-one/a]*.md", "keys/[a hard-one]*.md"} {
		_, err = o.Service.RequestAllow(ctx, o.other, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue, Glob: glob})
		if memory.CodeOf(err) != memory.CodeSecretFound && memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("asked for %s: %v", glob, err)
		}
	}
	_, err = o.Service.RequestAllow(ctx, o.other, id, f.ID, memory.AllowWish{Reason: memory.AllowTestValue})
	must(t, err)
}
