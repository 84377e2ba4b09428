package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// wordColumn is a column with words of members or of their programs. All its
// fields are SQL.
type wordColumn struct {
	label  string // what the words are, for people
	table  string
	column string
	id     string // of the row, for people
	author string // whose the words are
	device string
	where  string // which rows are the project's
}

// wordColumns are all columns with foreign words that are no texts of entries. A
// test compares them with the schema.
func wordColumns() []wordColumn {
	const ofProject = `t.project_id = @project`
	revision := func(label, column string) wordColumn {
		return wordColumn{label, "revisions", column, `t.entry_id || '@' || t.rev`, "t.author", "t.device_id", ofProject}
	}
	proposal := func(label, column, author string) wordColumn {
		return wordColumn{label, "proposals", column, "t.proposal_id", author, "t.device_id", ofProject}
	}
	finding := func(label, column, author string) wordColumn {
		return wordColumn{label, "secret_findings", column, "t.finding_id", author, "''", ofProject}
	}
	computer := func(label, column string) wordColumn {
		return wordColumn{label, "devices", column, "t.device_id", "t.member_id", "t.device_id", `exists (
			select from device_cursors c where c.project_id = @project and c.device_id = t.device_id
			union all
			select from device_reports r where r.project_id = @project and r.device_id = t.device_id
		)`}
	}
	const decider, purger = "coalesce(t.decided_by, t.author)", "coalesce(t.purged_by, t.author)"
	return []wordColumn{
		revision("note", "note"), revision("agent", "agent"), revision("agent version", "agent_version"),
		revision("agent session", "agent_session"), revision("agent model", "agent_model"),
		proposal("note", "note", "t.author"), proposal("agent", "agent", "t.author"), proposal("agent version", "agent_version", "t.author"),
		proposal("agent session", "agent_session", "t.author"), proposal("agent model", "agent_model", "t.author"),
		proposal("decision note", "decision_note", decider), proposal("reason of the purge", "purged_for", purger),
		{"reason of the purge", "conflicts", "purged_for", "t.conflict_id", purger, "t.device_id", ofProject},
		{"reason", "quarantines", "reason", "t.quarantine_id", "t.author", "''", ofProject},
		{"agent session", "quarantines", "agent_session", "t.quarantine_id", "t.author", "''", ofProject},
		finding("note", "note", "t.author"), finding("excerpt", "excerpt", "t.author"), finding("paths", "glob", "t.author"),
		finding("decision note", "decision_note", decider),
		{"paths", "allow_rules", "glob", "t.allow_id", "t.author", "''", ofProject},
		computer("name", "name"), computer("system", "os"),
	}
}

// storedWords are the words of a project with whose they are.
func storedWords() string {
	var all []string
	for _, c := range wordColumns() {
		all = append(all, `select '`+c.label+` of ' || `+c.id+` as place, t.`+c.column+` as words, `+c.author+` as author, `+c.device+` as device_id
			from `+c.table+` t
			where t.`+c.column+` <> '' and `+c.where)
	}
	return strings.Join(all, "\n\tunion all\n\t")
}

// StoredWords returns the next different words of a project in their order,
// without those that were withheld.
func (s *Store) StoredWords(ctx context.Context, project memory.ProjectID, after string, most int) ([]string, error) {
	found, err := list(ctx, s.pool, func(r struct{ Words string }) string { return r.Words }, `
		select distinct w.words collate "C" as words
		from (`+storedWords()+`) as w
		where w.words collate "C" > @after and w.words not in (@secret, @hidden)
		order by 1
		limit @limit`,
		pgx.StrictNamedArgs{
			"project": project, "after": after, "limit": most, "secret": memory.WithheldSecret, "hidden": memory.WithheldHidden,
		})
	return found, s.fault(ctx, "read words", err)
}

type wordsRow struct {
	Place      string
	Author     string
	AuthorName string
	DeviceID   string
}

func (r wordsRow) words() memory.Words {
	return memory.Words{
		Place: r.Place, Author: memory.Author{Member: memory.MemberID(r.Author), Name: r.AuthorName}, Device: memory.DeviceID(r.DeviceID),
	}
}

// WordsOf returns whose some words are, with a place for each.
func (s *Store) WordsOf(ctx context.Context, project memory.ProjectID, words string) ([]memory.Words, error) {
	found, err := list(ctx, s.pool, wordsRow.words, `
		select distinct on (w.author) w.place, w.author, m.name as author_name, w.device_id
		from (`+storedWords()+`) as w
		join members m on m.member_id = w.author
		where w.words = @words
		order by w.author, w.place`,
		pgx.StrictNamedArgs{"project": project, "words": words})
	return found, s.fault(ctx, "read whose words are", err)
}

// Withhold puts other words in the place of some, everywhere in a project, keeps
// the findings in them, and tells the instance's chain.
func (s *Store) Withhold(
	ctx context.Context, project memory.ProjectID, w memory.Withholding, all []memory.Finding, row memory.AuditRow,
) error {
	return s.fault(ctx, "withhold words", retried(ctx, func() error {
		return s.inTx(ctx, func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			for _, f := range all {
				queueStored(batch, project, f)
			}
			for _, c := range wordColumns() {
				with := w.With
				if c.column == "glob" {
					with = w.Whole
				}
				batch.Queue(`
					update `+c.table+` t
					set `+c.column+` = @with
					where t.`+c.column+` = @words and `+c.where,
					pgx.StrictNamedArgs{"project": project, "words": w.Words, "with": with})
			}
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return err
			}
			return appendInstance(ctx, tx, row)
		})
	}))
}
