package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/teammem/teammem/memory"
)

// servingRole is the role that every connection of a [Store] acts as. It owns
// nothing and cannot log in; grants.sql says what it may do. Roles belong to
// the whole cluster, so all teammem databases of one cluster share it: a role
// says what a process may do, the database it connects to says where.
const servingRole = "teammem_serve"

// errUndo rolls a transaction back that did what it should.
var errUndo = errors.New("undo")

// ensureServingRole makes the serving role, and lets the URL's role act as it.
// There is no way around it: were the owner to serve, a fault in any query
// could rewrite the audit. A database owner without the right to make roles is
// told what an administrator has to run, once.
func ensureServingRole(ctx context.Context, conn *pgx.Conn) error {
	var exists, safe bool
	err := conn.QueryRow(ctx, `
		select count(*) > 0, coalesce(bool_and(not rolsuper and not rolbypassrls and not rolcreaterole), true)
		from pg_roles
		where rolname = $1`, servingRole).Scan(&exists, &safe)
	if err != nil {
		return migrationFault("look for the serving role", err)
	}
	if !safe {
		return &memory.Error{
			Code: memory.CodeForbidden, Message: "the role " + servingRole + " is an administrator; it must have no rights of its own",
			Hint: "run as an administrator: alter role " + servingRole + " nosuperuser nocreaterole nobypassrls",
		}
	}
	if !exists {
		_, err = conn.Exec(ctx, `create role `+servingRole+` nologin`)
		switch sqlState(err) {
		case duplicateObject, uniqueViolation: // another database's migration was faster
		default:
			if err != nil {
				return roleFault(conn, err)
			}
		}
	}
	if canServe(ctx, conn) == nil {
		return nil
	}
	// Who makes a role is not yet a member of it.
	if _, err := conn.Exec(ctx, `grant `+servingRole+` to current_user`); err != nil {
		return roleFault(conn, err)
	}
	return roleFault(conn, canServe(ctx, conn))
}

// canServe tries to act as the serving role, which is the only test that all
// versions of Postgres agree on.
func canServe(ctx context.Context, conn *pgx.Conn) error {
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local role `+servingRole); err != nil {
			return err
		}
		return errUndo
	})
	if errors.Is(err, errUndo) {
		return nil
	}
	return err
}

func roleFault(conn *pgx.Conn, err error) error {
	if sqlState(err) != insufficientPrivilege {
		return migrationFault("make the serving role", err)
	}
	user := pgx.Identifier{conn.Config().User}.Sanitize()
	return &memory.Error{
		Code: memory.CodeForbidden, Message: "the database URL's role may not make the role that teammem serves as",
		Hint: "run once as an administrator: create role " + servingRole + " nologin; grant " + servingRole + " to " + user,
		Err:  redact("make the serving role", err),
	}
}
