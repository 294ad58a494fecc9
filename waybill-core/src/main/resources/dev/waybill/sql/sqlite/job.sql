-- Jobs.
--
-- Tables: waybill_job (one row per job), waybill_job_definition, waybill_job_attempt, _event, _log.
-- Indexes: pending (type, tenant, turn, id), scheduled (due_at, id), leased (lease_until) and finished (status, finished_at) each
-- contain only the jobs in that state; unique keys on idempotency_hash, active_hash and (held_hash, held_permit).
-- Locking: there is one writer at a time.
-- Sets of rows come as one JSON parameter, so that the text of a statement does not depend on their number.

-- name: job_definition_rows
select type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros
from waybill_job_definition
order by type

-- name: job_definition_rows_locked
select type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros
from waybill_job_definition
order by type

-- name: job_definition_insert
insert into waybill_job_definition (
  type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros,
  rate_tokens, rate_at, created_at, updated_at
) values (
  :type, :version, :max_attempts, :timeout_micros, :priority, :retry_policy, :enabled, :paused, :max_running, :rate_count, :rate_micros,
  0, 0, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
)

-- name: job_definition_update
update waybill_job_definition
set version = :version, max_attempts = :max_attempts, timeout_micros = :timeout_micros, priority = :priority,
  retry_policy = :retry_policy, enabled = :enabled, max_running = :max_running, rate_count = :rate_count, rate_micros = :rate_micros,
  updated_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
where type = :type

-- name: job_definition_pause
update waybill_job_definition set paused = :paused, updated_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) where type = :type

-- name: job_definition_enable
update waybill_job_definition set enabled = :enabled, updated_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) where type = :type

-- name: job_insert
-- The definition decides what the request leaves open. A key that exists already inserts nothing.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, resource_permits, idempotency_key, idempotency_hash, active_hash, unique_hash, request, payload
)
select v.id, v.type, v.tenant, case when coalesce(v.due, c.now + coalesce(v.delay, 0)) <= c.now then 1 else 0 end,
  coalesce(v.due, c.now + coalesce(v.delay, 0)) - coalesce(v.priority, d.priority) * cast(:ageing as integer), coalesce(v.due, c.now + coalesce(v.delay, 0)), coalesce(v.priority, d.priority), 1, 0,
  coalesce(v.max_attempts, d.max_attempts), coalesce(v.timeout, d.timeout_micros), v.stage, c.now,
  v.resource_key, v.resource_hash, v.resource_permits, v.idempotency_key, v.idempotency_hash, v.active_hash, v.active_hash, v.request, v.payload
from (select json_extract(value, '$.id') as id, json_extract(value, '$.type') as type, json_extract(value, '$.tenant') as tenant, json_extract(value, '$.delay') as delay, json_extract(value, '$.due') as due, json_extract(value, '$.priority') as priority, json_extract(value, '$.max_attempts') as max_attempts, json_extract(value, '$.timeout') as timeout, json_extract(value, '$.stage') as stage, json_extract(value, '$.resource_key') as resource_key, json_extract(value, '$.resource_hash') as resource_hash, json_extract(value, '$.resource_permits') as resource_permits, json_extract(value, '$.idempotency_key') as idempotency_key, json_extract(value, '$.idempotency_hash') as idempotency_hash, json_extract(value, '$.active_hash') as active_hash, json_extract(value, '$.request') as request, json_extract(value, '$.payload') as payload from json_each(:batch)) v
join waybill_job_definition d on d.type = v.type and d.enabled = 1
cross join (select (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now) c
where true
on conflict do nothing

-- name: job_present
select id, status from waybill_job where id in (select value from json_each(:ids))

-- name: job_by_idempotency
-- Locked, so that the answer stays true until the caller commits.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where idempotency_hash in (select value from json_each(:hashes))
order by id

-- name: job_find_key
select id from waybill_job where idempotency_hash = :hash

-- name: job_by_active
-- Those that wait, and do not begin before the caller commits.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where active_hash in (select value from json_each(:hashes)) and status in (0, 1)
order by id

-- name: job_by_active_begun
-- Locked no more than it takes to have them stay: they are at work.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where active_hash in (select value from json_each(:hashes))
order by id

-- name: job_discard
delete from waybill_job where id in (select value from json_each(:ids))

-- name: job_replace
update waybill_job
set payload = :payload, due_at = coalesce(:due, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) + :delay), turn = coalesce(:due, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) + :delay) - priority * :ageing,
  status = case when coalesce(:due, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) + :delay) <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) then 1 else 0 end
