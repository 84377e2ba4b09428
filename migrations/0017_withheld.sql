-- A re-scan also looks at words beside texts: notes, reasons, names of computers and agents. Those that hold a secret are
-- replaced; the finding says where they stood. '' for a finding in a text.
alter table secret_findings add column withheld text not null default '';
