package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"

	"github.com/teammem/teammem/client"
	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/embedded"
)

// littleRoom is when a disk is worth a word: Postgres stops when it is full.
const littleRoom = 1 << 30

// runServerDoctor examines an instance, and alters nothing of it.
func (a *app) runServerDoctor(ctx context.Context, o databaseOptions, asJSON bool) (err error) {
	var checks []client.Check
	if o.url == "" {
		state, err := embedded.Examine(ctx, o.data, embedded.Options{BinDir: a.getenv("TEAMMEM_PG_BIN")})
		if err != nil {
			return memory.Invalid("data", err.Error())
		}
		checks = checkCluster(state)
		if state.Err != nil {
			return a.printExamined(checks, asJSON)
		}
	}
	db, err := a.openPlace(ctx, o, slog.New(slog.DiscardHandler), embedded.Open, true)
	if err != nil {
		return a.printExamined(append(checks, unable("database", err)), asJSON)
	}
	defer func() { err = errors.Join(err, db.close()) }()
	x, err := store.Examine(ctx, db.url)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return a.printExamined(append(checks, unable("database", err)), asJSON)
	}
	checks = append(checks, checkSchema(x))
	if x.Instance != "" {
		checks = append(append(checks, checkInstance(x)), checkProjects(x)...)
		checks = append(checks, a.checkMaster(o, x)...)
	}
	return a.printExamined(checks, asJSON)
}

// checkCluster tells which Postgres it is, whose, and who runs it.
func checkCluster(s embedded.State) []client.Check {
	programs := client.Check{Name: "postgres", Grade: client.Well, Detail: fmt.Sprintf("Postgres %s in %s, for data of version %d", s.Version, s.Binaries, s.Major), Source: s.From}
	if s.Err != nil {
		programs = client.Check{Name: "postgres", Grade: client.Wrong, Detail: s.Err.Error(), Source: s.Dir, Fix: "do that, then run it again"}
	}
	folder := client.Check{Name: "data folder", Grade: client.Well, Detail: fmt.Sprintf("belongs to %s; %s on disk", s.Owner, bytesOf(s.Bytes)), Source: s.Dir}
	if s.Free >= 0 {
		folder.Detail += fmt.Sprintf(", %s free", bytesOf(s.Free))
		if s.Free < littleRoom {
			folder.Grade, folder.Fix = client.Look, "make room there: Postgres stops when the disk is full"
		}
	}
	running := client.Check{Name: "server", Grade: client.Well, Detail: "not running; Postgres is started for this examination"}
	if s.Postmaster != 0 {
		running.Detail = fmt.Sprintf("Postgres is process %d", s.Postmaster)
		if s.Starter != 0 {
			running.Detail += fmt.Sprintf(", run by teammem, process %d", s.Starter)
		}
	}
	return []client.Check{programs, folder, running}
}

func checkSchema(x store.Examined) client.Check {
	c := client.Check{Name: "schema", Grade: client.Well, Detail: fmt.Sprintf("schema %d, as this build knows it", x.Schema)}
	switch {
	case x.SchemaErr != nil:
		c = unable(c.Name, x.SchemaErr)
	case x.Schema == 0:
		c.Grade, c.Detail, c.Fix = client.Look, "nothing of teammem's is in this database yet", "teammem serve sets it up; teammem admin restore puts a backup in"
	case x.Schema < x.Known:
		c.Grade, c.Detail = client.Look, fmt.Sprintf("schema %d, this build knows %d", x.Schema, x.Known)
		c.Fix = "take a backup; then start teammem serve, which brings it up to date"
	}
	return c
}

// unable is what an error of the domain says, with its hint.
func unable(name string, err error) client.Check {
	c := client.Check{Name: name, Grade: client.Wrong, Detail: err.Error(), Fix: "see to it, then run it again"}
	if e, ok := errors.AsType[*memory.Error](err); ok && e.Hint != "" {
		c.Fix = e.Hint
	}
	return c
}

func checkInstance(x store.Examined) client.Check {
	if x.InstanceErr != nil {
		return unable("instance", x.InstanceErr)
	}
	return client.Check{
		Name: "instance", Grade: client.Well, Detail: fmt.Sprintf("%s, %s, a database of %s; its audit of %s is unbroken",
			x.Instance, plural(len(x.Projects), "project", "projects"), bytesOf(x.Bytes), plural(int(x.Audit), "row", "rows")),
	}
}

func checkProjects(x store.Examined) []client.Check {
	checks := make([]client.Check, len(x.Projects))
	for i, p := range x.Projects {
		name := "project " + p.Slug
		if p.Err != nil {
			checks[i] = unable(name, p.Err)
			continue
		}
		checks[i] = client.Check{Name: name, Grade: client.Well, Detail: fmt.Sprintf(
			"seq %d without a gap, digest as computed from %s, %s unharmed, audit of %s unbroken", p.Head.Seq,
			plural(p.Live, "entry", "entries"), plural(int(p.Revisions), "version", "versions"), plural(int(p.Audit), "row", "rows"),
		)}
	}
	return checks
}

// checkMaster looks at the file of the master key, where its place is known.
func (a *app) checkMaster(o databaseOptions, x store.Examined) []client.Check {
	m := masterOptions{file: a.getenv("TEAMMEM_MASTER_KEY_FILE"), data: o.data}
	if m.path() == "" {
		return nil
	}
	c := client.Check{Name: "master key", Grade: client.Well, Detail: "there, and its owner's alone; it seals " + plural(x.Keys, "signing key", "signing keys"), Source: m.path()}
	info, err := os.Stat(m.path())
	switch {
	case errors.Is(err, fs.ErrNotExist) && x.Keys == 0:
		c.Detail = "not made yet; teammem serve makes it when it starts"
		return []client.Check{c}
	case err == nil:
		_, err = m.read()
	}
	if err != nil {
		c = unable(c.Name, m.explain(err))
		c.Source = m.path()
	} else if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		c.Grade, c.Detail = client.Look, "others may read it: with the database it makes them anybody"
		c.Fix = "chmod 600 " + m.path() + "; if others were at work there, teammem admin key rotate --now"
	}
	return []client.Check{c}
}
