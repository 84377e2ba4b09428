-- What members' computers say of their trees, and how far in a project's history each has come.

-- By the newest change that a computer was sent. It is told by requests for the feed, and written a little later, for many
-- of them at once.
create table device_cursors (
    project_id text collate "C" not null references projects,
    device_id  text collate "C" not null references devices,
    epoch      text not null check (epoch <> ''),
    seq        bigint not null check (seq >= 0),
    client     text not null, -- what the program calls itself; '' if that is odd
    at         timestamptz not null,
    primary key (project_id, device_id)
);

-- The newest report on each tree. A computer can have several of one project.
create table device_reports (
    project_id    text collate "C" not null references projects,
    device_id     text collate "C" not null references devices,
    tree          text collate "C" not null check (length(tree) <= 16),
    mode          text not null check (mode in ('both-ways', 'pull-only', 'push-only')),
    holds         jsonb not null check (jsonb_typeof(holds) = 'array'),
    refused       jsonb not null check (jsonb_typeof(refused) = 'array'), -- the first of them, with names but no texts
    blocked       jsonb not null check (jsonb_typeof(blocked) = 'array'),
    refused_total integer not null check (refused_total >= jsonb_array_length(refused)),
    blocked_total integer not null check (blocked_total >= jsonb_array_length(blocked)),
    conflicts     integer not null check (conflicts >= 0),
    waiting       integer not null check (waiting >= 0),
    client        text not null,
    at            timestamptz not null,
    primary key (project_id, device_id, tree)
);
