select pg_catalog.pg_advisory_unlock_all();
