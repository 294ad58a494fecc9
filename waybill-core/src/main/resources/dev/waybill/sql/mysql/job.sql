-- Jobs.
--
-- Tables: waybill_job (one row per job), waybill_job_definition, waybill_job_attempt, _event, _log.
-- Indexes: pending (status, type, tenant, turn, id), scheduled (status, due_at), leased (status, lease_until) and finished
-- (status, finished_at); unique keys on idempotency_hash, active_hash and (held_hash, held_permit).
-- Locking: claims, reaping and renewals lock rows and skip those that others hold; whoever settles an attempt locks its
-- row first and looks at the clock afterwards (sysdate is read with the row, the other clocks when the statement begins).
-- Sets of rows come as one JSON parameter and lead every join: an IN list may be planned as a scan, which waits for rows
-- that are none of its business.

-- name: job_definition_rows
select type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros
from waybill_job_definition
order by type

-- name: job_definition_rows_locked
select type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros
from waybill_job_definition
order by type
for update

-- name: job_definition_insert
insert into waybill_job_definition (
  type, version, max_attempts, timeout_micros, priority, retry_policy, enabled, paused, max_running, rate_count, rate_micros,
  rate_tokens, rate_at, created_at, updated_at
) values (
  :type, :version, :max_attempts, :timeout_micros, :priority, :retry_policy, :enabled, :paused, :max_running, :rate_count, :rate_micros,
  0, 0, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
)

-- name: job_definition_update
update waybill_job_definition
set version = :version, max_attempts = :max_attempts, timeout_micros = :timeout_micros, priority = :priority,
  retry_policy = :retry_policy, enabled = :enabled, max_running = :max_running, rate_count = :rate_count, rate_micros = :rate_micros,
  updated_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
where type = :type

-- name: job_definition_pause
update waybill_job_definition set paused = :paused, updated_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) where type = :type

-- name: job_definition_enable
update waybill_job_definition set enabled = :enabled, updated_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) where type = :type

-- name: job_insert
-- The definition decides what the request leaves open. A key that exists already inserts nothing.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, resource_permits, idempotency_key, idempotency_hash, active_hash, unique_hash, request, payload
)
select unhex(replace(v.id, '-', '')), v.type, v.tenant, case when coalesce(v.due, c.now + coalesce(v.delay, 0)) <= c.now then 1 else 0 end,
  coalesce(v.due, c.now + coalesce(v.delay, 0)) - coalesce(v.priority, d.priority) * cast(:ageing as signed), coalesce(v.due, c.now + coalesce(v.delay, 0)), coalesce(v.priority, d.priority), 1, 0,
  coalesce(v.max_attempts, d.max_attempts), coalesce(v.timeout, d.timeout_micros), v.stage, c.now,
  v.resource_key, v.resource_hash, v.resource_permits, v.idempotency_key, v.idempotency_hash, v.active_hash, v.active_hash, v.request, v.payload
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', type varchar(255) character set ascii path '$.type', tenant varchar(512) character set utf8mb4 path '$.tenant', delay bigint path '$.delay', due bigint path '$.due', priority integer path '$.priority', max_attempts integer path '$.max_attempts', timeout bigint path '$.timeout', stage varchar(512) character set utf8mb4 path '$.stage', resource_key varchar(512) character set utf8mb4 path '$.resource_key', resource_hash char(43) character set ascii path '$.resource_hash', resource_permits integer path '$.resource_permits', idempotency_key varchar(512) character set utf8mb4 path '$.idempotency_key', idempotency_hash char(43) character set ascii path '$.idempotency_hash', active_hash char(43) character set ascii path '$.active_hash', request longtext character set utf8mb4 path '$.request', payload longtext character set utf8mb4 path '$.payload')) v
join waybill_job_definition d on d.type = v.type and d.enabled
cross join (select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now) c
where true
on duplicate key update id = waybill_job.id

-- name: job_present
select id, status from waybill_job where id in (select unhex(replace(e, '-', '')) from json_table(:ids, '$[*]' columns (e char(36) character set ascii path '$')) ids)

