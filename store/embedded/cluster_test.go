//go:build linux || darwin

package embedded

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

func TestStart_MakesClusterAndKeepsItsData(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new", "instance")
	var log bytes.Buffer
	c, err := Start(t.Context(), dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, c) })
	if !c.Owned() || !c.Made() {
		t.Error("a new cluster is not owned, or does not say that it is new")
	}
	settings := map[string]string{}
	for _, name := range []string{
		"server_encoding", "lc_collate", "lc_ctype", "data_checksums", "fsync", "full_page_writes", "synchronous_commit",
		"listen_addresses", "shared_buffers", "max_connections", "unix_socket_permissions", "log_statement", "TimeZone",
	} {
		settings[name] = query(t, c.URL(), "select coalesce(current_setting($1, true), (select datcollate from pg_database where datname = current_database()))", name)
	}
	want := map[string]string{
		"server_encoding": "UTF8", "lc_collate": "C", "lc_ctype": "C", "data_checksums": "on", "fsync": "on", "full_page_writes": "on",
		"synchronous_commit": "on", "listen_addresses": "", "shared_buffers": "64MB", "max_connections": "50",
		"unix_socket_permissions": "0700", "log_statement": "none", "TimeZone": "UTC",
	}
	if diff := cmp.Diff(want, settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if got := query(t, c.URL(), "select current_database() || ' ' || current_user"); got != "teammem teammem" {
		t.Errorf("database and role %q", got)
	}
	for name, want := range map[string]fs.FileMode{
		"": 0o700, socketName: 0o700, dataName: 0o700, LockName: 0o600, logName: 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%q has mode %v, want %v", name, info.Mode(), want)
		}
	}
	query(t, c.URL(), "create table kept as select 'something'::text as what")
	stop(t, c)
	if err := c.Err(); err != nil {
		t.Errorf("Err after Stop: %v", err)
	}
	select {
	case <-c.Done():
	default:
		t.Error("Done is open after Stop")
	}
	again := start(t, dir, Options{Existing: true})
	if got := query(t, again.URL(), "select what from kept"); got != "something" || again.Made() {
		t.Errorf("after a restart %q, made anew: %v", got, again.Made())
	}
	for _, line := range []string{"making a postgres cluster", "postgres started", "postgres stopped"} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("%q was not logged", line)
		}
	}
}

func TestStart_PostmasterKilled(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	c := start(t, dir, Options{})
	query(t, c.URL(), "create table kept as select 'something'::text as what")
	if err := syscall.Kill(postmasterPID(t, dir), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("Err is %v", err)
	}
	stop(t, c)
	again := start(t, dir, Options{})
	if got := query(t, again.URL(), "select what from kept"); got != "something" {
		t.Errorf("after the recovery %q", got)
	}
}

func TestStart_ParentKilled(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	parent := spawned(t, helperCall{Dir: dir}, nil)
	query(t, parent.URL, "create table kept as select 'something'::text as what")
	pid := postmasterPID(t, dir)
	parent.kill(t)
	// At once: the next start has to wait for the old server's end by itself.
	c := start(t, dir, Options{})
	if isPostmaster(pid, filepath.Join(dir, dataName)) {
		t.Errorf("postmaster %d outlived its parent", pid)
	}
	if got := query(t, c.URL(), "select what from kept"); got != "something" {
		t.Errorf("after the recovery %q", got)
	}
}

func TestStart_ParentKilledEndsPostgres(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	parent := spawned(t, helperCall{Dir: dir}, nil)
	pid := postmasterPID(t, dir)
	parent.kill(t)
	eventually(t, "postmaster ended", func() bool { return !processExists(pid) })
}

func TestStart_EveryoneKilled(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	parent := spawned(t, helperCall{Dir: dir}, nil)
	query(t, parent.URL, "create table kept as select 'something'::text as what")
	pid := postmasterPID(t, dir)
	if err := errors.Join(syscall.Kill(pid, syscall.SIGKILL), parent.cmd.Process.Kill()); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, Options{})
	if got := query(t, c.URL(), "select what from kept"); got != "something" {
		t.Errorf("after the recovery %q", got)
	}
}

