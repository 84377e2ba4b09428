-- Who purged the text of a proposal or conflict, when and why, which its page says in place of the text.

alter table proposals
    add column purged_by  text collate "C" references members, -- null: it was not, or before this was kept
    add column purged_at  timestamptz,
    add column purged_for text not null default '',
    add check ((purged_by is null) = (purged_at is null) and (purged_by is null or purged));
alter table conflicts
    add column purged_by  text collate "C" references members,
    add column purged_at  timestamptz,
    add column purged_for text not null default '',
    add check ((purged_by is null) = (purged_at is null) and (purged_by is null or purged));
