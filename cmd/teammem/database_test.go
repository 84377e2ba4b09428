//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
)

// A mistyped folder makes a new instance, since that is how every instance
// begins; but not without a word, also where the command itself fails.
func TestAdmin_SaysThatItMadeAnInstance(t *testing.T) {
	t.Parallel()
	dir := privateFolder(t)
	data := filepath.Join(dir, "typo")
	for _, step := range []struct {
		args []string
		says bool
	}{
		{args: []string{"token", "create", "--member", "nobody", "--scope", "sync:read"}, says: true},
		{args: []string{"member", "add", "mara"}},
	} {
		c := program(t.Context(), dir, append([]string{"admin", "--data", data}, step.args...)...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		err := c.Run()
		if says := strings.Contains(stderr.String(), "made a new instance in "+data); says != step.says {
			t.Errorf("%v: says it %v, want %v: %s (%v)", step.args, says, step.says, &stderr, err)
		}
	}
}

// A server whose cluster is gone ends. A new one in its place would answer
// under the old instance's name.
func TestServe_DataFolderGone(t *testing.T) {
	t.Parallel()
	tm := &team{dir: privateFolder(t)}
	tm.start(t, anyPort())
	data := filepath.Join(tm.dir, "instance", "postgres")
	raw, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(data, data+".gone"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := tm.server.Wait(); err == nil || !strings.Contains(tm.log.String(), "find a cluster") {
		t.Errorf("ended with %v: %s", err, tm.log)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("a new cluster: %v", err)
	}
}

// A password that is in a file gets into the address as it is, whatever its
// characters are.
func TestDatabaseOptions_FullURL(t *testing.T) {
	t.Parallel()
	const password = "p@ss/w:ord%20 ?#&'\\ü"
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"postgres://u@host:1/name?sslmode=disable", "postgresql://u@/name?host=%2Frun%2Fpg"} {
		full, err := (&databaseOptions{url: address, password: file}).fullURL()
		if err != nil {
			t.Fatal(err)
		}
		config, err := pgx.ParseConfig(full)
		if err != nil || config.Password != password || config.User != "u" || config.Database != "name" {
			t.Errorf("%s: %v", address, err)
		}
	}
	if full, err := (&databaseOptions{url: "host=x user=u"}).fullURL(); err != nil || full != "host=x user=u" {
		t.Errorf("without a password in a file it is %q, %v", full, err)
	}
}