-- name: job_by_idempotency
-- Locked, so that the answer stays true until the caller commits.
select j.id, j.type, j.status, j.run, j.due_at, j.idempotency_hash, j.active_hash, j.request
from json_table(:hashes, '$[*]' columns (e char(43) character set ascii path '$')) v
straight_join waybill_job j force index (waybill_job_idempotency_uq) on j.idempotency_hash = v.e collate ascii_bin
order by j.id
for share of j

-- name: job_find_key
select id from waybill_job where idempotency_hash = :hash

-- name: job_by_active
-- Those that wait, and do not begin before the caller commits.
select j.id, j.type, j.status, j.run, j.due_at, j.idempotency_hash, j.active_hash, j.request
from json_table(:hashes, '$[*]' columns (e char(43) character set ascii path '$')) v
straight_join waybill_job j force index (waybill_job_active_uq) on j.active_hash = v.e collate ascii_bin and j.status in (0, 1)
order by j.id
for update of j

-- name: job_by_active_begun
-- Locked no more than it takes to have them stay: they are at work.
select j.id, j.type, j.status, j.run, j.due_at, j.idempotency_hash, j.active_hash, j.request
from json_table(:hashes, '$[*]' columns (e char(43) character set ascii path '$')) v
straight_join waybill_job j force index (waybill_job_active_uq) on j.active_hash = v.e collate ascii_bin
order by j.id
for share of j

-- name: job_discard
delete j
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))

-- name: job_replace
update waybill_job
set payload = :payload, due_at = coalesce(:due, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay), turn = coalesce(:due, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay) - priority * :ageing,
  status = case when coalesce(:due, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay) <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) then 1 else 0 end
where id = :id and status in (0, 1) and idempotency_hash is null

-- name: job_heads
-- The types that somebody waits for, and the first and the last of their tenants: which are the same where there is only
-- one. The grouping hops through the index from type to type; a subquery per type would read the whole line.
select h.type, case when d.max_running is null and d.rate_count is null then 0 else 1 end as limited, h.first_tenant, h.last_tenant
from (
  select j.type, min(j.tenant) as first_tenant, max(j.tenant) as last_tenant from waybill_job j where j.status = 1 group by j.status, j.type
) h
straight_join waybill_job_definition d on d.type = h.type
where d.enabled and not d.paused and h.type in (select e from json_table(:types, '$[*]' columns (e varchar(255) character set ascii path '$')) ids)
order by h.type

-- name: job_tenants
-- Who waits for a type, and whose first job has which turn: so many tenants from one on, hopping from one to the next.
select j.tenant, min(j.turn) as turn
from waybill_job j
where j.status = 1 and j.type = :type and j.tenant >= :since
group by j.status, j.type, j.tenant
order by j.status, j.type, j.tenant
limit :limit

-- name: job_limits_lock
-- Whoever counts what runs of a limited type holds its row until it has claimed.
select d.type, d.max_running, d.rate_count, d.rate_micros, d.rate_tokens, d.rate_at, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from waybill_job_definition d
where d.type in (select e from json_table(:types, '$[*]' columns (e varchar(255) character set ascii path '$')) ids)
for update skip locked

-- name: job_running_count
select count(*) as running from waybill_job where status = 2 and type = :type

-- name: job_rate_take
update waybill_job_definition set rate_tokens = cast(:tokens as decimal(20, 6)), rate_at = :now where type = :type

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
for update skip locked

-- name: job_held
select j.held_hash, j.held_permit
from json_table(:hashes, '$[*]' columns (e char(43) character set ascii path '$')) v
straight_join waybill_job j force index (waybill_job_held_uq) on j.held_hash = v.e collate ascii_bin

-- name: job_lease
update json_table(:batch, '$[*]' columns (id char(36) character set ascii path '$.id', permit integer path '$.permit')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))
set j.status = 2, j.attempt = j.attempt + 1, j.lease_epoch = j.lease_epoch + 1, j.worker = :worker, j.leased_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), j.lease_until = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :ttl,
  j.started_at = coalesce(j.started_at, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))), j.held_hash = j.resource_hash, j.held_permit = v.permit, j.stage = 'running'

-- name: job_stage
-- Only jobs whose time has come are in the index that claims read. Rows that somebody holds are left for the next time. While the table
-- is small it would be read, and locked, from end to end, and a claim passes by what is locked: hence the order and the index.
update (
  select id from waybill_job force index (waybill_job_scheduled_ix)
  where status = 0 and due_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) order by due_at limit :limit for update skip locked
) due
straight_join waybill_job j force index (primary) on j.id = due.id
set j.status = 1

