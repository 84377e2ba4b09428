package embedded

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// socketPort only names the socket's file.
const socketPort = 5432

// maxSocketPath is what fits into sun_path on every system we run on: macOS has
// 104 bytes, Linux 108, and the last one is zero.
const maxSocketPath = 103

// fitForSocket reports whether a socket can be in dir. A comma would make it
// two hosts for pgx and libpq.
func fitForSocket(dir string) bool {
	return len(socketFile(dir)) <= maxSocketPath && !strings.Contains(dir, ",")
}

func socketFile(dir string) string {
	return filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(socketPort))
}

// socketDir makes the private folder for the socket: in the instance's folder,
// or where that path will not do, in the system's temporary one. Other
// processes find it in postmaster.pid.
func (f *folder) socketDir(o owner) (string, error) {
	own := f.path(socketName)
	if fitForSocket(own) {
		return own, f.makeSocketDir(o)
	}
	name := fmt.Sprintf("teammem-%x", sha256.Sum256([]byte(f.dir)))[:len("teammem-")+16]
	for _, base := range []string{os.TempDir(), "/tmp"} {
		dir := filepath.Join(base, name)
		if fitForSocket(dir) && makePrivateDir(dir, o) == nil {
			return dir, nil
		}
	}
	// Somebody else has that name; everybody may write there.
	dir, err := os.MkdirTemp("/tmp", "teammem-")
	if err == nil && o.how == asOther {
		err = os.Lchown(dir, o.uid, o.gid)
	}
	if err != nil {
		return "", fmt.Errorf("make a folder for the socket, since %s is too long or has a comma in it: %w; give teammem a data folder with a shorter path", own, err)
	}
	return dir, nil
}

// makeSocketDir makes, or sets right, the folder inside the instance's folder.
func (f *folder) makeSocketDir(o owner) error {
	if err := f.root.Mkdir(socketName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if os.Geteuid() == 0 {
		if err := f.root.Lchown(socketName, o.uid, o.gid); err != nil {
			return err
		}
	}
	return f.root.Chmod(socketName, 0o700)
}

// makePrivateDir makes a folder in a place where anybody can make one. It takes
// an existing one only if nobody but o can have put anything into it.
func makePrivateDir(dir string, o owner) error {
	err := os.Mkdir(dir, 0o700)
	if err == nil && o.how == asOther {
		return os.Lchown(dir, o.uid, o.gid)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if uid, _ := idsOf(info); uid != o.uid || info.Mode() != fs.ModeDir|0o700 {
		return fmt.Errorf("use %s: not a private folder of %s", dir, o)
	}
	return nil
}

// removeStaleSocket removes what a killed server left. Its lock file would stop
// the next one if its process number has been given to another program.
func removeStaleSocket(dir string) error {
	for _, path := range []string{socketFile(dir), socketFile(dir) + ".lock"} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// socketURL addresses a database through the socket. It says in full where to
// go, so that PG… variables have no say in it.
func socketURL(dir, database string) string {
	query := url.Values{"host": {dir}, "port": {strconv.Itoa(socketPort)}, "sslmode": {"disable"}}
	u := url.URL{
		Scheme: "postgres",
		User:   url.User(Role),
		Path:   "/" + database,
		// A plus is a plus to Postgres' clients, not a space.
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20"),
	}
	return u.String()
}

// ensureDatabase creates the instance's database in a new cluster.
func ensureDatabase(ctx context.Context, dir string) (err error) {
	conn, err := pgx.Connect(ctx, socketURL(dir, "postgres"))
	if err != nil {
		return fmt.Errorf("connect to the new server: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()

	var exists bool
	const query = "select exists (select from pg_database where datname = $1)"
	if err := conn.QueryRow(ctx, query, Database).Scan(&exists); err != nil {
		return fmt.Errorf("look for database %s: %w", Database, err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, "create database "+Database); err != nil {
		return fmt.Errorf("create database %s: %w", Database, err)
	}
	return nil
}

// answers reports whether the instance's database takes connections.
func answers(ctx context.Context, dir string) bool {
	conn, err := pgx.Connect(ctx, socketURL(dir, Database))
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}
