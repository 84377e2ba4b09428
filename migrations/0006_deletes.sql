-- How much was deleted lately, by whom: what looks like an accident waits for a person.
create index revisions_deletes on revisions (project_id, at, author, device_id) where op = 'delete';