func TestOpen_BesideAnotherProcess(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	serve := spawned(t, helperCall{Dir: dir}, nil)
	query(t, serve.URL, "create table kept as select 'something'::text as what")

	admin, err := Open(t.Context(), dir, Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	if admin.Owned() {
		t.Error("admin owns the cluster of serve")
	}
	if admin.Err() != nil || admin.Done() != nil {
		t.Error("an opened cluster ends")
	}
	if got := query(t, admin.URL(), "select what from kept"); got != "something" {
		t.Errorf("admin sees %q", got)
	}
	stop(t, admin)
	if got := query(t, serve.URL, "select what from kept"); got != "something" {
		t.Errorf("serve sees %q after admin left", got)
	}
	serve.stop(t)

	alone, err := Open(t.Context(), dir, Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	defer stop(t, alone)
	if !alone.Owned() {
		t.Error("admin alone does not own the cluster")
	}
}

func TestOpen_BesideAStartingProcess(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "instance")
	spawn(t, helperCall{Dir: dir}, nil)
	eventually(t, "initdb runs", func() bool {
		_, err := os.Stat(filepath.Join(dir, initName))
		return err == nil
	})
	admin, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if admin.Owned() {
		t.Error("both own the cluster")
	}
	query(t, admin.URL(), "select 'works'")
}

func TestStart_Refused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opt  Options
		dir  func(t *testing.T) string
		want []string
	}{
		{
			name: "another process runs it",
			opt:  Options{patience: 100 * time.Millisecond},
			dir: func(t *testing.T) string {
				t.Helper()
				dir := existing(t)
				spawned(t, helperCall{Dir: dir}, nil)
				return dir
			},
			want: []string{"another teammem runs this cluster", "process ", "stop it"},
		},
		{
			name: "foreign folder",
			dir: func(t *testing.T) string {
				t.Helper()
				dir := existing(t)
				must(t, os.Remove(filepath.Join(dir, dataName, markerName)))
				return dir
			},
			want: []string{"teammem did not make it", "move it away", markerName},
		},
		{
			name: "a file in its place",
			dir: func(t *testing.T) string {
				t.Helper()
				dir := t.TempDir()
				must(t, os.WriteFile(filepath.Join(dir, dataName), []byte("mine"), 0o600))
				return dir
			},
			want: []string{"teammem did not make it", "move it away"},
		},
		{
			name: "version without binaries",
			dir: func(t *testing.T) string {
				t.Helper()
				dir := existing(t)
				must(t, os.WriteFile(filepath.Join(dir, dataName, "PG_VERSION"), []byte("9\n"), 0o600))
				return dir
			},
			want: []string{"Postgres 9", binEnv, "install it", "teammem admin backup", "teammem admin restore"},
		},
		{
			name: "version unreadable",
			dir: func(t *testing.T) string {
				t.Helper()
				dir := existing(t)
				must(t, os.WriteFile(filepath.Join(dir, dataName, "PG_VERSION"), nil, 0o600))
				return dir
			},
			want: []string{"PG_VERSION", "restore a backup"},
		},
		{
			name: "no cluster where one must exist",
			opt:  Options{Existing: true},
			dir: func(t *testing.T) string {
				t.Helper()
				return filepath.Join(t.TempDir(), "typo")
			},
			want: []string{"find a cluster", "typo", "start teammem serve"},
		},
		{
			name: "an empty folder where a cluster must be",
			opt:  Options{Existing: true},
			dir: func(t *testing.T) string {
				t.Helper()
				dir := t.TempDir()
				must(t, os.Mkdir(filepath.Join(dir, dataName), 0o700))
				return dir
			},
			want: []string{"find a cluster", markerName, "start teammem serve"},
		},
		{
			name: "no binaries where they are said to be",
			opt:  Options{BinDir: "/nowhere/bin"},
			dir: func(t *testing.T) string {
				t.Helper()
				return t.TempDir()
			},
			want: []string{"/nowhere/bin", "install it", binEnv, "database URL"},
		},
		{
			name: "wrong setting",
			opt:  Options{Settings: map[string]string{"shared_buffers": "many"}},
			dir:  existing,
			want: []string{"shared_buffers", "many", logName},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tt.dir(t)
			before := files(t, dir)
			c, err := Start(t.Context(), dir, tt.opt)
			if err == nil {
				stop(t, c)
				t.Fatal("started")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q: %v", want, err)
				}
			}
			if diff := cmp.Diff(before, files(t, dir)); diff != "" {
				t.Errorf("data changed (-before +after):\n%s", diff)
			}
		})
	}
}

