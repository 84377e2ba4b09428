package store_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
	"github.com/teammem/teammem/store"
)

// empty makes a database that nothing was migrated in.
func empty(t *testing.T, owner *pgx.Conn, options string) (url string) {
	t.Helper()
	name := "empty_" + memory.NewEpoch()
	for _, sql := range []string{`drop database if exists ` + name, `create database ` + name + ` template template0 ` + options} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if _, err := owner.Exec(ctx, `drop database `+name+` with (force)`); err != nil {
			t.Error(err)
		}
	})
	return inDatabase(t, owner.Config().ConnString(), name)
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { must(t, conn.Close(context.WithoutCancel(t.Context()))) })
	return conn
}

func TestMigrate_TwiceAndAtOnce(t *testing.T) {
	t.Parallel()
	owner := connect(t, setup(t).url)
	url := empty(t, owner, "")
	for range 2 {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				if err := store.Migrate(t.Context(), url); err != nil {
					t.Errorf("migrate: %v", err)
				}
			})
		}
		group.Wait()
	}
	s, err := store.Open(t.Context(), url, store.Options{})
	must(t, err)
	defer s.Close()
	if _, err := s.Instance(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMigrate_Refuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, sql, message, hint string }{
		{
			"newer database", `insert into schema_migrations (version, name, checksum) values (999, '0999_future.sql', '')`,
			"newer than this program: it has schema 999 (0999_future.sql), this build knows ", "at least as new",
		},
		{
			"edited migration", `update schema_migrations set checksum = sha256('edited') where version = 1`,
			"0001_sync.sql is not the one that ran", "never an edit",
		},
		{
			"missing migration", `update schema_migrations set version = version + 100`,
			"0001_sync.sql is not the one that ran", "never an edit",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.exec(t, tc.sql)
			_, openErr := store.Open(t.Context(), b.url, store.Options{})
			for _, err := range []error{store.Migrate(t.Context(), b.url), openErr} {
				wantCode(t, err, memory.CodeUnavailable)
				wantText(t, err, tc.message, tc.hint)
			}
		})
	}
}

func TestMigrate_EncodingMustBeUTF8(t *testing.T) {
	t.Parallel()
	owner := connect(t, setup(t).url)
	err := store.Migrate(t.Context(), empty(t, owner, `encoding 'LATIN1' locale 'C'`))
	wantCode(t, err, memory.CodeInvalid)
	wantText(t, err, "LATIN1", "encoding 'UTF8'")
}

func TestOpen_NotMigrated(t *testing.T) {
	t.Parallel()
	owner := connect(t, setup(t).url)
	_, err := store.Open(t.Context(), empty(t, owner, ""), store.Options{})
	wantCode(t, err, memory.CodeUnavailable)
	wantText(t, err, "does not have this version's schema", "migrate it first")
}

func TestOpen_BadURLs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const password = "pa:ss@word"
	for _, tc := range []struct{ name, url, message string }{
		{"not a URL", "postgres://user:" + password + "@host:port/db", "cannot be read"},
		{"no server", "postgres://user:" + password + "@/db?host=" + t.TempDir(), "cannot be reached"},
		{"no database", inDatabase(t, b.url, "no_such_database"), `database "no_such_database" does not exist`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, openErr := store.Open(t.Context(), tc.url, store.Options{})
			for _, err := range []error{openErr, store.Migrate(t.Context(), tc.url)} {
				wantText(t, err, tc.message, "")
				if strings.Contains(everything(err), "ss@w") {
					t.Errorf("the password came out: %v", err)
				}
			}
		})
	}
}

