package wire

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestStatus_HasAnInverse(t *testing.T) {
	t.Parallel()
	seen := map[memory.Code]bool{}
	for _, row := range codes() {
		if seen[row.code] {
			t.Errorf("%s is in the table twice", row.code)
		}
		seen[row.code] = true
		if got := Status(row.code); got != row.status {
			t.Errorf("Status(%s) = %d, want %d", row.code, got, row.status)
		}
		if got := Status(CodeOf(row.status)); got != row.status {
			t.Errorf("CodeOf(%d) = %s, which has status %d", row.status, CodeOf(row.status), got)
		}
	}
	for status, want := range map[int]memory.Code{
		http.StatusRequestTimeout: memory.CodeUnavailable, http.StatusBadGateway: memory.CodeUnavailable,
		http.StatusGatewayTimeout: memory.CodeUnavailable, http.StatusTeapot: memory.CodeInvalid, http.StatusMethodNotAllowed: memory.CodeInvalid,
		http.StatusFound: memory.CodeInternal,
	} {
		if got := CodeOf(status); got != want {
			t.Errorf("CodeOf(%d) = %s, want %s", status, got, want)
		}
	}
	if got := Status("made_up"); got != http.StatusInternalServerError {
		t.Errorf("an unknown code has status %d", got)
	}
}

func TestProblem_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, row := range codes() {
		if row.status >= http.StatusInternalServerError {
			continue
		}
		want := &memory.Error{
			Code: row.code, Message: "it is so", Field: "path", Layer: "traversal", Position: 0, Hint: "rename it",
			Head: &memory.Head{Epoch: "e1", Seq: 9, Floor: 3},
		}
		body, err := Encode(NewProblem(want))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(body), `"position":0`) {
			t.Errorf("a position of 0 is not told: %s", body)
		}
		var p Problem
		if err := DecodeAnswer(body, &p); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, p.Domain()); d != "" {
			t.Errorf("%s (-want +got):\n%s", row.code, d)
		}
	}
}

func TestProblem_Findings(t *testing.T) {
	t.Parallel()
	p := Problem{Status: 422, Code: "secret_found", Findings: []Finding{{"some-rule", "hard", 3, 7}, {"other", "warn", 1, 1}}}
	e := p.Domain()
	if got := NewProblem(e).Findings; !cmp.Equal(got, p.Findings) {
		t.Errorf("got %v, want %v", got, p.Findings)
	}
}

func TestProblem_SaysNothingOfACause(t *testing.T) {
	t.Parallel()
	for _, code := range []memory.Code{memory.CodeInternal, memory.CodeUnavailable, "made_up"} {
		p := NewProblem(&memory.Error{Code: code, Message: canary, Field: canary, Hint: canary, Layer: canary, Head: &memory.Head{Epoch: canary}})
		body, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), canary) {
			t.Errorf("%s: %s", code, body)
		}
	}
}

func TestProblem_UnknownCode(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]memory.Code{409: memory.CodeConflict, 422: memory.CodePathRejected, 418: memory.CodeInvalid, 599: memory.CodeUnavailable} {
		e := Problem{Status: status, Code: "from_the_future"}.Domain()
		if e.Code != want || e.Message == "" {
			t.Errorf("status %d gives %s %q, want %s", status, e.Code, e.Message, want)
		}
	}
}
