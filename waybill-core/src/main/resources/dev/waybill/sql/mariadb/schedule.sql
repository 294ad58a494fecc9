-- Schedules.
--
-- Tables: waybill_job_schedule (one row each), waybill_job_fire (one row per time that was acted upon).
-- Indexes: (next_fire_at) of the active ones; the primary key of fires makes each happen once.
-- Locking: who acts upon a schedule holds its row; others skip it.

-- name: schedule_clock
select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now

-- name: schedule_active_for
select name from waybill_job_schedule where type = :type and active order by name

-- name: schedule_rows
select name, type, tenant, payload, rule, zone, jitter_micros, misfire, misfire_micros, overlap, active, next_fire_at, scheduled_for,
  last_fired_at, last_job_id, failures, last_error
from waybill_job_schedule
order by name

-- name: schedule_get
select name, type, tenant, payload, rule, zone, jitter_micros, misfire, misfire_micros, overlap, active, next_fire_at, scheduled_for,
  last_fired_at, last_job_id, failures, last_error
from waybill_job_schedule
where name = :name

-- name: schedule_lock
select name, type, tenant, payload, rule, zone, jitter_micros, misfire, misfire_micros, overlap, active, next_fire_at, scheduled_for,
  last_fired_at, last_job_id, failures, last_error
from waybill_job_schedule
where name = :name
for update

-- name: schedule_due_lock
-- One at a time: each fires in a transaction of its own.
select name, type, tenant, payload, rule, zone, jitter_micros, misfire, misfire_micros, overlap, active, next_fire_at, scheduled_for,
  last_fired_at, last_job_id, failures, last_error
from waybill_job_schedule
where active and next_fire_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
order by next_fire_at
limit 1
for update skip locked

-- name: schedule_next
select min(next_fire_at) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as micros from waybill_job_schedule where active

-- name: schedule_insert
insert into waybill_job_schedule (
  name, type, tenant, payload, rule, zone, jitter_micros, misfire, misfire_micros, overlap, active, next_fire_at, scheduled_for,
  failures, created_at, updated_at
) values (
  :name, :type, :tenant, :payload, :rule, :zone, :jitter, :misfire, :window, :overlap, :active, :next_fire_at, :scheduled_for,
  0, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
)

-- name: schedule_update
update waybill_job_schedule
set type = :type, tenant = :tenant, payload = :payload, rule = :rule, zone = :zone, jitter_micros = :jitter, misfire = :misfire,
  misfire_micros = :window, overlap = :overlap, active = :active, next_fire_at = :next_fire_at, scheduled_for = :scheduled_for,
  failures = 0, last_error = null, updated_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
where name = :name

-- name: schedule_fired
update waybill_job_schedule
set next_fire_at = :next_fire_at, scheduled_for = :scheduled_for, last_fired_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)),
  last_job_id = coalesce(:job, last_job_id), failures = 0, last_error = null
where name = :name

-- name: schedule_failed
-- The time that is acted upon stays: it is not lost by being put off.
update waybill_job_schedule
set next_fire_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay, failures = failures + 1, last_error = :error
where name = :name

-- name: schedule_remove
delete from waybill_job_schedule where name = :name

-- name: schedule_fire_insert
insert into waybill_job_fire (schedule, scheduled_for, fired_at, outcome, job_id)
values (:schedule, :scheduled_for, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), :outcome, :job)

-- name: schedule_fire_count
-- Whether something became of a time already.
select count(*) as fires from waybill_job_fire where schedule = :schedule and scheduled_for = :scheduled_for

-- name: schedule_fire_rows
select scheduled_for, fired_at, outcome, job_id
from waybill_job_fire
where schedule = :schedule
order by scheduled_for desc
limit :limit

-- name: schedule_fire_old
-- The newest of those that are too many.
select scheduled_for from waybill_job_fire where schedule = :schedule order by scheduled_for desc limit 1 offset :kept

-- name: schedule_fire_forget
delete from waybill_job_fire where schedule = :schedule and scheduled_for <= :scheduled_for
