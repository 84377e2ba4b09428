-- What a first upload of thousands of texts need not pay for.

-- An entry's earlier texts are found by the key of its revisions, which has their hashes beside it. An index of their own
-- took a row more of each revision, at a random place.
alter table changes drop constraint changes_project_id_entry_id_rev_fkey;
alter table proposals drop constraint proposals_project_id_entry_id_published_rev_fkey;
alter table revisions drop constraint revisions_pkey;
drop index revisions_texts;
alter table revisions add primary key (project_id, entry_id, rev) include (sha256, op);
alter table changes add foreign key (project_id, entry_id, rev) references revisions;
alter table proposals add foreign key (project_id, entry_id, published_rev) references revisions;

-- Answers are mostly hashes, on which pglz works long and in vain.
do $$
begin
    alter table push_keys alter column answer set compression lz4;
exception when feature_not_supported then
    raise notice 'this Postgres has no lz4; answers are compressed with pglz';
end
$$;
