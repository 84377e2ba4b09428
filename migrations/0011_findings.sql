-- Secrets that were found, without their values, and the exceptions that people made.

-- Fingerprints of a project are made with its key. The random numbers are Postgres' strong ones, 366 bits of them.
alter table projects
    add column finding_key bytea not null check (length(finding_key) = 32) default sha256(convert_to(
        gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8'
    ));

create table secret_findings (
    project_id    text collate "C" not null references projects,
    finding_id    text collate "C" not null,
    state         text not null check (state in ('open', 'requested', 'allowed', 'denied', 'completed', 'resolved')),
    path          text collate "C" not null, -- '' if it may hold a secret itself
    rule          text not null,
    severity      text not null check (severity in ('hard', 'soft')),
    rule_set      text not null,
    line          integer not null check (line > 0),
    col           integer not null check (col > 0),
    fingerprint   bytea not null check (length(fingerprint) = 32),
    excerpt       text not null check (char_length(excerpt) <= 160), -- of which every secret is masked
    author        text collate "C" not null references members,
    device_id     text collate "C" not null,
    first_at      timestamptz not null,
    at            timestamptz not null,
    entry_id      text collate "C" not null default '', -- of the newest stored text that has it; '' if it was refused
    rev           bigint not null default 0,

    -- What its author asked for, and how that was decided.
    reason        text not null default '' check (reason in ('', 'false-positive', 'test-value', 'public-identifier')),
    note          text not null default '',
    glob          text not null default '',
    asked_at      timestamptz,
    ask_ends_at   timestamptz,
    decided_by    text collate "C" references members,
    decided_at    timestamptz,
    decision_note text not null default '',
    allow_id      text collate "C", -- the exception that was made

    primary key (project_id, finding_id),
    unique (project_id, author, fingerprint, path, rule, severity), -- a client says what it likes of a rule
    check ((entry_id = '') = (rev = 0)),
    check ((asked_at is null) = (ask_ends_at is null) and (asked_at is null) = (reason = '')),
    check ((decided_by is null) = (decided_at is null) and (decided_at is null or asked_at is not null)),
    check (decided_by <> author),
    check (severity = 'soft' or asked_at is null)
);
create index secret_findings_newest on secret_findings (project_id, at desc, finding_id desc);
create index secret_findings_own on secret_findings (project_id, author, at desc, finding_id desc);
create index secret_findings_unsettled on secret_findings (project_id, author, path)
    where state in ('open', 'requested', 'allowed', 'denied');

-- A value that one rule takes for a secret passes, on some paths and for some time.
create table allow_rules (
    project_id  text collate "C" not null,
    allow_id    text collate "C" not null,
    finding_id  text collate "C" not null,
    fingerprint bytea not null check (length(fingerprint) = 32),
    rule        text not null,
    glob        text not null check (glob <> ''),
    reason      text not null check (reason <> ''),
    author      text collate "C" not null references members,
    approved_by text collate "C" not null references members check (approved_by <> author),
    at          timestamptz not null,
    expires_at  timestamptz not null check (expires_at > at and expires_at <= at + interval '90 days'),
    revoked_by  text collate "C" references members,
    revoked_at  timestamptz,
    primary key (project_id, allow_id),
    foreign key (project_id, finding_id) references secret_findings,
    check ((revoked_by is null) = (revoked_at is null))
);