where id = :id and status in (0, 1) and idempotency_hash is null

-- name: job_heads
-- The types that somebody waits for, and the first and the last of their tenants: which are the same where there is only
-- one. Probes of the index, however long the lines.
select type, limited, first_tenant, last_tenant
from (
  select d.type, case when d.max_running is null and d.rate_count is null then 0 else 1 end as limited, (
      select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant limit 1
    ) as first_tenant, (
      select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant desc limit 1
    ) as last_tenant
  from waybill_job_definition d
  where d.type in (select value from json_each(:types)) and d.enabled = 1 and d.paused = 0
) h
where first_tenant is not null
order by type

-- name: job_tenants
-- Who waits for a type, and whose first job has which turn: so many tenants from one on, hopping from one to the next.
with recursive line as (
  select (select j.tenant from waybill_job j where j.status = 1 and j.type = :type and j.tenant >= :since order by j.tenant limit 1) as tenant, 1 as place
  union all
  select (select j.tenant from waybill_job j where j.status = 1 and j.type = :type and j.tenant > l.tenant order by j.tenant limit 1), l.place + 1
  from line l
  where l.tenant is not null and l.place < :limit
)
select l.tenant, (select j.turn from waybill_job j where j.status = 1 and j.type = :type and j.tenant = l.tenant order by j.turn, j.id limit 1) as turn
from line l
where l.tenant is not null
order by l.place

-- name: job_limits_lock
-- Whoever counts what runs of a limited type holds its row until it has claimed.
select d.type, d.max_running, d.rate_count, d.rate_micros, d.rate_tokens, d.rate_at, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_job_definition d
where d.type in (select value from json_each(:types))

-- name: job_running_count
select count(*) as running from waybill_job where status = 2 and type = :type

-- name: job_rate_take
update waybill_job_definition set rate_tokens = cast(:tokens as real), rate_at = :now where type = :type

-- name: job_line
-- The turns at the front of a line, to find out how many of each type are among a tenant's first.
select j.turn
from waybill_job j
where j.status = 1 and j.type = :type and j.tenant = :tenant and (j.resource_hash is null or (select count(*) from waybill_job h where h.held_hash = j.resource_hash) < j.resource_permits)
order by j.turn, j.id
limit :limit

-- name: job_claim_lock
-- Those of one line up to a turn; the resource must be free.
select j.id, j.type, j.tenant, j.run, j.attempt, j.lease_epoch, j.max_attempts, j.timeout_micros, j.priority, j.due_at, j.created_at, j.turn,
  j.progress_done, j.progress_total, j.resource_hash, j.resource_permits, j.workflow_id, j.payload, j.checkpoint,
  case when j.workflow_id is not null then (select s.step_key from waybill_workflow_step s where s.id = j.id) end as step_key
from waybill_job j
where j.status = 1 and j.type = :type and j.tenant = :tenant and j.turn <= :bound
  and (j.resource_hash is null or (select count(*) from waybill_job h where h.held_hash = j.resource_hash) < j.resource_permits)
order by j.turn, j.id
limit :limit

-- name: job_held
select held_hash, held_permit from waybill_job where held_hash in (select value from json_each(:hashes))

-- name: job_lease
update waybill_job
set status = 2, attempt = attempt + 1, lease_epoch = lease_epoch + 1, worker = :worker, leased_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), lease_until = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) + :ttl,
  started_at = coalesce(started_at, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)), held_hash = resource_hash, held_permit = v.permit, stage = 'running'
from (select json_extract(value, '$.id') as id, json_extract(value, '$.permit') as permit from json_each(:batch)) v
where waybill_job.id = v.id

-- name: job_stage
-- Only jobs whose time has come are in the index that claims read.
update waybill_job
set status = 1
where id in (
  select id from waybill_job where status = 0 and due_at <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) order by due_at limit :limit
)

