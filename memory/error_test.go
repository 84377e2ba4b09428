package memory

import (
	"errors"
	"fmt"
	"testing"
)

func TestError(t *testing.T) {
	t.Parallel()
	cause := errors.New("row 7 of a table")
	for _, tt := range []struct {
		name string
		err  error
		text string
		code Code
	}{
		{"with field", Invalid("path", "a path is required"), "path: a path is required", CodeInvalid},
		{"without field", NotFound("project"), "project not found", CodeNotFound},
		{"wrapped", fmt.Errorf("push: %w", NotFound("entry")), "push: entry not found", CodeNotFound},
		{"joined", errors.Join(cause, NotFound("entry")), "row 7 of a table\nentry not found", CodeNotFound},
		{"the cause is for logs", &Error{Code: CodeQuota, Message: "full", Err: cause}, "full", CodeQuota},
		{"another error", cause, "row 7 of a table", CodeInternal},
		{"none", nil, "", CodeInternal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.err != nil && tt.err.Error() != tt.text {
				t.Errorf("got %q, want %q", tt.err, tt.text)
			}
			if got := CodeOf(tt.err); got != tt.code {
				t.Errorf("got %s, want %s", got, tt.code)
			}
			if got := asError(tt.err); (got != nil) != (tt.err != nil && tt.code != CodeInternal) {
				t.Errorf("got %v", got)
			}
		})
	}
	if err := error(&Error{Code: CodeQuota, Err: cause}); !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}