-- name: job_next_due
select min(due_at) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as micros from waybill_job where status = 0

-- name: job_renew_lock
-- Rows that somebody holds are left for the next time: one of them must not keep the others from being renewed.
select j.id, j.lease_until - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as left_micros
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', run integer path '$.run', attempt integer path '$.attempt', worker varchar(512) character set utf8mb4 path '$.worker')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2
order by j.id
for update of j skip locked

-- name: job_renew
update json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))
set j.lease_until = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :ttl

-- name: job_watch
select j.id
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', run integer path '$.run', attempt integer path '$.attempt', worker varchar(512) character set utf8mb4 path '$.worker')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2 and j.lease_until > timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))

-- name: job_cancel_reasons
select j.id, j.reason
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.status = 5 and j.reason is not null

-- name: job_owned_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now
from waybill_job j
where j.status = 2 and j.worker = :worker
order by j.id
for update skip locked

-- name: job_settle_lock
-- The clock is read behind the lock: a lease that ends while we wait for the row is lost.
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', run integer path '$.run', attempt integer path '$.attempt', worker varchar(512) character set utf8mb4 path '$.worker')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status = 2
order by j.id
for update of j

-- name: job_attempt_insert
insert into waybill_job_attempt (
  job_id, run, attempt, worker, leased_at, finished_at, outcome, error_code, error_message, policy_micros, not_before, next_due_at
)
select unhex(replace(v.id, '-', '')), v.run, v.attempt, v.worker, v.leased_at, v.finished_at, v.outcome, v.code, v.message, v.policy, v.not_before, v.next_due
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', run integer path '$.run', attempt integer path '$.attempt', worker varchar(512) character set utf8mb4 path '$.worker', leased_at bigint path '$.leased_at', finished_at bigint path '$.finished_at', outcome integer path '$.outcome', code varchar(512) character set utf8mb4 path '$.code', message longtext character set utf8mb4 path '$.message', policy bigint path '$.policy', not_before bigint path '$.not_before', next_due bigint path '$.next_due')) v

-- name: job_attempt_keep
-- What succeeded and begins again: its row is about to say something else.
insert into waybill_job_attempt (job_id, run, attempt, worker, leased_at, finished_at, outcome)
select j.id, j.run, j.attempt, j.worker, j.leased_at, j.finished_at, 0
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.status = 3 and j.worker is not null

-- name: job_settle
update json_table(:batch, '$[*]' columns (id char(36) path '$.id', status integer path '$.status', run integer path '$.run', attempt integer path '$.attempt', due bigint path '$.due', turn bigint path '$.turn', finished_at bigint path '$.finished_at', stage varchar(512) character set utf8mb4 path '$.stage', reason varchar(512) character set utf8mb4 path '$.reason', code varchar(512) character set utf8mb4 path '$.code', message longtext character set utf8mb4 path '$.message', output longtext character set utf8mb4 path '$.output', checkpoint longtext character set utf8mb4 path '$.checkpoint', done bigint path '$.done', total bigint path '$.total')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))
set j.status = v.status, j.run = v.run, j.attempt = v.attempt, j.due_at = coalesce(v.due, j.due_at), j.turn = coalesce(v.turn, j.turn),
  j.finished_at = v.finished_at, j.stage = v.stage, j.reason = v.reason, j.error_code = v.code, j.error_message = v.message,
  j.output = v.output, j.checkpoint = coalesce(v.checkpoint, j.checkpoint), j.progress_done = coalesce(v.done, j.progress_done),
  j.progress_total = coalesce(v.total, j.progress_total), j.worker = case when v.status = 3 then j.worker end, j.leased_at = case when v.status = 3 then j.leased_at end,
  j.lease_until = case when v.status = 3 then j.lease_until end, j.held_hash = null,
  j.started_at = case when v.attempt = 0 then null else j.started_at end,
  j.active_hash = case when v.status >= 3 then null else j.active_hash end

-- name: job_reap_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now
from waybill_job j
where j.status = 2 and j.workflow_id is null and j.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
order by j.lease_until
limit :limit
for update skip locked