// files lists the data folder with sizes; without it, nothing.
func files(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	list := map[string]int64{}
	err := fs.WalkDir(os.DirFS(dir), dataName, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			list[path] = info.Size()
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

func TestStart_InitdbInterrupted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "instance")
	p, _ := spawn(t, helperCall{Dir: dir}, nil)
	eventually(t, "initdb wrote something", func() bool {
		_, err := os.Stat(filepath.Join(dir, initName, "PG_VERSION"))
		return err == nil
	})
	p.kill(t)
	if _, err := os.Stat(filepath.Join(dir, dataName)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("half a data folder has its name: %v", err)
	}
	c := start(t, dir, Options{Throwaway: true})
	query(t, c.URL(), "select 'works'")
	if _, err := os.Stat(filepath.Join(dir, initName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the unfinished folder is still there: %v", err)
	}
}

func TestStart_EmptyDataFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, dataName), 0o755))
	c := start(t, dir, Options{Throwaway: true})
	query(t, c.URL(), "select 'works'")
}

func TestStart_StalePIDFiles(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	// As after a reboot: the number now belongs to a program of the same account.
	stale := "1\n2\n3\n5432\n" + filepath.Join(dir, socketName) + "\n\n  5432001 0\nready   \n"
	stale = strings.Replace(stale, "1", itoa(os.Getpid()), 1)
	must(t, os.WriteFile(pidFilePath(filepath.Join(dir, dataName)), []byte(stale), 0o600))
	must(t, os.WriteFile(socketFile(filepath.Join(dir, socketName))+".lock", []byte(stale), 0o600))
	c := start(t, dir, Options{})
	query(t, c.URL(), "select 'works'")
}

func TestStart_ForeignServerRuns(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	f, err := openFolder(dir, Options{}.withDefaults())
	must(t, err)
	o, b, err := f.prepare(t.Context())
	must(t, err)
	s, err := f.startPostmaster(t.Context(), b, o, filepath.Join(dir, socketName))
	must(t, err)

	_, err = Start(t.Context(), dir, Options{patience: 100 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "kill -INT "+itoa(s.cmd.Process.Pid)) {
		t.Errorf("beside a foreign server: %v", err)
	}
	if !s.await(t.Context(), 0) {
		must(t, s.stop(t.Context(), stopPatience))
	} else {
		t.Error("the foreign server was stopped")
	}
	start(t, dir, Options{})
}

func TestStart_ContextEnds(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, dir, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	start(t, dir, Options{})
}

func TestStop_DisconnectsClients(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	c := start(t, dir, Options{})
	conn, err := pgx.Connect(t.Context(), c.URL())
	must(t, err)
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "create table lost (a int)")
	must(t, err)
	stop(t, c)
	again := start(t, dir, Options{})
	if got := query(t, again.URL(), "select coalesce(to_regclass('lost')::text, 'rolled back')"); got != "rolled back" {
		t.Errorf("an open transaction left %q", got)
	}
}

func TestLog_HoldsNoContent(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	c := start(t, dir, Options{Settings: map[string]string{"log_statement": "all", "log_min_messages": "debug1"}})
	conn, err := pgx.Connect(t.Context(), c.URL())
	must(t, err)
	defer conn.Close(t.Context())
	const content = "nobody-may-read-this"
	_, err = conn.Exec(t.Context(), "create table entry (path text primary key, size int not null)")
	must(t, err)
	statements := []struct {
		sql  string
		args []any
	}{
		{"insert into entry values ($1, 1), ($1, 1)", []any{content}},
		{"insert into entry values ('" + content + "', null)", nil},
		{"select '" + content + "'::uuid", nil},
		{"select $1::text::int", []any{content}},
		{"syntax error '" + content + "'", nil},
		{"do $$ begin raise warning '" + content + "'; end $$", nil},
		{"do $$ begin raise exception '" + content + "'; end $$", nil},
		{"select '" + content + "', pg_terminate_backend(pg_backend_pid())", nil},
	}
	for _, s := range statements {
		_, err := conn.Exec(t.Context(), s.sql, s.args...)
		t.Logf("%s: %v", s.sql, err)
	}
	stop(t, c)
	raw, err := os.ReadFile(filepath.Join(dir, logName))
	must(t, err)
	if bytes.Contains(raw, []byte(content)) {
		t.Errorf("content reached the log:\n%s", raw)
	}
	if !bytes.Contains(raw, []byte("FATAL:  terminating connection")) || !bytes.Contains(raw, []byte("database system is shut down")) {
		t.Errorf("the log lacks the server's own life:\n%s", raw)
	}
}

