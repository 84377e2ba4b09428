package sync_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	msync "github.com/teammem/teammem/sync"
)

func TestAnnotated_Next(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		texts []string
		want  string // number and line
	}{
		"nothing":      {nil, ""},
		"one":          {[]string{"a\nb\n"}, "1 a|1 b|"},
		"in between":   {[]string{"a\nc\n", "a\nb\nc\n"}, "1 a|2 b|1 c|"},
		"changed":      {[]string{"a\nb\nc\n", "a\nB\nc\n", "A\nB\nc\n"}, "3 A|2 B|1 c|"},
		"line ends":    {[]string{"a\nb\n", "a\r\nb\r\nc\r\n", "a\nb\nc"}, "1 a|1 b|2 c|"},
		"emptied":      {[]string{"a\n", ""}, ""},
		"came back":    {[]string{"a\nb\n", "a\n", "a\nb\n"}, "1 a|3 b|"},
		"no final end": {[]string{"a", "a\nb"}, "1 a|2 b|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a msync.Annotated
			for i, text := range tc.texts {
				a = a.Next(int64(i+1), text)
			}
			var got strings.Builder
			for _, line := range a {
				fmt.Fprintf(&got, "%d %s|", line.Rev, line.Text)
			}
			if diff := cmp.Diff(tc.want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The lines are those of the newest text, and each one was in the revision that
// it is said to come from.
func TestAnnotated_Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d d"}), 0, 8)
		versions := rapid.SliceOfN(lines, 1, 6).Draw(t, "versions")
		var a msync.Annotated
		for i, version := range versions {
			a = a.Next(int64(i), strings.Join(append(version, ""), "\n"))
		}
		var got []string
		for _, line := range a {
			got = append(got, line.Text)
			if !strings.Contains("\n"+strings.Join(append(versions[line.Rev], ""), "\n"), "\n"+line.Text+"\n") {
				t.Fatalf("%q is not in version %d", line.Text, line.Rev)
			}
		}
		want := versions[len(versions)-1]
		if strings.Join(got, "\n") != strings.Join(want, "\n") || len(got) != len(want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