-- name: job_next_due
select min(due_at) - (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as micros from waybill_job where status = 0

-- name: job_renew_lock
-- Rows that somebody holds are left for the next time: one of them must not keep the others from being renewed.
select j.id, j.lease_until - (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as left_micros
from (select json_extract(value, '$.id') as id, json_extract(value, '$.run') as run, json_extract(value, '$.attempt') as attempt, json_extract(value, '$.worker') as worker from json_each(:batch)) v
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2
order by j.id

-- name: job_renew
update waybill_job
set lease_until = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) + :ttl
where id in (select value from json_each(:ids))

-- name: job_watch
select j.id
from (select json_extract(value, '$.id') as id, json_extract(value, '$.run') as run, json_extract(value, '$.attempt') as attempt, json_extract(value, '$.worker') as worker from json_each(:batch)) v
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2 and j.lease_until > (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)

-- name: job_cancel_reasons
select j.id, j.reason
from waybill_job j
where j.id in (select value from json_each(:ids)) and j.status = 5 and j.reason is not null

-- name: job_owned_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_job j
where j.status = 2 and j.worker = :worker
order by j.id

-- name: job_settle_lock
-- The clock is read behind the lock: a lease that ends while we wait for the row is lost.
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from (select json_extract(value, '$.id') as id, json_extract(value, '$.run') as run, json_extract(value, '$.attempt') as attempt, json_extract(value, '$.worker') as worker from json_each(:batch)) v
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2
order by j.id

-- name: job_attempt_insert
insert into waybill_job_attempt (
  job_id, run, attempt, worker, leased_at, finished_at, outcome, error_code, error_message, policy_micros, not_before, next_due_at
)
select v.id, v.run, v.attempt, v.worker, v.leased_at, v.finished_at, v.outcome, v.code, v.message, v.policy, v.not_before, v.next_due
from (select json_extract(value, '$.id') as id, json_extract(value, '$.run') as run, json_extract(value, '$.attempt') as attempt, json_extract(value, '$.worker') as worker, json_extract(value, '$.leased_at') as leased_at, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.outcome') as outcome, json_extract(value, '$.code') as code, json_extract(value, '$.message') as message, json_extract(value, '$.policy') as policy, json_extract(value, '$.not_before') as not_before, json_extract(value, '$.next_due') as next_due from json_each(:batch)) v

-- name: job_attempt_keep
-- What succeeded and begins again: its row is about to say something else.
insert into waybill_job_attempt (job_id, run, attempt, worker, leased_at, finished_at, outcome)
select id, run, attempt, worker, leased_at, finished_at, 0
from waybill_job
where id in (select value from json_each(:ids)) and status = 3 and worker is not null

-- name: job_settle
update waybill_job
set status = v.status, run = v.run, attempt = v.attempt, due_at = coalesce(v.due, waybill_job.due_at), turn = coalesce(v.turn, waybill_job.turn),
  finished_at = v.finished_at, stage = v.stage, reason = v.reason, error_code = v.code, error_message = v.message,
  output = v.output, checkpoint = coalesce(v.checkpoint, waybill_job.checkpoint), progress_done = coalesce(v.done, waybill_job.progress_done),
  progress_total = coalesce(v.total, waybill_job.progress_total), worker = case when v.status = 3 then waybill_job.worker end, leased_at = case when v.status = 3 then waybill_job.leased_at end,
  lease_until = case when v.status = 3 then waybill_job.lease_until end, held_hash = null,
  started_at = case when v.attempt = 0 then null else waybill_job.started_at end,
  active_hash = case when v.status >= 3 then null else waybill_job.active_hash end
from (select json_extract(value, '$.id') as id, json_extract(value, '$.status') as status, json_extract(value, '$.run') as run, json_extract(value, '$.attempt') as attempt, json_extract(value, '$.due') as due, json_extract(value, '$.turn') as turn, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.stage') as stage, json_extract(value, '$.reason') as reason, json_extract(value, '$.code') as code, json_extract(value, '$.message') as message, json_extract(value, '$.output') as output, json_extract(value, '$.checkpoint') as checkpoint, json_extract(value, '$.done') as done, json_extract(value, '$.total') as total from json_each(:batch)) v
where waybill_job.id = v.id

-- name: job_reap_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_job j
where j.status = 2 and j.workflow_id is null and j.lease_until <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
order by j.lease_until
limit :limit

-- name: job_reap_steps
-- Expired steps of workflows, without a lock: their runs are locked first.
select j.id, j.run, j.attempt, j.worker, j.workflow_id, j.lease_until
from waybill_job j
where j.status = 2 and j.workflow_id is not null and j.lease_until <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
{and (j.lease_until, j.id) > (:since, :after)}
order by j.lease_until, j.id
limit :limit

-- name: job_progress
update waybill_job
set progress_done = coalesce(:done, progress_done), progress_total = coalesce(:total, progress_total),
  checkpoint = coalesce(:checkpoint, checkpoint), stage = coalesce(:stage, stage)
where id = :id

-- name: job_lock
select id, type, tenant, status, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at, started_at,
  finished_at, worker, leased_at, lease_until, progress_done, progress_total, resource_key, idempotency_key, reason, error_code,
  error_message, workflow_id, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_job
where id = :id

-- name: job_get
select id, type, tenant, status, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at, started_at,
  finished_at, worker, leased_at, lease_until, progress_done, progress_total, resource_key, idempotency_key, reason, error_code,
  error_message, workflow_id
from waybill_job
where id = :id

-- name: job_body
select payload, checkpoint, output, request from waybill_job where id = :id

-- name: job_cancel
-- The end of the lease stays: until then a handler may still be at it, and hold its resource.
update waybill_job
set status = 5, finished_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), worker = null, reason = :reason, active_hash = null,
  held_hash = case when lease_until > (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) then held_hash end
where id = :id

-- name: job_cancel_lock
-- Those of these that have not ended.
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, j.status, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_job j
where j.id in (select value from json_each(:ids)) and j.status < 3
order by j.id

-- name: job_cancel_all
-- Like job_cancel, for many.
update waybill_job
set status = 5, finished_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), worker = null, reason = :reason, active_hash = null,
  held_hash = case when lease_until > (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) then held_hash end
where id in (select value from json_each(:ids))

-- name: job_event_all
insert into waybill_job_event (job_id, run, attempt, kind, occurred_at, detail)
select j.id, j.run, j.attempt, :kind, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), :detail
from waybill_job j
where j.id in (select value from json_each(:ids))

