package memory

import (
	"errors"
	"testing"

	"github.com/teammem/teammem/sanitize"
)

func TestPath_Parts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key, dir, base, stem string
		index                bool
	}{
		{"db.md", "", "db.md", "db", false},
		{"testing/db.md", "testing", "db.md", "db", false},
		{"a/b/c.d.md", "a/b", "c.d.md", "c.d", false},
		{"MEMORY.md", "", "MEMORY.md", "MEMORY", true},
		{"notes/MEMORY.md", "notes", "MEMORY.md", "MEMORY", true},
		{"memory.md", "", "memory.md", "memory", false},
		{"记忆/数据库.md", "记忆", "数据库.md", "数据库", false},
	} {
		t.Run(tt.key, func(t *testing.T) {
			t.Parallel()
			p := path1(t, tt.key)
			if p.String() != tt.key || p.Dir() != tt.dir || p.Base() != tt.base || p.Stem() != tt.stem || p.IsIndex() != tt.index {
				t.Errorf("got %q: %q %q %q %v", p, p.Dir(), p.Base(), p.Stem(), p.IsIndex())
			}
			if p != StoredPath(tt.key) || p.IsZero() {
				t.Errorf("the stored key is another path")
			}
		})
	}
}

func TestPath_Zero(t *testing.T) {
	t.Parallel()
	var p Path
	if !p.IsZero() || p.String() != "" || p.Dir() != "" || p.Base() != "" || p.Stem() != "" || p.IsIndex() || p.Skeleton() != "" {
		t.Errorf("the zero path names something: %+v", p)
	}
}

// A rejected key gives nothing but the reason: where, by which layer, and what
// to do.
func TestParsePath_Rejected(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		raw      string
		layer    sanitize.Layer
		position int
	}{
		{"", sanitize.LayerSegment, 0},
		{"../up.md", sanitize.LayerTraversal, 0},
		{"a/../up.md", sanitize.LayerTraversal, 2},
		{"notes/db.txt", sanitize.LayerExtension, 6},
	} {
		t.Run(tt.raw, func(t *testing.T) {
			t.Parallel()
			p, err := ParsePath(tt.raw)
			e := asError(err)
			if e == nil || e.Code != CodePathRejected || e.Field != "path" || e.Hint == "" || !p.IsZero() {
				t.Fatalf("got %q, %+v", p, e)
			}
			if e.Layer != string(tt.layer) || e.Position != tt.position {
				t.Errorf("got layer %s at %d, want %s at %d", e.Layer, e.Position, tt.layer, tt.position)
			}
			if _, err := ParseServedPath(tt.raw); CodeOf(err) != CodePathRejected {
				t.Errorf("served: %v", err)
			}
		})
	}
}

func TestParsePath_IsCanonical(t *testing.T) {
	t.Parallel()
	const decomposed, composed = "u\u0308ber.md", "\u00fcber.md"
	for name, parse := range map[string]func(string) (Path, error){"pushed": ParsePath, "served": ParseServedPath} {
		if p, err := parse(decomposed); err != nil || p != StoredPath(composed) {
			t.Errorf("%s: got %q, %v", name, p, err)
		}
	}
}

// A code point that is newer than our tables is refused from a member, and
// taken from a server which may know it.
func TestParseServedPath_NewerCodePoints(t *testing.T) {
	t.Parallel()
	const unassigned = "\U0001FADD.md"
	_, pushed := ParsePath(unassigned)
	served, err := ParseServedPath(unassigned)
	if CodeOf(pushed) != CodePathRejected || err != nil || served.String() != unassigned {
		t.Errorf("pushed: %v; served: %q, %v", pushed, served, err)
	}
}

func TestCheckTwin(t *testing.T) {
	t.Parallel()
	var names sanitize.Names
	names.Add("Notes/db.md")
	if err := CheckTwin(&names, path1(t, "Notes/other.md")); err != nil {
		t.Errorf("no twin: %v", err)
	}
	err := CheckTwin(&names, path1(t, "Notes/DB.md"))
	if err == nil || err.Code != CodePathRejected || err.Layer != string(sanitize.LayerCase) || err.Position != len("Notes/") {
		t.Errorf("got %+v", err)
	}
}

func TestPathRejected_OtherError(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	if e := pathRejected(cause); e.Code != CodePathRejected || e.Layer != "" || !errors.Is(e, cause) {
		t.Errorf("got %+v", e)
	}
}
