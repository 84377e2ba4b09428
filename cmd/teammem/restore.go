package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/teammem/teammem/store"
	"github.com/teammem/teammem/store/backup"
	"github.com/teammem/teammem/store/embedded"
)

func (a *app) newRestoreCommand(db *databaseOptions) *cobra.Command {
	var keepEpoch bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Make a new instance what a backup holds",
		Long: `Restore a backup into a new data folder or an empty database. The file is read
to its end before anything is written, all is written in one transaction, and
what must hold is computed again before it ends: an interrupted restore leaves
nothing, and is run again. An instance with members or projects is refused, as
is one that a server uses. A backup of an older version is brought to this one.
Members may have seen more than the backup holds. So each project's history gets
a new name: their next sync moves nothing and ends with exit code 9, until they
run teammem link --rebuild, which compares everything and deletes nothing; a
login that was renewed since the backup is made anew. If the server was stopped
before the backup was made, and moves, --keep-epoch spares them that.
Exit 0: restored, and proven to be what was backed up; 1: not restored; 2: wrong
usage, or the instance is in use; 5: a server runs in the data folder; 7: FILE
is damaged, no backup, or newer than this program; 130: interrupted.`,
		Example: "  teammem admin restore --data /srv/teammem-new backup.tar.zst",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runRestore(c.Context(), *db, args[0], keepEpoch)
		},
	}
	c.Flags().BoolVar(&keepEpoch, "keep-epoch", false, "let clients go on as if nothing had happened; only if nothing was written since the backup")
	return c
}

func (a *app) runRestore(ctx context.Context, o databaseOptions, file string, keepEpoch bool) error {
	return a.fromBackup(file, func(b *backup.File) error {
		if err := store.Restorable(b.Manifest()); err != nil {
			return err
		}
		return a.atPlace(ctx, o, embedded.Start, false, func(p place) error {
			projects, err := store.Restore(ctx, p.url, b, store.RestoreOptions{
				KeepEpoch: keepEpoch, Row: operator().Row(a.now(), "instance.restore", ""), Progress: p.rows,
			})
			p.finish()
			if err != nil {
				return err
			}
			return a.printRestored(b.Manifest(), projects, keepEpoch)
		})
	})
}

func (a *app) printRestored(m backup.Manifest, projects []store.ProjectState, keepEpoch bool) error {
	for _, p := range projects {
		fmt.Fprintf(a.stdout, "%s  %s, %s, seq %d: as in the backup\n", p.Slug, plural(p.Live, "entry", "entries"),
			plural(int(p.Revisions), "version", "versions"), p.Head.Seq)
	}
	at := m.MadeAt.Format(time.RFC3339)
	fmt.Fprintf(a.stdout, "restored %s as of %s\n", m.Instance, at)
	a.tell("what was revoked, closed or removed after %s is open again: do it again before the server starts", at)
	if keepEpoch {
		a.tell("members' clients go on as before")
		return nil
	}
	a.tell("members' next sync moves nothing and ends with exit code 9; each then runs teammem link --rebuild in the linked folder,")
	a.tell("  which offers what the backup does not have, and deletes nothing")
	return nil
}
