-- What the doctor asks PostgreSQL.
--
-- Tables: the catalogue, settings and statistics.
-- Locking: none.

-- name: doctor_patience
select set_config('lock_timeout', :locks, true), set_config('statement_timeout', :statements, true)

-- name: doctor_standby
select pg_is_in_recovery() as standby

-- name: doctor_settings
select name, setting, reset_val from pg_catalog.pg_settings
where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'track_counts',
  'default_transaction_isolation', 'default_transaction_read_only')

-- name: doctor_privileges
select c.relname as name, current_user as role, has_schema_privilege(n.oid, 'usage') as may_use,
  has_table_privilege(c.oid, 'select') as may_select, has_table_privilege(c.oid, 'insert') as may_insert,
  has_table_privilege(c.oid, 'update') as may_update, has_table_privilege(c.oid, 'delete') as may_delete,
  has_table_privilege(c.oid, 'truncate') as may_truncate
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = :schema and c.relkind in ('r', 'p') and c.relname in ((:name)...)

-- name: doctor_sequences
select c.relname as name, s.seqcache as cache, has_sequence_privilege(c.oid, 'usage') as may_usage,
  has_sequence_privilege(c.oid, 'select') as may_select, has_sequence_privilege(c.oid, 'update') as may_update
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
join pg_catalog.pg_sequence s on s.seqrelid = c.oid
where n.nspname = :schema and c.relname in ((:name)...)

-- An autovacuum worker's own snapshot holds nothing back. Whose start is hidden belongs to somebody else.
-- name: doctor_transactions
select pid, coalesce(usename, '') as usename, coalesce(application_name, '') as application, coalesce(state, '') as state,
  coalesce(left(query, 200), '') as query, xact_start is null as hidden,
  coalesce((extract(epoch from clock_timestamp() - xact_start) * 1000000)::bigint, 0) as age
from pg_catalog.pg_stat_activity
where pid <> pg_backend_pid() and (datname = current_database() or backend_type = 'walsender')
  and backend_type is distinct from 'autovacuum worker'
  and (backend_xmin is not null or backend_xid is not null or state like 'idle in transaction%')
  and (xact_start <= clock_timestamp() - :micros::bigint * interval '1 microsecond'
    or (xact_start is null and query = '<insufficient privilege>'))
order by xact_start nulls last limit :rows

-- name: doctor_prepared
select gid, owner, (extract(epoch from clock_timestamp() - prepared) * 1000000)::bigint as age
from pg_catalog.pg_prepared_xacts
where database = current_database() and prepared <= clock_timestamp() - :micros::bigint * interval '1 microsecond'
order by prepared limit :rows

-- name: doctor_slots
select slot_name, active, coalesce(age(xmin), 0) as xmin_age, coalesce(age(catalog_xmin), 0) as catalog_age
from pg_catalog.pg_replication_slots
where greatest(age(xmin), age(catalog_xmin)) >= :age
order by greatest(age(xmin), age(catalog_xmin)) desc limit :rows

-- name: doctor_connections
select (select coalesce(sum(numbackends), 0)::bigint from pg_catalog.pg_stat_database) as used,
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint
    - coalesce(current_setting('reserved_connections', true), '0')::bigint as most

-- name: doctor_backend
select pg_backend_pid() as pid
