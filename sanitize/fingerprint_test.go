package sanitize_test

import (
	"strings"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

func TestParseFingerprint(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("0a", 32)
	f, err := sanitize.ParseFingerprint(good)
	if err != nil || f.String() != good || f.IsZero() {
		t.Errorf("ParseFingerprint = %v, %v", f, err)
	}
	for name, s := range map[string]string{
		"empty": "", "short": good[2:], "long": good + "0a", "no digits": strings.Repeat("zz", 32),
		"zero": strings.Repeat("00", 32), "capitals": strings.ToUpper(good),
	} {
		if f, err := sanitize.ParseFingerprint(s); err == nil || !f.IsZero() {
			t.Errorf("%s: ParseFingerprint = %v, %v; want an error", name, f, err)
		}
	}
}
