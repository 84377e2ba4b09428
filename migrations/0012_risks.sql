-- Why a person should look at a text: causes with their places, at most 50. Nobody acts on them.

alter table revisions
    add column risks jsonb check (jsonb_typeof(risks) = 'array'); -- null: none, or written before they were looked for
alter table proposals
    add column risks jsonb check (jsonb_typeof(risks) = 'array');
