-- Devices that are logged in by themselves, and the keys that sign their access tokens.

-- Who logs a device in again counts login up, and with it ends every token of the login before. A device that only names
-- where API tokens are used from has the login 0, and no scopes.
alter table devices
    add column project_id    text collate "C" references projects, -- null reaches every project of the member
    add column scopes        text[] not null default '{}',
    add column token_id      text collate "C" references api_tokens, -- that logged it in last
    add column session_epoch bigint not null default 0, -- of the member then: the login ends when it is no longer theirs
    add column login         bigint not null default 0 check (login >= 0),
    add column login_ends_at timestamptz check ((login_ends_at is null) = (login = 0)),
    add column last_seen_at  timestamptz,
    add column revoked_at    timestamptz,
    add column revoked_for   text not null default '' check (
        revoked_for in ('', 'logout', 'removed', 'token_revoked', 'refresh_reused')
    ),
    add check ((revoked_at is null) = (revoked_for = ''));
create index devices_by_member on devices (member_id, created_at, device_id);
create index devices_by_age on devices (created_at, device_id);
create index devices_by_token on devices (token_id) where token_id is not null;

-- One row a refresh token, which is good while used_at is null and expires_at is ahead. A used one is kept with its
-- successor, which is sealed under the token itself: so whoever lost the answer gets it again, and nobody reads it here.
create table refresh_tokens (
    hash       bytea primary key check (length(hash) = 32), -- of the token, which is not kept
    device_id  text collate "C" not null references devices,
    login      bigint not null, -- of the device: one that is no longer the device's has ended
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    used_at    timestamptz,
    attempt    bytea check (length(attempt) = 32), -- hash of the nonce that the client kept; null if it gave none
    next       bytea check (length(next) = 32), -- hash of the successor
    sealed     bytea,
    check ((used_at is null) = (next is null) and (used_at is null) = (sealed is null)),
    check (attempt is null or used_at is not null)
);
create index refresh_tokens_by_end on refresh_tokens (expires_at);

-- The last one whose time has come signs. Those before it verify until what they signed has ended.
create table signing_keys (
    kid        text collate "C" primary key check (kid <> ''),
    public     bytea not null check (length(public) = 32),
    sealed     bytea not null, -- the private half, under the instance's master key
    created_at timestamptz not null,
    signs_from timestamptz not null check (signs_from >= created_at)
);
