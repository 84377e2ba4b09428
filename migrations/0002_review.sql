-- Changes that wait for a reviewer, and what became of them.

-- A row is written by the push that was held and never changes but for its state and decision. The text stays, however
-- it was decided: it is somebody's work, and the author may ask why. Of a move or delete, sha256 and size are those of
-- the text that it would move or delete. entry_id is no reference: a proposal that creates an entry names one that is
-- yet to be.
create table proposals (
    project_id    text collate "C" not null references projects,
    proposal_id   text collate "C" not null check (proposal_id like 'prp\_%'),
    state         text not null check (state in ('pending', 'published', 'rejected', 'superseded', 'withdrawn')),
    op            text not null check (op in ('put', 'move', 'delete')),
    path          text collate "C" not null check (path <> ''),
    path_key      text collate "C" not null check (path_key <> ''),
    previous_path text collate "C" not null, -- '' unless the entry would move
    entry_id      text collate "C" not null check (entry_id like 'ent\_%'),
    creates       boolean not null,
    base_rev      bigint not null check (base_rev >= 0),
    base_sha256   bytea check (length(base_sha256) = 32),
    kind          text not null check (kind in ('user', 'feedback', 'project', 'reference')),
    name          text not null,
    description   text not null,
    content       bytea check ((content is not null) = (op = 'put')),
    sha256        bytea not null check (length(sha256) = 32),
    size          integer not null check (size >= 0),
    author        text collate "C" not null references members,
    device_id     text collate "C" not null, -- '' if none was named
    agent         text not null,
    agent_version text not null,
    agent_session text not null,
    agent_model   text not null,
    note          text not null,
    rule_set      text not null, -- '' without a text
    at            timestamptz not null,
    decided_by    text collate "C" references members,
    decided_at    timestamptz,
    reason        text not null default '' check (
        reason in ('', 'wrong', 'outdated', 'duplicate', 'personal', 'injection', 'sensitive', 'shape', 'derivable', 'other')
    ),
    decision_note text not null default '',
    published_rev bigint,
    successor     text collate "C",
    primary key (project_id, proposal_id),
    foreign key (project_id, entry_id, published_rev) references revisions,
    foreign key (project_id, successor) references proposals deferrable initially deferred, -- it is written after its predecessor
    check (content is null or length(content) = size and sha256(content) = sha256),
    check (creates = (base_rev = 0) and creates = (base_sha256 is null)),
    check (op = 'put' or not creates),
    check ((op = 'move') <= (previous_path <> '')),
    check ((state = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
    check ((state = 'published') = (published_rev is not null)),
    check ((state = 'rejected') = (reason <> '')),
    check (decision_note = '' or state = 'rejected'),
    check (successor is null or state = 'superseded')
);
-- What an author waits for: one change an entry and one a path.
create unique index proposals_of_entry on proposals (project_id, author, entry_id) where state = 'pending';
create unique index proposals_of_path on proposals (project_id, author, path_key) where state = 'pending';
-- The lists, newest first: the queue, everything, and everything of one author.
create index proposals_pending on proposals (project_id, at, proposal_id) where state = 'pending';
create index proposals_by_age on proposals (project_id, at, proposal_id);
create index proposals_by_author on proposals (project_id, author, at, proposal_id);

do $$
begin
    alter table proposals alter column content set compression lz4;
exception when feature_not_supported then
    raise notice 'this Postgres has no lz4; texts are compressed with pglz';
end
$$;