-- name: job_reap_steps
-- Expired steps of workflows, without a lock: their runs are locked first.
select j.id, j.run, j.attempt, j.worker, j.workflow_id, j.lease_until
from waybill_job j
where j.status = 2 and j.workflow_id is not null and j.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
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
  error_message, workflow_id, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from waybill_job
where id = :id
for update

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
set status = 5, finished_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), worker = null, reason = :reason, active_hash = null,
  held_hash = case when lease_until > timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) then held_hash end
where id = :id

-- name: job_cancel_lock
-- Those of these that have not ended.
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, j.status, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', '')) and j.status < 3
order by j.id
for update of j

-- name: job_cancel_all
-- Like job_cancel, for many.
update json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))
set j.status = 5, j.finished_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), j.worker = null, j.reason = :reason, j.active_hash = null,
  j.held_hash = case when j.lease_until > timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) then j.held_hash end

-- name: job_event_all
insert into waybill_job_event (job_id, run, attempt, kind, occurred_at, detail)
select j.id, j.run, j.attempt, :kind, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), :detail
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))

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
-- A canceled job holds its resource until its handler cannot be at it any more. One that somebody holds is left for the next time.
-- Without a limit the inner statement may become part of the outer one, which waits.
update (
  select id from waybill_job force index (waybill_job_held_uq)
  where held_hash is not null and status = 5 and lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) limit 1000 for update skip locked
) done
straight_join waybill_job j force index (primary) on j.id = done.id
set j.held_hash = null

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
-- Each way to be later is a range of the index, and they are read in its order.
-- include: job_columns
from waybill_job j force index (waybill_job_scheduled_ix)
where j.status = 0
{and (j.due_at > :from_due or (j.due_at = :from_due and j.id > :after))}
-- include: job_filters
order by j.due_at, j.id
limit :limit

-- name: job_page_pending
-- Each way to be later is a range of the index, and they are read in its order.
-- include: job_columns
from waybill_job j force index (waybill_job_pending_ix)
where j.status = 1
{and (j.type > :from_type or (j.type = :from_type and j.tenant > :from_tenant) or (j.type = :from_type and j.tenant = :from_tenant and j.turn > :from_turn)
  or (j.type = :from_type and j.tenant = :from_tenant and j.turn = :from_turn and j.id > :after))}
{and j.type = :of_type and (j.tenant > :of_tenant or (j.tenant = :of_tenant and j.turn > :of_turn) or (j.tenant = :of_tenant and j.turn = :of_turn and j.id > :of_after))}
-- include: job_filters
order by j.type, j.tenant, j.turn, j.id
limit :limit

-- name: job_page_leased
-- They are no more than there are slots, and their leases move all the time: all are taken, up to a bound, and put in order.
-- include: job_columns
from (
  select id from waybill_job force index (waybill_job_leased_ix) where status = 2 order by lease_until limit 10000
) running
straight_join waybill_job j force index (primary) on j.id = running.id
where j.id < :after
-- include: job_filters
order by j.id desc
limit :limit

-- name: job_page_ended
-- include: job_columns
from waybill_job j force index (waybill_job_finished_ix)
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
values (:id, :run, :attempt, :kind, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), :detail)

-- name: job_event_rows
select id, run, attempt, kind, occurred_at, detail
from waybill_job_event
where job_id = :job and id > :after
order by id
limit :limit

-- name: job_log_insert
insert into waybill_job_log (job_id, run, attempt, level, message, occurred_at)
values (:id, :run, :attempt, :level, :message, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))

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
-- The index of pending jobs has all of them by status and type, so no more are looked at than are counted.
select count(*) as found
from (
  select 1 as one from waybill_job force index (waybill_job_pending_ix) where status = :status and type = :type limit :limit
) seen

-- name: job_purge_pick
-- Jobs that are steps are purged with their run.
select id
from waybill_job
where workflow_id is null and status >= 3 and status = :status and finished_at < timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - :age
order by finished_at
limit :limit
for update skip locked

-- name: job_purge_attempt
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job_attempt c on c.job_id = unhex(replace(v.id, '-', ''))

-- name: job_purge_event
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job_event c on c.job_id = unhex(replace(v.id, '-', ''))

-- name: job_purge_log
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job_log c on c.job_id = unhex(replace(v.id, '-', ''))
