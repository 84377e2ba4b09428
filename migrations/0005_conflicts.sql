-- Texts that lost to a team-mate's and could not be merged, as the computers of their authors keep them too.

-- A row is written once and never changes but for how it was closed. Its id was made by the computer that keeps the text,
-- so a report that is repeated after a lost answer is the same conflict. entry_id and server_rev are what that computer
-- knew, and no references: a text can lose to an entry that nobody has any more.
create table conflicts (
    project_id  text collate "C" not null references projects,
    conflict_id text collate "C" not null check (conflict_id like 'cnf\_%'),
    path        text collate "C" not null check (path <> ''),
    entry_id    text collate "C" not null check (entry_id = '' or entry_id like 'ent\_%'),
    base_rev    bigint not null check (base_rev >= 0),   -- what the text was written over; 0: not known
    server_rev  bigint not null check (server_rev >= 0), -- what it lost to; 0: not known
    content     bytea not null,
    sha256      bytea not null check (length(sha256) = 32),
    size        integer not null check (size >= 0),
    author      text collate "C" not null references members,
    device_id   text collate "C" not null, -- '' if none was named
    rule_set    text not null,
    kept_at     timestamptz not null, -- by the clock of that computer
    at          timestamptz not null,
    closed_by   text collate "C" references members,
    closed_at   timestamptz,
    how         text not null default '' check (how in ('', 'theirs', 'ours', 'both', 'merged', 'local')),
    closed_rev  bigint,                             -- of the entry that got the text, if it was published
    closed_into text collate "C" not null default '', -- that entry
    proposal    text collate "C" not null default '', -- that the text became instead
    primary key (project_id, conflict_id),
    check (length(content) = size and sha256(content) = sha256),
    check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (how = '')),
    check (closed_rev is null or how in ('ours', 'both', 'merged')),
    check ((closed_rev is null) = (closed_into = '')),
    check (proposal = '' or closed_rev is null and how in ('ours', 'both', 'merged'))
);
-- The lists, newest first: what is open, everything, and both of one author.
create index conflicts_open on conflicts (project_id, at, conflict_id) where closed_at is null;
create index conflicts_open_by_author on conflicts (project_id, author, at, conflict_id) where closed_at is null;
create index conflicts_by_age on conflicts (project_id, at, conflict_id);
create index conflicts_by_author on conflicts (project_id, author, at, conflict_id);

do $$
begin
    alter table conflicts alter column content set compression lz4;
exception when feature_not_supported then
    raise notice 'this Postgres has no lz4; texts are compressed with pglz';
end
$$;
