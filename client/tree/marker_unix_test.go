//go:build unix

package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teammem/teammem/memory"
)

func TestMarker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.Marker(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want not exist", err)
	}
	written, err := b.WriteMarker("ins_1", "prj_1")
	must(t, err)
	read, err := b.Marker(t.Context())
	must(t, err)
	if diff := cmp.Diff(written, read); diff != "" {
		t.Errorf("marker (-written +read):\n%s", diff)
	}
	if read.Instance != "ins_1" || read.Project != "prj_1" || len(read.Root) != 32 || read.Inode == 0 {
		t.Errorf("got %+v", read)
	}
	again, err := b.WriteMarker("ins_1", "prj_2")
	must(t, err)
	if again.Root == written.Root || again.Project != "prj_2" {
		t.Errorf("got %+v after %+v, want a new root", again, written)
	}
	b.wantOnDisk(".teammem")
	if l := b.list(); l.Ignored != 0 || len(l.Files) != 0 {
		t.Errorf("got %+v, want the marker to be no entry", l)
	}
}

func TestMarker_Link(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, os.WriteFile(filepath.Join(b.home, "victim"), []byte("x"), 0o600))
	must(t, os.Symlink(filepath.Join(b.home, "victim"), filepath.Join(b.dir, markerName)))
	_, err := b.Marker(t.Context())
	wantKind(t, err, KindSymlink)
}

func TestMarker_Refuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, text := range []string{"", "x", "instance a\nproject b\nroot short\n", "project b\nroot 0123456789abcdef\n"} {
		b.write(markerName, text)
		if m, err := b.Marker(t.Context()); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%q: got %+v and error %v, want it invalid", text, m, err)
		}
	}
	for _, instance := range []string{"", "two\nlines"} {
		if _, err := b.WriteMarker(instance, "prj_1"); memory.CodeOf(err) != memory.CodeInvalid {
			t.Errorf("%q: got error %v, want it invalid", instance, err)
		}
	}
}
