-- A re-scan also finds secrets in proposals and conflicts. Those who decide there could read them, so they were not refused.
alter table secret_findings add column held text collate "C" not null default ''; -- "prp_…" or "cnf_…" that has it; '' for none
