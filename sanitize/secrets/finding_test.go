package secrets

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"github.com/teammem/teammem/sanitize"
	"github.com/zricethezav/gitleaks/v8/logging"
)

func TestScan_Position(t *testing.T) {
	t.Parallel()
	token := newGenerator(1).fill("ghp_<b36>")
	at := func(line, column int) []sanitize.Finding {
		return []sanitize.Finding{{Rule: "github-pat", Severity: sanitize.SeverityHard, Line: line, Column: column}}
	}
	tests := []struct {
		name, text string
		want       []sanitize.Finding
	}{
		{"nothing", "clean", []sanitize.Finding{}},
		{"first byte", token, at(1, 1)},
		{"first line", "the token " + token, at(1, 11)},
		{"later line", "one\ntwo\n  " + token + "\n", at(3, 3)},
		{"crlf", "one\r\ntwo " + token + "\r\n", at(2, 5)},
		{"code points", "größe 🙂 " + token, at(1, 9)},
		{"after an invisible character", "a\u200bb " + token, at(1, 5)},
		{"invisible character inside", "x\nab " + token[:9] + "\u200b" + token[9:], at(2, 4)},
		{"over two lines", "x\nab " + token[:9] + "\n" + token[9:], at(2, 4)},
		{"escaped", "x\nab " + strings.Replace(token, "_", `\_`, 1), at(2, 4)},
		{"encoded", "x\nab " + toBase64("token "+token) + " y", at(2, 4)},
		{"encoded twice", "x\nab " + toBase64(toBase64("token "+token)) + " y", at(2, 4)},
		{"two", token + "\n" + token, append(at(1, 1), at(2, 1)...)},
		{"far down", strings.Repeat("line\n", 20_000) + " " + token, at(20_001, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, scan(t, tt.text)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScan_Severity(t *testing.T) {
	t.Parallel()
	want := map[string]sanitize.Severity{
		"aws key id in prose": sanitize.SeverityHard, "stripe live": sanitize.SeverityHard, "rsa": sanitize.SeverityHard,
		"over two lines": sanitize.SeverityHard, "anthropic oauth": sanitize.SeverityHard, "in base64": sanitize.SeverityHard,
		"postgres url": sanitize.SeveritySoft, "password in prose": sanitize.SeveritySoft, "datadog api": sanitize.SeveritySoft,
		"password in a table": sanitize.SeveritySoft, "kubernetes secret": sanitize.SeveritySoft, "jwt": sanitize.SeveritySoft,
	}
	for _, s := range shapes() {
		severity, named := want[s.name]
		if !named {
			continue
		}
		for _, f := range scan(t, intro+s.text(newGenerator(5))+outro) {
			if f.Severity != severity {
				t.Errorf("%s: %s is %s, want %s", s.name, f.Rule, f.Severity, severity)
			}
		}
	}
}

// TestScan_OwnTokens holds that our own credentials never pass, and that nobody
// can allow them.
func TestScan_OwnTokens(t *testing.T) {
	t.Parallel()
	for rule, template := range map[string]string{
		"teammem-api-token": "tm" + "p_<b36>", "teammem-refresh-token": "tm" + "r_<b49>", "teammem-invitation": "tm" + "i_<b43>",
	} {
		found := scan(t, intro+"sign in with "+newGenerator(1).fill(template)+"."+outro)
		want := []sanitize.Finding{{Rule: rule, Severity: sanitize.SeverityHard, Line: 5, Column: 14}}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

func TestScan_Limit(t *testing.T) {
	t.Parallel()
	g := newGenerator(1)
	var text strings.Builder
	for range 500 {
		text.WriteString(g.fill("token ghp_<b36>\n"))
	}
	found := scan(t, text.String())
	if len(found) != maxFindings {
		t.Fatalf("%d findings, want %d", len(found), maxFindings)
	}
	for i, f := range found {
		if f.Line != i+1 {
			t.Fatalf("finding %d is in line %d", i, f.Line)
		}
	}
}

// TestScan_KeepsValues looks for the secrets in all that a scan gives away.
func TestScan_KeepsValues(t *testing.T) {
	t.Parallel()
	for _, s := range shapes() {
		secret := s.text(newGenerator(6))
		found := scan(t, intro+secret+outro)
		past, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := scanner(t).Scan(past, secret)
		said := fmt.Sprintf("%v %+v %#v %v %+v", found, found, found, err, err)
		for at := 0; at+12 <= len(secret); at++ {
			if strings.Contains(said, secret[at:at+12]) && !strings.Contains(strings.Join(ruleNames(t), " "), secret[at:at+12]) {
				t.Errorf("%s: a part of the secret is given away", s.name)
				break
			}
		}
	}
	if got := logging.Logger.GetLevel(); got != zerolog.Disabled {
		t.Errorf("the library logs at level %v, want none", got)
	}
}

func ruleNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, m := range []*matcher{scanner(t).near, scanner(t).far} {
		for _, r := range m.rules {
			names = append(names, r.id)
		}
	}
	return names
}

// TestScan_Concurrent is for the race detector.
func TestScan_Concurrent(t *testing.T) {
	t.Parallel()
	s := *scanner(t)
	s.slots = slots{short: make(chan struct{}, 8)}
	s.known = newVerdicts()
	texts := map[string]int{}
	for _, shape := range shapes() {
		text := intro + shape.text(newGenerator(7)) + outro
		texts[text] = len(scan(t, text))
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for text, want := range texts {
				found, err := s.Scan(t.Context(), text)
				if err != nil || len(found) != want {
					t.Errorf("Scan = %d findings, %v; want %d", len(found), err, want)
				}
			}
		})
	}
	group.Wait()
}
