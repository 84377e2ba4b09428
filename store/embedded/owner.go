package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"syscall"
)

var errNoNamespaces = errors.New("this system has none")

// how Postgres comes to run as the owner of its data folder.
type how int

const (
	asSelf   how = iota // we are that account
	asOther             // we are root and become that account
	asMapped            // we are root, and a user namespace gives us another number
)

// An owner is the account that owns a data folder and therefore runs Postgres.
type owner struct {
	how      how
	uid, gid int
	name     string // for messages
}

func (o owner) String() string {
	if o.how == asMapped {
		return "root in a user namespace"
	}
	return o.name
}

// ownerOfData is the owner that an existing data folder asks for.
func ownerOfData(path string, info fs.FileInfo) (owner, error) {
	uid, gid := idsOf(info)
	o := owner{uid: uid, gid: gid, name: accountName(uid)}
	switch euid := os.Geteuid(); {
	case uid == 0 && euid == 0:
		o.how = asMapped
	case uid == euid:
		o.how = asSelf
	case euid == 0:
		o.how = asOther
		if acc, ok := lookupAccount(o.name); ok {
			o.gid = acc.gid
		}
	default:
		return owner{}, fmt.Errorf("use %s: it belongs to %s, and this is %s; run teammem as %s, or give it another data folder",
			path, o.name, accountName(euid), o.name)
	}
	return o, nil
}

// candidates are the accounts that may own a new data folder, best first.
// parent is the instance's folder, whose owner can surely reach it.
func candidates(parent fs.FileInfo, namespaces bool) []owner {
	if euid := os.Geteuid(); euid != 0 {
		return []owner{{how: asSelf, uid: euid, gid: os.Getegid(), name: accountName(euid)}}
	}
	var list []owner
	if uid, _ := idsOf(parent); uid != 0 {
		// Root is at work in somebody else's folder: they will want to run it too.
		if acc, ok := lookupAccount(accountName(uid)); ok {
			list = append(list, acc)
		}
	}
	if namespaces {
		list = append(list, owner{how: asMapped, uid: 0, gid: os.Getegid(), name: "root"})
	}
	names := []string{"postgres", "nobody", "daemon"}
	for _, name := range names {
		if acc, ok := lookupAccount(name); ok && acc.uid != 0 && !slices.Contains(list, acc) {
			list = append(list, acc)
		}
	}
	return list
}

// firstAble returns the first account that can run Postgres in the folder.
func (f *folder) firstAble(ctx context.Context, b binaries, list []owner) (owner, error) {
	var problems []error
	for _, o := range list {
		err := f.canRun(ctx, b, o)
		if err == nil {
			return o, nil
		}
		problems = append(problems, err)
	}
	return owner{}, errors.Join(problems...)
}

func (f *folder) namespaces() bool { return haveNamespaces && !f.opt.noNamespaces }

// canRun asks the kernel whether o may execute the binaries and enter the
// folder. Only a try takes everything into account: modes, access lists,
// namespaces.
func (f *folder) canRun(ctx context.Context, b binaries, o owner) error {
	version := func(dir string) error {
		cmd := exec.CommandContext(ctx, b.path("postgres"), "--version")
		cmd.Dir = dir
		return o.run(cmd)
	}
	err := errNoNamespaces
	if o.how != asMapped || f.namespaces() {
		err = version("/")
	}
	if err != nil && o.how == asMapped {
		return fmt.Errorf("run Postgres for root, which it refuses outside a user namespace: %w; run teammem as an ordinary user, or give the folder to one (chown -R postgres %s)", err, f.data())
	}
	if err != nil {
		return fmt.Errorf("run Postgres as %s: %w", o, err)
	}
	if err := version(f.dir); err != nil {
		return fmt.Errorf("run Postgres as %s: it cannot enter %s: %w; open the way (chmod o+x on it and the folders above), or give teammem a folder elsewhere, such as /var/lib/teammem", o, f.dir, err)
	}
	return nil
}

// run runs a helper to its end as o. The kernel kills the helper when the
// thread that started it ends, so the goroutine keeps its thread meanwhile.
func (o owner) run(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = o.attr(syscall.SIGKILL)
	return cmd.Run()
}

// lookupAccount finds an account by name.
func lookupAccount(name string) (owner, bool) {
	u, err := user.Lookup(name)
	if err != nil {
		return owner{}, false
	}
	uid, uidErr := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	return owner{how: asOther, uid: uid, gid: gid, name: u.Username}, uidErr == nil && gidErr == nil
}

// accountName is the name of the account uid, or its number where it has none.
func accountName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(uid)
}

// innerUID is the number that root has inside its user namespace. initdb looks
// it up, so it has to be an account's; 65534 is what foreign files show as.
func innerUID() int {
	const overflow = 65534
	for _, name := range []string{"postgres", "daemon", "bin", "nobody"} {
		if acc, ok := lookupAccount(name); ok && acc.uid != 0 && acc.uid != overflow {
			return acc.uid
		}
	}
	return overflow
}
