-- What the doctor asks MySQL and MariaDB.
--
-- Tables: the catalogue, settings and InnoDB's list of transactions.
-- Locking: none. Privileges are tried by statements of MySqlPrivileges, on no row.

-- name: doctor_lock_wait_before
select @@session.lock_wait_timeout as seconds

-- name: doctor_lock_wait
set session lock_wait_timeout = :seconds

-- name: doctor_settings
show global variables where variable_name in ('super_read_only', 'read_only', 'innodb_read_only',
  'innodb_flush_log_at_trx_commit', 'log_bin', 'sync_binlog', 'transaction_isolation', 'tx_isolation',
  'max_allowed_packet', 'wsrep_on')

-- name: doctor_user
select current_user() as role

-- name: doctor_columns
select table_name as name, count(*) as n, max(case when ordinal_position = 1 then column_name end) as first_column
from information_schema.columns
where table_schema = :schema and table_name in ((:name)...)
group by table_name

-- Begun by the clock of the machine's own time zone, whatever the session's is.
-- name: doctor_transactions
select trx_mysql_thread_id as thread, coalesce(left(trx_query, 200), '') as query,
  greatest(0, timestampdiff(microsecond, trx_started, convert_tz(utc_timestamp(), '+00:00', 'SYSTEM'))) as age
from information_schema.innodb_trx
where trx_mysql_thread_id <> connection_id()
  and timestampdiff(microsecond, trx_started, convert_tz(utc_timestamp(), '+00:00', 'SYSTEM')) >= :micros
order by trx_started limit :rows
