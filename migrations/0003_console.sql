-- The console: links that sign in once, and the browsers that are signed in.

-- Where members reach the server that started last, for the links that are printed beside it.
alter table instance add column url text not null default '';

-- A link is good while used_at is null, expires_at is ahead, and the member's sessions were not ended since.
create table console_links (
    hash          bytea primary key check (length(hash) = 32), -- of the token, which is not kept
    member_id     text collate "C" not null references members,
    session_epoch bigint not null,
    created_at    timestamptz not null,
    expires_at    timestamptz not null check (expires_at > created_at),
    used_at       timestamptz
);
create index console_links_by_end on console_links (expires_at);

create table console_sessions (
    hash          bytea primary key check (length(hash) = 32), -- of the cookie, which is not kept
    session_id    text collate "C" not null unique check (session_id like 'ses\_%'),
    member_id     text collate "C" not null references members,
    session_epoch bigint not null, -- a session ends when this is no longer the member's
    created_at    timestamptz not null,
    expires_at    timestamptz not null check (expires_at > created_at)
);
create index console_sessions_by_end on console_sessions (expires_at);
