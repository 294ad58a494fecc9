-- The schema guard's own statements.
--
-- Tables: waybill_schema_history (one row per migration), waybill_schema_fence (one row per migration
-- that older releases must not run beside). Both are read by primary key order, a handful of rows.
-- Locking: a named lock, keyed by database and prefix, held over all migrations of a run. DDL commits by
-- itself here, so a migration's history row is written first, as unsuccessful, and counts its statements.

-- name: schema_history_exists
select count(*) > 0 as found
from information_schema.tables
where table_schema = :schema and table_name = :table and table_type = 'BASE TABLE'

-- name: schema_history_create
create table if not exists waybill_schema_history (
  version bigint not null,
  description varchar(200) not null,
  checksum char(64) character set ascii not null,
  success boolean not null,
  statement integer not null,
  applied_at datetime(6) not null,
  duration_millis bigint not null,
  library_version varchar(100) not null,
  primary key (version)
) engine = InnoDB default character set utf8mb4

-- name: schema_history_rows
select version, description, checksum, success, statement, duration_millis, library_version,
  timestampdiff(microsecond, '1970-01-01', applied_at) as applied_at
from waybill_schema_history
order by version

-- name: schema_history_insert
insert into waybill_schema_history (
  version, description, checksum, success, statement, duration_millis, library_version, applied_at
) values (
  :version, :description, :checksum, :success, :statement, :duration_millis, :library_version,
  utc_timestamp(6)
)

-- name: schema_history_reach
update waybill_schema_history set statement = :statement where version = :version

-- name: schema_history_finish
update waybill_schema_history
set success = true, statement = :statement, duration_millis = :duration_millis, applied_at = utc_timestamp(6)
where version = :version

-- name: schema_fence_rows
select version, library_version from waybill_schema_fence order by version

-- name: schema_fence_insert
insert into waybill_schema_fence (version, library_version, recorded_at)
values (:version, :library_version, utc_timestamp(6))

-- name: schema_lock
select coalesce(get_lock(:key, 0), 0) as done

-- name: schema_unlock
select coalesce(release_lock(:key), 0) as done

-- name: schema_history_forget
delete from waybill_schema_history where version = :version and not success
