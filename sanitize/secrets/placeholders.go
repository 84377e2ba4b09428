package secrets

import (
	"fmt"

	"github.com/zricethezav/gitleaks/v8/regexp"
)

// placeholders says which values stand for a secret instead of being one. The
// library's own lists match anywhere in a value, so that a token that contains
// "false" or "admin" would pass; these match a whole value or nothing.
func placeholders() []string {
	whole := []string{
		`(?i:true|false|null|none|nil|undefined|empty|unset|optional|required)`,
		`\$\w+`, `\$\{[^{}]*\}`, `\$\([^()]*\)`, `\$\{\{[^{}]*\}\}`, // shell, CI
		`\{\{[^{}]*\}\}`, `\{[\w.]*\}`, `<[^<>]*>`, `\[[\w -]*\]`, `@\w+@`, // templates
		`%\w+%`, `%[+\-# 0]?[a-zA-Z]`, // Windows, printf
		`[xX*.•_#?-]+`, `0+`,
		`(?i:(?:your|my|the|some|an?|example|sample|dummy|fake|test|demo|placeholder)[_-][a-z_-]{0,40})`,
		`(?i:your[a-z]{0,40}|example|sample|dummy|placeholder)`,
		`(?i:(?:replace|insert|enter|put|add|set|fill|paste)[_-]?(?:with|me|in|your|the|this|here)(?:[_-][a-z_-]{0,40})?)`,
		`(?i:change[_-]?(?:me|it|this)[!\d]{0,4})`,
		`(?i:redacted|masked|hidden|omitted|removed|secret|password|passwd|token|api[_-]?key)`,
	}
	for i, p := range whole {
		whole[i] = "^(?:" + p + ")$"
	}
	return whole
}

// compileExpr compiles one of our own expressions with the library's engine,
// which offers MustCompile alone.
func compileExpr(expr string) (compiled *regexp.Regexp, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("compile expression: %v", r)
		}
	}()
	return regexp.MustCompile(expr), nil
}