-- name: job_unique_holder
-- Who has the key now that a job had while it was active.
select a.id
from waybill_job j
join waybill_job a on a.active_hash = j.unique_hash
where j.id = :id

-- name: job_requeue
update waybill_job
set status = 1, run = run + 1, attempt = 0, due_at = :now, turn = :now - priority * :ageing, stage = 'queued', reason = :reason,
  error_code = null, error_message = null, output = null, started_at = null, finished_at = null, lease_until = null, leased_at = null,
  held_hash = null, active_hash = unique_hash, progress_done = case when :keep then progress_done end, progress_total = case when :keep then progress_total end,
  checkpoint = case when :keep then checkpoint end
where id = :id

-- name: job_unhold
-- A canceled job holds its resource until its handler cannot be at it any more.
update waybill_job set held_hash = null where status = 5 and held_hash is not null and lease_until <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)

-- name: job_copy
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, resource_permits, idempotency_key, idempotency_hash, request, payload
)
select :id, type, tenant, 1, :now - priority * :ageing, :now, priority, 1, 0, max_attempts, timeout_micros, 'queued', :now,
  resource_key, resource_hash, resource_permits, :key, :hash, :request, payload
from waybill_job
where id = :source

-- part: job_columns
select j.id, j.type, j.tenant, j.status, j.due_at, j.priority, j.run, j.attempt, j.max_attempts, j.timeout_micros, j.stage, j.created_at, j.started_at,
  j.finished_at, j.worker, j.leased_at, j.lease_until, j.progress_done, j.progress_total, j.resource_key, j.idempotency_key, j.reason, j.error_code,
  j.error_message, j.workflow_id