func TestLog_TrimmedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	dir := existing(t)
	c := start(t, dir, Options{})
	path := filepath.Join(dir, logName)
	must(t, os.WriteFile(path, bytes.Repeat([]byte("a line of a storm\n"), maxLog/10), 0o600))
	must(t, c.folder.trimLog())
	old, err := os.Stat(path + ".1")
	must(t, err)
	if old.Size() != maxLog {
		t.Errorf("the old log has %d bytes", old.Size())
	}
	stop(t, c)
	raw, err := os.ReadFile(path)
	must(t, err)
	if len(raw) > 4096 || !bytes.Contains(raw, []byte("database system is shut down")) {
		t.Errorf("the new log has %d bytes and starts with %.200q", len(raw), raw)
	}
}

func TestSocket_Place(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		letter string // that the folder's name is made of
		length int    // of the socket's path
		inside bool   // the instance's folder
	}{
		{"as long as possible", "d", maxSocketPath, true},
		{"one too long", "d", maxSocketPath + 1, false},
		{"far too long", "d", 400, false},
		{"odd characters", "%?&+ '\"é", 90, true},
		{"commas", ",", 90, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, err := os.MkdirTemp("/tmp", "len") //nolint:usetesting // short, so that the length is ours to choose
			must(t, err)
			t.Cleanup(func() { must(t, os.RemoveAll(base)) })
			dir := base
			for len(dir) < tt.length-len(socketFile("/"+socketName)) {
				rest := tt.length - len(socketFile("/"+socketName)) - len(dir)
				dir = filepath.Join(dir, strings.Repeat(tt.letter, 200)[:max(1, min(rest-1, 200))])
			}
			must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
			must(t, os.CopyFS(dir, os.DirFS(filepath.Dir(filepath.Join(existing(t), dataName)))))

			c := start(t, dir, Options{})
			if c.socketDir == filepath.Join(dir, socketName) != tt.inside {
				t.Errorf("socket in %s for %s", c.socketDir, dir)
			}
			query(t, c.URL(), "select 'works'")
			beside := spawned(t, helperCall{Dir: dir, Open: true}, nil)
			query(t, beside.URL, "select 'works'")
			stop(t, c)
			if _, err := os.Stat(c.socketDir); !tt.inside && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s was left", c.socketDir)
			}
		})
	}
}

func TestSocket_NameTakenByAnother(t *testing.T) {
	t.Parallel()
	f := &folder{dir: "/tmp/" + strings.Repeat("d", 200)}
	o := owner{uid: os.Geteuid(), gid: os.Getegid()}
	first, err := f.socketDir(o)
	must(t, err)
	t.Cleanup(func() { must(t, os.Remove(first)) })
	again, err := f.socketDir(o)
	must(t, err)
	if again != first {
		t.Errorf("%s, then %s", first, again)
	}
	must(t, os.Chmod(first, 0o755))
	other, err := f.socketDir(o)
	must(t, err)
	t.Cleanup(func() { must(t, os.Remove(other)) })
	info, err := os.Stat(other)
	must(t, err)
	if other == first || info.Mode().Perm() != 0o700 {
		t.Errorf("took %s with mode %v", other, info.Mode())
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"":           "",
		"one\ntwo\n": "one | two",
		"start\nFATAL:  no space left\nchild ended\ninitdb: removing\ndone\n": "FATAL:  no space left | child ended | initdb: removing | done",
		"a\nb\nc\ninitdb: error: d\n":                                         "b | c | initdb: error: d",
	} {
		if got := reason(out); got != want {
			t.Errorf("%q gives %q, want %q", out, got, want)
		}
	}
}

func TestStart_InitdbCancelled(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "instance")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Start(ctx, dir, Options{Throwaway: true})
		done <- err
	}()
	eventually(t, "initdb runs", func() bool {
		_, err := os.Stat(filepath.Join(dir, initName))
		return err == nil
	})
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "killed") {
		t.Errorf("got %v", err)
	}
}
