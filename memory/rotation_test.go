package memory

import "testing"

func TestRotationOf(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"github-pat": "GitHub", "azure-devops-pat": "Azure DevOps", "azure-sas-signature": "Microsoft Azure", "private-key-body": "your own keys",
		"entropy": "whoever accepts it", "": "whoever accepts it",
	} {
		r := RotationOf(rule)
		if r.Provider != want || r.Where == "" || len(r.Steps) == 0 {
			t.Errorf("%q: %+v, want %s", rule, r, want)
		}
	}
}
