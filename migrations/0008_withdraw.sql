-- What maintainers take back: quarantines, which can be released again, and purges, which are final.

-- The change that took a revision back, by its number; null: the revision stands. A quarantine keeps the text, for
-- reviewers and for a release; a purge does not. Whoever follows the feed never gets it: a later change of its entry says
-- what is there instead.
--
-- source_rev is the revision of the entry whose text a withdrawal or release brought back, so that it stays known who
-- wrote it; 0: none, a maintainer let the entry go; null: a member wrote the revision.
alter table revisions
    add column withdrawn_rev bigint check (withdrawn_rev > rev),
    add column purged boolean not null default false check (not purged or withdrawn_rev is not null),
    add column source_rev bigint check (source_rev between 0 and rev - 1),
    drop constraint revisions_check, -- a text, unless it is a delete
    add check ((content is null) = (op = 'delete' or purged));

alter table changes
    drop constraint changes_op_check,
    add check (op in ('put', 'move', 'delete', 'withdraw', 'purge'));

-- Counts up whenever revisions are taken back, released or purged, so that whoever keeps pages of the feed outside of this
-- database can tell that they are not what they were.
alter table projects add column rewrites bigint not null default 0;

-- The serving role can remove a text, and never replace one.
create function keep_text() returns trigger language plpgsql as $$
begin
    raise exception 'a text is never replaced' using errcode = 'insufficient_privilege';
end
$$;
create trigger keep_text before update of content on revisions for each row
    when (current_user = 'teammem_serve' and new.content is not null and new.content is distinct from old.content) execute function keep_text();
create trigger keep_text before update of content on proposals for each row
    when (current_user = 'teammem_serve' and new.content is not null and new.content is distinct from old.content) execute function keep_text();
create trigger keep_text before update of content on conflicts for each row
    when (current_user = 'teammem_serve' and new.content is not null and new.content is distinct from old.content) execute function keep_text();

-- One row a decision; what it took back is named by one of the five, and since when. A token is looked up in the audit.
create table quarantines (
    project_id    text collate "C" not null references projects,
    quarantine_id text collate "C" not null check (quarantine_id like 'qua\_%'),
    member_id     text collate "C" not null, -- '' unless it was all of a member's
    device_id     text collate "C" not null,
    token_id      text collate "C" not null,
    agent_session text not null,
    since         timestamptz,
    reason        text not null,
    author        text collate "C" not null references members,
    at            timestamptz not null,
    kept          integer not null check (kept >= 0),      -- entries that others have changed since, and that stay
    proposals     integer not null check (proposals >= 0), -- that were closed
    primary key (project_id, quarantine_id)
);
create index quarantines_by_age on quarantines (project_id, at, quarantine_id);

create table quarantined (
    project_id    text collate "C" not null,
    quarantine_id text collate "C" not null,
    entry_id      text collate "C" not null,
    rev           bigint not null, -- the change that took it back
    was_rev       bigint not null, -- what was the newest before, and is again after a release
    back_rev      bigint not null, -- whose text came back; 0: none, the entry went
    released_rev  bigint,
    primary key (project_id, quarantine_id, entry_id),
    foreign key (project_id, quarantine_id) references quarantines,
    foreign key (project_id, entry_id, rev) references revisions,
    foreign key (project_id, entry_id, was_rev) references revisions
);

-- What was purged: each text under the names that its entry had with it, and under its last one. It does not come back,
-- however it is offered. The feed names it to those who may have copies, unless a member purged what others have written,
-- too: theirs stays.
create table death_certificates (
    project_id text collate "C" not null references projects,
    sha256     bytea not null check (length(sha256) = 32),
    entry_id   text collate "C" not null,
    path_key   text collate "C" not null,
    seq        bigint not null, -- of the purge
    told       boolean not null,
    primary key (project_id, sha256, entry_id, path_key)
);
create index death_certificates_by_seq on death_certificates (project_id, seq) where told;

-- A purge takes the text wherever it is kept.
alter table proposals
    add column purged boolean not null default false,
    drop constraint proposals_check, -- a text, if it is a put
    add check ((content is not null) = (op = 'put' and not purged)),
    add check (not purged or state <> 'pending');
alter table conflicts
    add column purged boolean not null default false,
    alter column content drop not null,
    add check ((content is null) = purged),
    add check (not purged or closed_at is not null);
