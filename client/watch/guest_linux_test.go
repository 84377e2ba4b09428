package watch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/client/tree"
	"github.com/teammem/teammem/internal/testdisk"
)

// guestTree makes the test binary watch the tree in a folder, and say why it
// cannot.
const guestTree = "TEAMMEM_WATCH_TEST_TREE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(guestTree); dir != "" {
		why, err := watchAsGuest(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(why)
		return
	}
	os.Exit(m.Run())
}

func watchAsGuest(dir string) (why string, err error) {
	p := newProject(New(Options{Clock: time.Now}), client.Link{MemoryReal: dir}, nil)
	if err := testdisk.Submit(); err != nil {
		return "", err
	}
	p.ears.open()
	defer p.ears.close()
	_, why = p.ears.follow(p, []string{"", "sub"}, true)
	return why, nil
}

// F35: what the kernel says when there is nothing left to watch with, of folders
// or of watchers, is said in words that name what is short and how to get more;
// "no space left on device" is not among them.
func TestField_F35_OutOfWatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, tree.FolderName, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		call  string
		errno unix.Errno
		want  string
	}{
		"enough":      {"", 0, ""},
		"no watches":  {"inotify_add_watch", unix.ENOSPC, "this user's limit of watched folders is reached; raise it with sysctl fs.inotify.max_user_watches"},
		"no watchers": {"inotify_init1", unix.EMFILE, "this user's limit of watchers or open files is reached; raise it with sysctl fs.inotify.max_user_instances, or ulimit -n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
			cmd.Env = append(os.Environ(), guestTree+"="+dir, "GORACE=atexit_sleep_ms=10")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			calls := 0
			err := testdisk.Run(cmd, func(call testdisk.Call) testdisk.Verdict {
				// The last folder is the one for which nothing is left.
				if call.Name == c.call && (c.call == "inotify_init1" || filepath.Base(call.Path) == "sub") {
					calls++
					return testdisk.Fail(c.errno)
				}
				return testdisk.Go
			})
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			if got := stdout.String(); got != c.want || (calls > 0) != (c.call != "") {
				t.Errorf("after %d calls it says %q, want %q", calls, got, c.want)
			}
		})
	}
}
