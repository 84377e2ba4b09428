-- When the instance was restored. Before that, computers may have got texts that no backup knows of.
create index audit_restored on audit (at) where action = 'instance.restore';