func TestServingRole_CanOnlyAdd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.push(t, put(t, "a.md", "text"))
	held := b.batch(put(t, "b.md", "held"))
	held.Items[0].Proposal = memory.NewProposalID()
	_, err := b.Push(t.Context(), held)
	must(t, err)
	kept := held.Items[0].Write.Content
	_, err = b.KeepConflict(t.Context(), memory.Conflict{
		ID: memory.NewConflictID(), Project: b.project.ID, Path: parse(t, "b.md"), Sum: kept.Sum(), Size: kept.Size(),
		Author: memory.Author{Member: b.member.ID}, KeptAt: start(), At: start(),
	}, kept, 10, b.principal().Row(start(), "conflict.keep", ""))
	must(t, err)
	config, err := pgx.ParseConfig(b.url)
	must(t, err)
	config.RuntimeParams["role"] = "teammem_serve"
	serving, err := pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	t.Cleanup(func() { must(t, serving.Close(context.WithoutCancel(t.Context()))) })
	for _, sql := range []string{
		`update audit set actor = ''`,
		`delete from audit`,
		`truncate audit`,
		`drop table audit`,
		`alter table audit add column x int`,
		`alter table audit disable trigger all`,
		`create table mine (x int)`,
		`update revisions set content = ''`,
		`delete from revisions`,
		`update changes set op = 'put'`,
		`delete from changes`,
		`delete from entries`,
		`update entries set entry_id = 'ent_x'`,
		`delete from projects`,
		`update projects set floor_seq = 1`,
		`update projects set slug = 'x'`,
		`update members set admin = true`,
		`delete from members`,
		`update api_tokens set expires_at = now()`,
		`update api_tokens set scopes = '{admin}'`,
		`delete from api_tokens`,
		`update devices set member_id = ''`,
		`delete from devices`,
		`update refresh_tokens set device_id = ''`,
		`update refresh_tokens set expires_at = now()`,
		`update signing_keys set sealed = ''`,
		`update project_roles set member_id = ''`,
		`delete from project_roles`,
		`update proposals set content = ''`,
		`update proposals set author = ''`,
		`delete from proposals`,
		`update conflicts set content = ''`,
		`delete from conflicts`,
		`update instance set instance_id = 'ins_x'`,
		`delete from schema_migrations`,
	} {
		if _, err := serving.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: %v, want SQLSTATE 42501", sql, err)
		}
	}
	if n := b.count(t, `select count(*) from pg_class where relowner = 'teammem_serve'::regrole`); n != 0 {
		t.Errorf("the serving role owns %d relations", n)
	}
}

// The owner of a database who may not make roles is told what to ask for, and
// can go on once it is done. The login of a serving process needs even less.
func TestMigrate_OwnerWithoutTheRightToMakeRoles(t *testing.T) {
	t.Parallel()
	admin := connect(t, setup(t).url) // so the serving role exists
	exec := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Error(err)
		}
	}
	owner, login := "owner_"+memory.NewEpoch(), "login_"+memory.NewEpoch()
	for _, role := range []string{owner, login} {
		exec(`create role ` + role + ` login password 'x'`)
		t.Cleanup(func() { exec(`drop role ` + role) })
	}
	url := empty(t, admin, "owner "+owner)

	err := store.Migrate(t.Context(), as(t, url, owner, "x"))
	wantCode(t, err, memory.CodeForbidden)
	wantText(t, err, "may not make the role", `grant teammem_serve to "`+owner+`"`)

	exec(`grant teammem_serve to ` + owner)
	must(t, store.Migrate(t.Context(), as(t, url, owner, "x")))
	_, err = store.Open(t.Context(), as(t, url, login, "x"), store.Options{})
	wantText(t, err, "no role teammem_serve that this user may act as", "")

	exec(`grant teammem_serve to ` + login)
	for _, user := range []string{owner, login} {
		s, err := store.Open(t.Context(), as(t, url, user, "x"), store.Options{})
		must(t, err)
		if _, err := s.Projects(t.Context(), "", ""); err != nil {
			t.Errorf("as %s: %v", user, err)
		}
		s.Close()
	}
}

func wantText(tb testing.TB, err error, message, hint string) {
	tb.Helper()
	e := asError(err)
	if e == nil || !strings.Contains(e.Message, message) || !strings.Contains(e.Hint, hint) {
		tb.Errorf("error = %+v, want %q with hint %q", e, message, hint)
	}
}
