-- The schema guard's own statements.
--
-- Tables: waybill_schema_history (one row per migration), waybill_schema_fence (one row per migration
-- that older releases must not run beside). Both are read by primary key order, a handful of rows.
-- Locking: the single writer. All migrations of a run are one immediate transaction with their history
-- rows, so there is no lock of our own to take or to release.
-- Times are microseconds since 1970; SQLite's clock ticks in milliseconds.

-- name: schema_history_exists
select exists (
  select 1 from sqlite_master
  where type = 'table' and name = :table collate nocase and coalesce(:schema, '') = ''
) as found

-- name: schema_history_create
create table if not exists waybill_schema_history (
  version integer not null primary key,
  description text not null,
  checksum text not null,
  success integer not null,
  statement integer not null,
  applied_at integer not null,
  duration_millis integer not null,
  library_version text not null
)

-- name: schema_history_rows
select version, description, checksum, success, statement, duration_millis, library_version, applied_at
from waybill_schema_history
order by version

-- name: schema_history_insert
insert into waybill_schema_history (
  version, description, checksum, success, statement, duration_millis, library_version, applied_at
) values (
  :version, :description, :checksum, :success, :statement, :duration_millis, :library_version,
  cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
)

-- name: schema_history_reach
update waybill_schema_history set statement = :statement where version = :version

-- name: schema_history_finish
update waybill_schema_history
set success = 1, statement = :statement, duration_millis = :duration_millis,
  applied_at = cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
where version = :version

-- name: schema_fence_rows
select version, library_version from waybill_schema_fence order by version

-- name: schema_fence_insert
insert into waybill_schema_fence (version, library_version, recorded_at)
values (
  :version, :library_version, cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
)

-- name: schema_lock
select :key is not null as done

-- name: schema_unlock
select :key is not null as done

-- name: schema_history_forget
delete from waybill_schema_history where version = :version and not success
