-- A re-scan also finds texts that hold what nobody sees.
alter table project_rescans add column rejected bigint not null default 0;

-- It says to the author of a proposal that it closes, why.
alter table proposals
    drop constraint proposals_check8,
    add constraint proposals_note check (decision_note = '' or state in ('rejected', 'withdrawn'));
