-- The first schema: who there is, what they share, and the feed of it.
--
-- Key columns are collate "C": they are compared byte by byte, so an index means the same on every system, and a range
-- over a folder's names is exactly that folder.

create table instance (
    single      boolean primary key default true check (single),
    instance_id text not null check (instance_id like 'ins\_%')
);

create table members (
    member_id     text collate "C" primary key check (member_id like 'mem\_%'),
    name          text not null unique check (name <> ''),
    admin         boolean not null,
    disabled      boolean not null,
    session_epoch bigint not null check (session_epoch >= 0),
    created_at    timestamptz not null
);

create table devices (
    device_id  text collate "C" primary key check (device_id like 'dev\_%'),
    member_id  text collate "C" not null references members,
    name       text not null,
    os         text not null,
    created_at timestamptz not null
);

-- seq, digest and live change with every push and are in no index, so the spare room keeps those updates on their page.
create table projects (
    project_id   text collate "C" primary key check (project_id like 'prj\_%'),
    slug         text collate "C" not null unique check (slug <> ''),
    epoch        text not null check (epoch <> ''),
    seq          bigint not null,
    floor_seq    bigint not null check (floor_seq between 0 and seq),
    digest       bytea not null check (length(digest) = 32),
    live         integer not null check (live >= 0),
    review       text not null check (review in ('open', 'guarded', 'strict')),
    default_role text not null check (default_role in ('none', 'viewer', 'contributor', 'reviewer', 'maintainer')),
    created_at   timestamptz not null
) with (fillfactor = 50);

create table project_remotes (
    project_id text collate "C" not null references projects,
    remote     text collate "C" not null check (remote <> ''),
    primary key (project_id, remote)
);

create table project_roles (
    project_id text collate "C" not null references projects,
    member_id  text collate "C" not null references members,
    role       text not null check (role in ('none', 'viewer', 'contributor', 'reviewer', 'maintainer')),
    primary key (project_id, member_id)
);

create table api_tokens (
    token_id   text collate "C" primary key check (token_id like 'tok\_%'),
    hash       bytea not null unique check (length(hash) = 32),
    last4      text not null check (length(last4) <= 4),
    member_id  text collate "C" not null references members,
    project_id text collate "C" references projects, -- null reaches every project of the member
    scopes     text[] not null,
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    revoked_at timestamptz
);

-- The newest state of each entry. A deleted one keeps its path and last hash: that is the tombstone, and it is found by
-- its path key. path_key is null only inside a push, while names change hands. Project and author need no check here: a
-- push holds the project's row, and the author is that of the revision head_rev.
create table entries (
    project_id  text collate "C" not null,
    entry_id    text collate "C" not null check (entry_id like 'ent\_%'),
    path        text collate "C" not null check (path <> ''),
    path_key    text collate "C",
    kind        text not null check (kind in ('user', 'feedback', 'project', 'reference')),
    name        text not null,
    description text not null,
    head_rev    bigint not null check (head_rev > 0),
    sha256      bytea not null check (length(sha256) = 32),
    size        integer not null check (size >= 0),
    deleted_rev bigint check (deleted_rev = head_rev),
    author      text collate "C" not null,
    updated_at  timestamptz not null,
    primary key (project_id, entry_id)
);
create unique index entries_live on entries (project_id, path_key) where deleted_rev is null;
create index entries_dead on entries (project_id, path_key) where deleted_rev is not null;
create index entries_by_path on entries (project_id, path) where deleted_rev is null;

-- Every version of every entry, never updated. Each one but a delete holds the whole text, a move too, so that any of
-- them can be read, restored or merged over on its own.
create table revisions (
    project_id    text collate "C" not null,
    entry_id      text collate "C" not null,
    rev           bigint not null check (rev > 0),
    op            text not null check (op in ('put', 'move', 'delete')),
    path          text collate "C" not null check (path <> ''),
    kind          text not null check (kind in ('user', 'feedback', 'project', 'reference')),
    content       bytea check ((content is null) = (op = 'delete')),
    sha256        bytea not null check (length(sha256) = 32),
    size          integer not null check (size >= 0),
    base_rev      bigint not null check (base_rev between 0 and rev - 1),
    author        text collate "C" not null references members,
    device_id     text collate "C" not null, -- '' if none was named
    agent         text not null,
    agent_version text not null,
    agent_session text not null,
    agent_model   text not null,
    note          text not null,
    rule_set      text not null,
    at            timestamptz not null,
    primary key (project_id, entry_id, rev),
    foreign key (project_id, entry_id) references entries,
    check (content is null or length(content) = size and sha256(content) = sha256)
);
-- What an entry once said, for telling a stale text from a new one without reading the texts themselves.
create index revisions_texts on revisions (project_id, entry_id, sha256, rev) where op <> 'delete';

-- Texts are short and read often: lz4 costs a fraction of the default's time. Not every Postgres is built with it.
do $$
begin
    alter table revisions alter column content set compression lz4;
exception when feature_not_supported then
    raise notice 'this Postgres has no lz4; texts are compressed with pglz';
end
$$;

-- The feed. seq is counted by projects.seq under that row's lock, so it has no gap and its order is the commit order.
create table changes (
    project_id    text collate "C" not null,
    seq           bigint not null check (seq > 0),
    entry_id      text collate "C" not null,
    rev           bigint not null,
    op            text not null check (op in ('put', 'move', 'delete')),
    previous_path text collate "C" not null, -- '' unless the entry moved
    digest_after  bytea not null check (length(digest_after) = 32),
    primary key (project_id, seq),
    foreign key (project_id, entry_id, rev) references revisions
);

-- What a push was answered, for a client that lost the answer.
create table push_keys (
    project_id text collate "C" not null references projects,
    member_id  text collate "C" not null references members,
    key        text collate "C" not null check (key <> ''),
    body       bytea not null check (length(body) = 32),
    answer     jsonb not null,
    at         timestamptz not null,
    primary key (project_id, member_id, key)
);
create index push_keys_by_age on push_keys (project_id, at);

-- Two kinds of hash chain: one per project, and the instance's own under the project id ''. The columns stand in the
-- order in which memory.AuditRow hashes them.
create table audit (
    project_id  text collate "C" not null,
    number      bigint not null check (number > 0),
    at          timestamptz not null,
    actor       text not null,
    token_id    text not null,
    device_id   text not null,
    remote      text not null,
    client      text not null,
    action      text not null check (action <> ''),
    object      text not null,
    before_hash bytea check (length(before_hash) = 32), -- null: there was nothing
    after_hash  bytea check (length(after_hash) = 32),
    decision    text not null,
    rules       text[] not null,
    hash        bytea not null check (length(hash) = 32),
    primary key (project_id, number)
);
