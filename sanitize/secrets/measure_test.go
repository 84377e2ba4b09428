package secrets

import "testing"

func TestMeasure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr     string
		min, max int
		compact  bool
		in, out  string
	}{
		{`abc`, 3, 3, true, "abc", "dA"},
		{`(?i)abk`, 3, 3, true, "abkABK", "c\xc4"},
		{`a{2,4}b?`, 2, 5, true, "ab", "c"},
		{`\bx(?:yy|z)+`, 2, unbounded, true, "xyz", "a"},
		{`[\w-]{10}`, 10, 10, true, "aZ9_-", " ."},
		{`a[^b]`, 2, 5, false, "a \n\xff", "b"},
		{`a.b`, 3, 6, false, "a \xff", ""},
		{`a\s*b`, 2, unbounded, false, "a \n", "c"},
		{`^(?:ab)$`, 2, 2, true, "ab", "c"},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			m, err := measure(tt.expr)
			if err != nil {
				t.Fatal(err)
			}
			if m.min != tt.min || m.max != tt.max || m.compact() != tt.compact {
				t.Errorf("got %d to %d, compact %t; want %d to %d, %t", m.min, m.max, m.compact(), tt.min, tt.max, tt.compact)
			}
			for i := range len(tt.in) {
				if !m.set[tt.in[i]] {
					t.Errorf("%q is not in the set", tt.in[i])
				}
			}
			for i := range len(tt.out) {
				if m.set[tt.out[i]] {
					t.Errorf("%q is in the set", tt.out[i])
				}
			}
		})
	}
	if _, err := measure(`a(`); err == nil {
		t.Error("a broken expression has measures")
	}
}
