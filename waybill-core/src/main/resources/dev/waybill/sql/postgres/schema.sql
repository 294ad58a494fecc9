-- The schema guard's own statements.
--
-- Tables: waybill_schema_history (one row per migration), waybill_schema_fence (one row per migration
-- that older releases must not run beside). Both are read by primary key order, a handful of rows.
-- Locking: a session-level advisory lock, keyed by schema and prefix, held over all migrations of a run;
-- each migration is one transaction together with its history row.

-- name: schema_history_exists
select exists (
  select from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = :schema and c.relname = :table and c.relkind in ('r', 'p')
) as found

-- name: schema_history_create
create table if not exists waybill_schema_history (
  version bigint not null,
  description text not null,
  checksum text not null,
  success boolean not null,
  statement integer not null,
  applied_at timestamp with time zone not null default clock_timestamp(),
  duration_millis bigint not null,
  library_version text not null,
  constraint waybill_schema_history_pk primary key (version)
)

-- name: schema_history_rows
select version, description, checksum, success, statement, duration_millis, library_version,
  case when isfinite(applied_at) then (extract(epoch from applied_at) * 1000000)::bigint else 0 end as applied_at
from waybill_schema_history
order by version

-- name: schema_history_insert
insert into waybill_schema_history (
  version, description, checksum, success, statement, duration_millis, library_version
) values (:version, :description, :checksum, :success, :statement, :duration_millis, :library_version)

-- name: schema_history_reach
update waybill_schema_history set statement = :statement where version = :version

-- name: schema_history_finish
update waybill_schema_history
set success = true, statement = :statement, duration_millis = :duration_millis, applied_at = clock_timestamp()
where version = :version

-- name: schema_fence_rows
select version, library_version from waybill_schema_fence order by version

-- name: schema_fence_insert
insert into waybill_schema_fence (version, library_version) values (:version, :library_version)

-- name: schema_lock
select pg_catalog.pg_try_advisory_lock(:key) as done

-- name: schema_unlock
select pg_catalog.pg_advisory_unlock(:key) as done

-- name: schema_history_forget
delete from waybill_schema_history where version = :version and not success
