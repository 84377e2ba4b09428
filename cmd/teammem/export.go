package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// historyName is a name that no entry can have.
const historyName = ".history.jsonl"

func (a *app) newExportCommand(db *databaseOptions) *cobra.Command {
	var slug string
	var history bool
	c := &cobra.Command{
		Use:   "export --project SLUG DIR",
		Short: "Write a project's entries as plain files",
		Long: `Write the entries of a project as files below DIR, which must be empty or not
there yet, byte for byte and with the time of their newest version. With
--history every version there ever was is in DIR/` + historyName + ` too, a JSON
object a line, oldest first. Files and folders are readable by you only.
Exit 0: all of it is there, proven by the project's digest; 1: not all of it;
2: wrong usage, or no such project; 130: interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.runExport(c.Context(), *db, slug, args[0], history)
		},
	}
	c.Flags().StringVar(&slug, "project", "", "slug of the project")
	c.Flags().BoolVar(&history, "history", false, "also write every version")
	require(c, "project")
	return c
}

func (a *app) runExport(ctx context.Context, o databaseOptions, slug, dir string, history bool) (err error) {
	db, err := a.existingDatabase(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	project, err := db.projectBySlug(ctx, slug)
	if err != nil {
		return err
	}
	root, err := emptyFolder(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	e := &export{root: root}
	head, err := e.all(ctx, db.store, project.ID, history)
	if err != nil {
		return err
	}
	if e.digest != head.Digest {
		return fmt.Errorf("the files in %s are not what the project's digest says; run teammem doctor on the server", dir)
	}
	_, err = fmt.Fprintf(a.stdout, "exported %s of %s to %s\n", plural(e.entries, "entry", "entries"), project.Slug, dir)
	return err
}

// emptyFolder opens a folder that has nothing in it, so that nothing of
// somebody's is replaced and no link that lies there is followed.
func emptyFolder(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, memory.Invalid("DIR", err.Error())
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, memory.Invalid("DIR", err.Error())
	}
	f, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	defer f.Close()
	if _, err := f.Readdirnames(1); !errors.Is(err, io.EOF) {
		return nil, errors.Join(memory.Invalid("DIR", dir+" is not empty; name a new folder"), root.Close())
	}
	return root, nil
}

// create makes a file that was not there.
func create(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
}

// export is one in progress.
type export struct {
	root    *os.Root
	history *bufio.Writer // nil without
	entries int
	digest  memory.Digest
}

// all writes everything, with every version if there is to be a history.
func (e *export) all(ctx context.Context, s *store.Store, project memory.ProjectID, history bool) (memory.Head, error) {
	if !history {
		return s.Export(ctx, project, false, e.write)
	}
	f, err := create(e.root, historyName)
	if err != nil {
		return memory.Head{}, err
	}
	e.history = bufio.NewWriter(f)
	head, err := s.Export(ctx, project, true, e.write)
	if err != nil {
		return memory.Head{}, errors.Join(err, f.Close())
	}
	return head, e.endHistory(f)
}

// endHistory closes the history, and says if not all of it is there: some file
// systems tell that only now.
func (e *export) endHistory(f io.Closer) error {
	if err := errors.Join(e.history.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", historyName, err)
	}
	return nil
}

func (e *export) write(r memory.Revision, live bool) error {
	if e.history != nil {
		line, err := json.Marshal(exported(r), json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("write revision %d: %w", r.Rev, err)
		}
		if _, err := e.history.Write(append(line, '\n')); err != nil {
			return fmt.Errorf("write %s: %w", historyName, err)
		}
	}
	if !live {
		return nil
	}
	if err := e.file(r); err != nil {
		return fmt.Errorf("write %s: %w", r.Path, err)
	}
	e.entries++
	e.digest.Add(r.Path, memory.Sum(r.Content))
	return nil
}

func (e *export) file(r memory.Revision) error {
	name := r.Path.String()
	if err := e.root.MkdirAll(path.Dir(name), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := create(e.root, name)
	if err != nil {
		return err
	}
	_, err = f.Write(r.Content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.root.Chtimes(name, r.At, r.At)
}

// exportedRevision is one line of the history.
type exportedRevision struct {
	Rev          int64     `json:"rev"`
	EntryID      string    `json:"entry_id"`
	Op           string    `json:"op"`
	Path         string    `json:"path"`
	BaseRev      int64     `json:"base_rev"`
	SHA256       string    `json:"sha256"`
	Size         int       `json:"size"`
	Text         *string   `json:"text"` // null: it was deleted
	Author       string    `json:"author"`
	AuthorName   string    `json:"author_name"`
	Device       string    `json:"device,omitzero"`
	Agent        string    `json:"agent,omitzero"`
	AgentVersion string    `json:"agent_version,omitzero"`
	AgentSession string    `json:"agent_session,omitzero"`
	AgentModel   string    `json:"agent_model,omitzero"`
	Note         string    `json:"note,omitzero"`
	At           time.Time `json:"at"`
}

func exported(r memory.Revision) exportedRevision {
	x := exportedRevision{
		Rev: r.Rev, EntryID: string(r.EntryID), Op: string(r.Action), Path: r.Path.String(), BaseRev: r.BaseRev,
		SHA256: r.Sum.String(), Size: r.Size, Author: string(r.Author.Member), AuthorName: r.Author.Name, Device: string(r.Device),
		Agent: r.Agent.Name, AgentVersion: r.Agent.Version, AgentSession: r.Agent.Session, AgentModel: r.Agent.Model,
		Note: r.Note, At: r.At,
	}
	if r.Action != memory.ActionDelete && !r.Purged {
		text := string(r.Content) // which was checked to be UTF-8 when it was written
		x.Text = &text
	}
	return x
}
