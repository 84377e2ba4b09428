-- Looking again at what is stored, whenever the rules that find secrets are new ones.

-- The rules of the server that was started last. Others than before begin a round, and so does whoever asks for one.
create table rescan (
    single   boolean primary key default true check (single),
    rule_set text not null,
    round    bigint not null check (round > 0),
    whole    boolean not null, -- looks also at what these very rules let pass
    at       timestamptz not null
);

-- How far each project has come. A round of an earlier number counts for nothing.
create table project_rescans (
    project_id     text collate "C" primary key references projects,
    round          bigint not null,
    rule_set       text not null,
    goal           bigint not null check (goal >= 0), -- the newest change when the round began
    seq            bigint not null check (seq >= 0),  -- that was looked at
    proposal_id    text collate "C" not null,         -- likewise; '' before the first one
    conflict_id    text collate "C" not null,
    texts          bigint not null,
    findings       bigint not null,
    withdrawn      bigint not null, -- entries that went
    hidden         bigint not null, -- older revisions that only reviewers can read now
    unscanned      bigint not null, -- texts whose scan did not come to its end
    unscanned_some text[] not null, -- the first of them
    began_at       timestamptz not null,
    ended_at       timestamptz
);

-- The oldest stored text that has it: who has a younger one got the secret, too.
alter table secret_findings add column first_rev bigint not null default 0 check (first_rev between 0 and rev);
update secret_findings set first_rev = rev;