-- part: job_filters
{and j.tenant = :tenant}
{and j.type = :type}
{and j.error_code = :code}
{and j.created_at >= :since}
{and j.created_at < :before}

-- name: job_page
-- include: job_columns
from waybill_job j
where j.id < :after
-- include: job_filters
order by j.id desc
limit :limit

-- name: job_place
-- Where a job stands among others of its status, or stood when it had it.
select type, tenant, turn, due_at, finished_at from waybill_job where id = :id

-- name: job_page_scheduled
-- include: job_columns
from waybill_job j
where j.status = 0
{and (j.due_at, j.id) > (:from_due, :after)}
-- include: job_filters
order by j.due_at, j.id
limit :limit

-- name: job_page_pending
-- include: job_columns
from waybill_job j
where j.status = 1
{and (j.type, j.tenant, j.turn, j.id) > (:from_type, :from_tenant, :from_turn, :after)}
{and j.type = :of_type and (j.tenant, j.turn, j.id) > (:of_tenant, :of_turn, :of_after)}
-- include: job_filters
order by j.type, j.tenant, j.turn, j.id
limit :limit

-- name: job_page_leased
-- They are no more than there are slots, and their leases move all the time: all are taken, up to a bound, and put in order.
-- include: job_columns
from waybill_job j
where j.id in (select id from waybill_job where status = 2 order by lease_until limit 10000) and j.id < :after
-- include: job_filters
order by j.id desc
limit :limit

-- name: job_page_ended
-- The second condition is the index's own.
-- include: job_columns
from waybill_job j
where j.status = :status and j.status >= 3
{and j.finished_at <= :until and (j.finished_at < :until or j.id < :after)}
-- include: job_filters
order by j.finished_at desc, j.id desc
limit :limit

-- name: job_attempt_rows
-- An attempt that succeeded is in its job's row.
select run, attempt, worker, leased_at, finished_at, outcome, error_code, error_message, policy_micros, not_before, next_due_at
from waybill_job_attempt
where job_id = :id
union all
select run, attempt, worker, leased_at, finished_at, 0, null, null, null, null, null
from waybill_job
where id = :id and status = 3 and worker is not null
order by run, attempt

-- name: job_event_insert
insert into waybill_job_event (job_id, run, attempt, kind, occurred_at, detail)
values (:id, :run, :attempt, :kind, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), :detail)

-- name: job_event_rows
select id, run, attempt, kind, occurred_at, detail
from waybill_job_event
where job_id = :job and id > :after
order by id
limit :limit

-- name: job_log_insert
insert into waybill_job_log (job_id, run, attempt, level, message, occurred_at)
values (:id, :run, :attempt, :level, :message, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000))

-- name: job_log_rows
select id, run, attempt, level, message, occurred_at
from waybill_job_log
where job_id = :job and id > :after
order by id
limit :limit

-- name: job_log_latest
select id, run, attempt, level, message, occurred_at
from waybill_job_log
where job_id = :job and id < :before
order by id desc
limit :limit

-- name: job_count
-- Pending jobs are counted by their index; of the others so many are looked at: those due next, those that ended last.
-- Each status has an index of its own, which only a literal finds.
select count(*) as found
from (
  select 1 as one from (select type from waybill_job where :status = 0 and status = 0 order by due_at limit 10000) s where type = :type
  union all
  select 1 as one from waybill_job where :status = 1 and status = 1 and type = :type
  union all
  select 1 as one from (select type from waybill_job where :status = 2 and status = 2 order by lease_until limit 10000) s where type = :type
  union all
  select 1 as one from (select type from waybill_job where status >= 3 and status = :status order by finished_at desc limit 10000) s where type = :type
  limit :limit
) seen

-- name: job_purge_pick
-- Jobs that are steps are purged with their run.
select id
from waybill_job
where workflow_id is null and status >= 3 and status = :status and finished_at < (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) - :age
order by finished_at
limit :limit

-- name: job_purge_attempt
delete from waybill_job_attempt where job_id in (select value from json_each(:ids))

-- name: job_purge_event
delete from waybill_job_event where job_id in (select value from json_each(:ids))

-- name: job_purge_log
delete from waybill_job_log where job_id in (select value from json_each(:ids))
