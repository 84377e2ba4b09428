-- What the serving role may do: no more than the queries of package store need. It owns nothing; feed and audit it can only
-- add to, and to history but for taking a text back.

do $$
begin
    execute format('revoke all on all tables in schema %I from teammem_serve', current_schema());
    execute format('revoke all on schema %I from teammem_serve', current_schema());
    execute format('grant usage on schema %I to teammem_serve', current_schema());
end
$$;

grant select on schema_migrations to teammem_serve;
grant select, update (url) on instance to teammem_serve;
grant select, insert on members, project_remotes, changes, audit to teammem_serve;
grant select, insert, update (reason, agent_session) on quarantines to teammem_serve;
grant select, insert, update (seq, told) on death_certificates to teammem_serve;
grant select, insert, update (
    content, risks, withdrawn_rev, purged, note, agent, agent_version, agent_session, agent_model
) on revisions to teammem_serve;
grant select, insert, update (released_rev) on quarantined to teammem_serve;
grant select, insert, update (revoked_at) on api_tokens to teammem_serve;
grant select, insert, update (
    project_id, scopes, token_id, session_epoch, login, login_ends_at, last_seen_at, revoked_at, revoked_for, name, os
) on devices to teammem_serve;
grant select, insert, update (epoch, seq, client, at) on device_cursors to teammem_serve;
grant select, insert, delete, update (
    mode, holds, refused, blocked, refused_total, blocked_total, conflicts, waiting, client, at
) on device_reports to teammem_serve;
grant select, insert, delete, update (used_at, attempt, next, sealed) on refresh_tokens to teammem_serve;
grant select, insert, delete on signing_keys to teammem_serve;
grant select, insert, update (seq, digest, live, review, rewrites) on projects to teammem_serve;
grant select, insert, update (role) on project_roles to teammem_serve;
grant select, insert, update (
    path, path_key, kind, name, description, head_rev, sha256, size, deleted_rev, author, updated_at
) on entries to teammem_serve;
grant select, insert, delete, update (body, answer, at) on push_keys to teammem_serve;
grant select, insert, update (
    state, decided_by, decided_at, reason, decision_note, published_rev, successor, name, description, content, risks,
    purged, purged_by, purged_at, purged_for, note, agent, agent_version, agent_session, agent_model
) on proposals to teammem_serve;
grant select, insert, update (
    closed_by, closed_at, how, closed_rev, closed_into, proposal, content, purged, purged_by, purged_at, purged_for
) on conflicts to teammem_serve;
grant select, insert, update (
    state, severity, rule_set, line, col, excerpt, device_id, at, entry_id, rev, reason, note, glob, asked_at, ask_ends_at,
    decided_by, decided_at, decision_note, allow_id, first_rev, held, withheld
) on secret_findings to teammem_serve;
grant select, insert, update (revoked_by, revoked_at, glob) on allow_rules to teammem_serve;
grant select, insert, update (rule_set, round, whole, at) on rescan to teammem_serve;
grant select, insert, update (
    round, rule_set, goal, seq, proposal_id, conflict_id, texts, findings, rejected, withdrawn, hidden, unscanned,
    unscanned_some, began_at, ended_at
) on project_rescans to teammem_serve;
grant select, insert, delete, update (used_at) on console_links to teammem_serve;
grant select, insert, delete on console_sessions to teammem_serve;
