-- Jobs.
--
-- Tables: waybill_job (one row per job), waybill_job_freight (up to sixteen in one row), waybill_job_definition,
-- waybill_job_attempt, _event, _log.
-- Indexes: pending (type, tenant, turn, id), scheduled (due_at, id), leased (lease_until) and finished (status, finished_at) each
-- contain only the jobs in that state; unique keys on idempotency_hash, active_hash and (held_hash, held_permit).
-- Locking: claims, reaping and renewals lock rows and skip those that others hold; whoever settles an attempt locks its
-- row first and looks at the clock afterwards. Rows are locked in the order of their ids. Whoever enqueues with a key that a job has
-- holds that row's key for as long as its transaction is open: nobody but the purge waits for that ("no key").
-- Sets of rows come as one JSON parameter, so that the text of a statement does not depend on their number.
-- Freights: what reads jobs reads both tables in one statement; what changes jobs knows rows only, because freights are unloaded
-- first; see job_own.sql. A freight's id is that of its first job.
-- Plans: what is planned once must not read a whole table because it is small then; see job_own.sql.

-- part: step_by_index
  and (s.place >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> s.step_key
  ) is not null)

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
  0, 0, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
)

-- name: job_definition_update
update waybill_job_definition
set version = :version, max_attempts = :max_attempts, timeout_micros = :timeout_micros, priority = :priority,
  retry_policy = :retry_policy, enabled = :enabled, max_running = :max_running, rate_count = :rate_count, rate_micros = :rate_micros,
  updated_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
where type = :type

-- name: job_definition_pause
update waybill_job_definition set paused = :paused, updated_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) where type = :type

-- name: job_definition_enable
update waybill_job_definition set enabled = :enabled, updated_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) where type = :type

-- name: job_insert
-- The definition decides what the request leaves open. A key that exists already inserts nothing.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, resource_permits, idempotency_key, idempotency_hash, active_hash, unique_hash, request, payload
)
select v.id, v.type, v.tenant, case when coalesce(v.due, c.now + coalesce(v.delay, 0)) <= c.now then 1 else 0 end,
  coalesce(v.due, c.now + coalesce(v.delay, 0)) - coalesce(v.priority, d.priority) * cast(:ageing as bigint), coalesce(v.due, c.now + coalesce(v.delay, 0)), coalesce(v.priority, d.priority), 1, 0,
  coalesce(v.max_attempts, d.max_attempts), coalesce(v.timeout, d.timeout_micros), v.stage, c.now,
  v.resource_key, v.resource_hash, v.resource_permits, v.idempotency_key, v.idempotency_hash, v.active_hash, v.active_hash, v.request, v.payload
from json_to_recordset(cast(:batch as json)) as v (id uuid, type text, tenant text, delay bigint, due bigint, priority integer, max_attempts integer, timeout bigint, stage text, resource_key text, resource_hash text, resource_permits integer, idempotency_key text, idempotency_hash text, active_hash text, request text, payload text)
join waybill_job_definition d on d.type = v.type and d.enabled
cross join (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now) c
on conflict do nothing

-- name: job_present
select id, status from waybill_job where id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_by_idempotency
-- Locked, so that the answer stays true until the caller commits.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where idempotency_hash in (select e from json_array_elements_text(cast(:hashes as json)) e)
order by id
for key share

-- name: job_find_key
select id from waybill_job where idempotency_hash = :hash

-- name: job_by_active
-- Those that wait, and do not begin before the caller commits.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where active_hash in (select e from json_array_elements_text(cast(:hashes as json)) e) and status in (0, 1)
order by id
for update

-- name: job_by_active_begun
-- Locked no more than it takes to have them stay: they are at work.
select id, type, status, run, due_at, idempotency_hash, active_hash, request
from waybill_job
where active_hash in (select e from json_array_elements_text(cast(:hashes as json)) e)
order by id
for key share

-- name: job_discard
delete from waybill_job where id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_replace
update waybill_job
set payload = :payload, due_at = coalesce(cast(:due as bigint), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + cast(:delay as bigint)), turn = coalesce(cast(:due as bigint), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + cast(:delay as bigint)) - priority * cast(:ageing as bigint),
  status = case when coalesce(cast(:due as bigint), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + cast(:delay as bigint)) <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) then 1 else 0 end
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
  where d.type in (select e from json_array_elements_text(cast(:types as json)) e) and d.enabled and not d.paused
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
select d.type, d.max_running, d.rate_count, d.rate_micros, d.rate_tokens, d.rate_at, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from waybill_job_definition d
where d.type in (select e from json_array_elements_text(cast(:types as json)) e)
for update skip locked

-- name: job_running_count
select (select count(*) from waybill_job where status = 2 and type = :type) + (
    select coalesce(sum(jobs - bit_count(cast(done as bit(16)))), 0) from waybill_job_freight where status = 2 and type = :type
  ) as running

-- name: job_rate_take
update waybill_job_definition set rate_tokens = cast(:tokens as double precision), rate_at = :now where type = :type

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
  case when j.workflow_id is not null then (
    select s.step_key from waybill_workflow_step s where s.id = j.id
-- include: step_by_index
  ) end as step_key
from waybill_job j
where j.status = 1 and j.type = :type and j.tenant = :tenant and j.turn <= :bound
  and (j.resource_hash is null or (select count(*) from waybill_job h where h.held_hash = j.resource_hash) < j.resource_permits)
order by j.turn, j.id
limit :limit
for no key update of j skip locked

-- name: job_held
select held_hash, held_permit from waybill_job where held_hash in (select e from json_array_elements_text(cast(:hashes as json)) e)

-- name: job_lease
-- plan: anew
update waybill_job
set status = 2, attempt = waybill_job.attempt + 1, lease_epoch = waybill_job.lease_epoch + 1, worker = :worker, leased_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), lease_until = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + :ttl,
  started_at = coalesce(started_at, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)), held_hash = resource_hash, held_permit = v.permit, stage = 'running'
from json_to_recordset(cast(:batch as json)) as v (id uuid, permit integer)
where waybill_job.id = v.id

-- name: job_stage
-- Only jobs whose time has come are in the index that claims read.
update waybill_job
set status = 1
where id in (
  select id from waybill_job where status = 0 and due_at <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) order by due_at limit :limit for no key update skip locked
)

-- name: job_next_due
select min(due_at) - cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as micros from waybill_job where status = 0

-- name: job_renew_lock
-- plan: anew
-- Rows that somebody holds are left for the next time: one of them must not keep the others from being renewed.
select j.id, j.lease_until - cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as left_micros
from json_to_recordset(cast(:batch as json)) as v (id uuid, run integer, attempt integer, worker text)
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status + 0 = 2
order by j.id
for no key update of j skip locked

-- name: job_renew
-- plan: anew
update waybill_job
set lease_until = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + :ttl
where id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_watch
-- plan: anew
select j.id
from json_to_recordset(cast(:batch as json)) as v (id uuid, run integer, attempt integer, worker text)
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status + 0 = 2 and j.lease_until > cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)

-- name: job_cancel_reasons
-- plan: anew
select j.id, j.reason
from waybill_job j
where j.id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
)) and j.status = 5 and j.reason is not null

-- name: job_owned_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from waybill_job j
where j.status = 2 and j.worker = :worker
order by j.id
for no key update skip locked

-- name: job_settle_lock
-- plan: anew
-- The clock is read behind the lock: a lease that ends while we wait for the row is lost.
with locked as materialized (
  select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id, j.progress_done, j.progress_total
  from json_to_recordset(cast(:batch as json)) as v (id uuid, run integer, attempt integer, worker text)
join waybill_job j on j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status + 0 = 2
  order by j.id
  for no key update of j
)
select id, type, run, attempt, max_attempts, priority, worker, leased_at, lease_until, workflow_id, progress_done, progress_total, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from locked

-- name: job_attempt_insert
insert into waybill_job_attempt (
  job_id, run, attempt, worker, leased_at, finished_at, outcome, error_code, error_message, policy_micros, not_before, next_due_at
)
select v.id, v.run, v.attempt, v.worker, v.leased_at, v.finished_at, v.outcome, v.code, v.message, v.policy, v.not_before, v.next_due
from json_to_recordset(cast(:batch as json)) as v (id uuid, run integer, attempt integer, worker text, leased_at bigint, finished_at bigint, outcome integer, code text, message text, policy bigint, not_before bigint, next_due bigint)

-- name: job_attempt_keep
-- What succeeded and begins again: its row is about to say something else.
insert into waybill_job_attempt (job_id, run, attempt, worker, leased_at, finished_at, outcome)
select id, run, attempt, worker, leased_at, finished_at, 0
from waybill_job
where id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
)) and status = 3 and worker is not null

-- name: job_settle
-- plan: anew
update waybill_job
set status = v.status, run = v.run, attempt = v.attempt, due_at = coalesce(v.due, waybill_job.due_at), turn = coalesce(v.turn, waybill_job.turn),
  finished_at = v.finished_at, stage = v.stage, reason = v.reason, error_code = v.code, error_message = v.message,
  output = v.output, checkpoint = coalesce(v.checkpoint, waybill_job.checkpoint), progress_done = coalesce(v.done, waybill_job.progress_done),
  progress_total = coalesce(v.total, waybill_job.progress_total), worker = case when v.status = 3 then waybill_job.worker end, leased_at = case when v.status = 3 then waybill_job.leased_at end,
  lease_until = case when v.status = 3 then waybill_job.lease_until end, held_hash = null,
  started_at = case when v.attempt = 0 then null else waybill_job.started_at end,
  active_hash = case when v.status >= 3 then null else waybill_job.active_hash end
from json_to_recordset(cast(:batch as json)) as v (id uuid, status integer, run integer, attempt integer, due bigint, turn bigint, finished_at bigint, stage text, reason text, code text, message text, output text, checkpoint text, done bigint, total bigint)
where waybill_job.id = v.id

-- name: job_reap_lock
select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
  j.progress_done, j.progress_total, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from waybill_job j
where j.status = 2 and j.workflow_id is null and j.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
order by j.lease_until
limit :limit
for no key update skip locked

-- name: job_reap_steps
-- Expired steps of workflows, without a lock: their runs are locked first.
select j.id, j.run, j.attempt, j.worker, j.workflow_id, j.lease_until
from waybill_job j
where j.status = 2 and j.workflow_id is not null and j.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
{and (j.lease_until, j.id) > (:since, :after)}
order by j.lease_until, j.id
limit :limit

-- name: job_progress
update waybill_job
set progress_done = coalesce(cast(:done as bigint), progress_done), progress_total = coalesce(cast(:total as bigint), progress_total),
  checkpoint = coalesce(:checkpoint, checkpoint), stage = coalesce(:stage, stage)
where id = :id

-- name: job_lock
select id, type, tenant, status, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at, started_at,
  finished_at, worker, leased_at, lease_until, progress_done, progress_total, resource_key, idempotency_key, reason, error_code,
  error_message, workflow_id, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from waybill_job
where id = :id
for no key update

-- name: job_get
select id, type, tenant, status, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at, started_at,
  finished_at, worker, leased_at, lease_until, progress_done, progress_total, resource_key, idempotency_key, reason, error_code,
  error_message, workflow_id
from waybill_job
where id = :id
union all
-- include: freight_columns
-- include: freight_of_id

-- name: job_body
select payload, checkpoint, output, request from waybill_job where id = :id
union all
select convert_from(substr(f.payload, 1 + (
    select coalesce(sum(cast(b.size as integer)), 0) from unnest(string_to_array(f.sizes, ' ')) with ordinality b (size, place) where b.place <= p.place
  )::integer, (string_to_array(f.sizes, ' '))[p.place + 1]::integer), 'UTF8'), null, null, null
-- include: freight_of_id

-- name: job_cancel
-- The end of the lease stays: until then a handler may still be at it, and hold its resource.
update waybill_job
set status = 5, finished_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), worker = null, reason = :reason, active_hash = null,
  held_hash = case when lease_until > cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) then held_hash end
where id = :id

-- name: job_cancel_lock
-- Those of these that have not ended.
with locked as materialized (
  select j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id,
    j.progress_done, j.progress_total, j.status
  from waybill_job j
  where j.id = any (array(
    select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
  )) and j.status < 3
  order by j.id
  for no key update of j
)
select locked.*, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
from locked

-- name: job_cancel_all
-- Like job_cancel, for many.
update waybill_job
set status = 5, finished_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), worker = null, reason = :reason, active_hash = null,
  held_hash = case when lease_until > cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) then held_hash end
where id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_event_all
insert into waybill_job_event (job_id, run, attempt, kind, occurred_at, detail)
select j.id, j.run, j.attempt, cast(:kind as smallint), cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), cast(:detail as text)
from waybill_job j
where j.id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

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
update waybill_job
set held_hash = null
where id = any (array(
  select id from waybill_job where status = 5 and held_hash is not null and lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) order by id for no key update skip locked
))

-- name: job_copy
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, resource_permits, idempotency_key, idempotency_hash, request, payload
)
select :id, type, tenant, 1, :now - priority * :ageing, :now, priority, 1, 0, max_attempts, timeout_micros, 'queued', :now,
  resource_key, resource_hash, resource_permits, :key, :hash, :request, payload
from waybill_job
where id = :source

-- part: freight_columns
-- A job of a freight f as it would be a row.
select cast(overlay(cast(f.id as text) placing to_hex(p.place) from 36) as uuid) as id, f.type, '' as tenant,
  case when f.status = 1 then 1 when (f.done >> p.place) & 1 = 1 then 3 else 2 end as status, f.created_at as due_at, f.priority, 1 as run,
  case when f.status = 1 then 0 else 1 end as attempt, f.max_attempts, f.timeout_micros,
  case when f.status = 1 then f.stage when (f.done >> p.place) & 1 = 1 then 'completed' else 'running' end as stage, f.created_at,
  f.leased_at as started_at, case when (f.done >> p.place) & 1 = 1 then f.finished_at end as finished_at, f.worker, f.leased_at, f.lease_until,
  cast(null as bigint) as progress_done, cast(null as bigint) as progress_total, cast(null as text) as resource_key,
  cast(null as text) as idempotency_key, cast(null as text) as reason, cast(null as text) as error_code,
  cast(null as text) as error_message, cast(null as uuid) as workflow_id

-- part: freight_of_id
-- The one that has this job, unless it was unloaded.
from waybill_job_freight f
cross join (select strpos('0123456789abcdef', right(cast(cast(:id as uuid) as text), 1)) - 1 as place) p
where f.id = cast(overlay(cast(cast(:id as uuid) as text) placing '0' from 36) as uuid) and f.jobs > p.place

-- part: freight_filters
{and :tenant = ''}
{and f.type = :type}
{and cast(:code as text) is null}
{and f.created_at >= :since}
{and f.created_at < :before}

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
(
-- include: job_columns
from waybill_job j
where j.id < :after
-- include: job_filters
order by j.id desc
limit :limit
)
union all
select *
from (
-- include: freight_columns
from (
  select *
  from waybill_job_freight f
  where f.id < :after
-- include: freight_filters
  order by f.id desc
  limit :limit
) f
cross join lateral generate_series(0, f.jobs - 1) as p (place)
) b
where b.id < :after
order by id desc
limit :limit

-- name: job_place
-- Where a job stands among others of its status, or stood when it had it.
select type, tenant, turn, due_at, finished_at from waybill_job where id = :id
union all
select f.type, '', f.turn, f.created_at, case when (f.done >> p.place) & 1 = 1 then f.finished_at end
-- include: freight_of_id

-- name: job_page_scheduled
-- include: job_columns
from waybill_job j
where j.status = 0
{and (j.due_at, j.id) > (:from_due, :after)}
-- include: job_filters
order by j.due_at, j.id
limit :limit

-- name: job_page_pending
-- Tenants come behind all freights of their type. Of the freight that a page before ended in there may be none left.
select *
from (
(
-- include: job_columns
  , j.turn
from waybill_job j
where j.status = 1
{and (j.type, j.tenant, j.turn, j.id) > (:from_type, :from_tenant, :from_turn, :after)}
{and j.type = :of_type and (j.tenant, j.turn, j.id) > (:of_tenant, :of_turn, :of_after)}
-- include: job_filters
order by j.type, j.tenant, j.turn, j.id
limit :limit
)
union all
(
-- include: freight_columns
  , f.turn
from (
  select *
  from waybill_job_freight f
  where f.status = 1
{and (f.type, f.turn, f.id) >= (:from_type, case when :from_tenant = '' then :from_turn else 9223372036854775807 end, cast(overlay(cast(cast(:after as uuid) as text) placing '0' from 36) as uuid))}
{and f.type = :of_type and (f.turn, f.id) >= (case when :of_tenant = '' then :of_turn else 9223372036854775807 end, cast(overlay(cast(cast(:of_after as uuid) as text) placing '0' from 36) as uuid))}
-- include: freight_filters
  order by f.type, f.turn, f.id
  limit cast(:limit as integer) + 1
) f
cross join lateral generate_series(0, f.jobs - 1) as p (place)
)
) j
where true
{and (j.type, j.tenant, j.turn, j.id) > (:from_type, :from_tenant, :from_turn, :after)}
{and (j.tenant, j.turn, j.id) > (:of_tenant, :of_turn, :of_after)}
order by j.type, j.tenant, j.turn, j.id
limit :limit

-- name: job_page_leased
-- They are no more than there are slots, and their leases move all the time: all are taken, up to a bound, and put in order.
(
-- include: job_columns
from waybill_job j
where j.id = any (array(select id from waybill_job where status = 2 order by lease_until limit 10000)) and j.id < :after
-- include: job_filters
order by j.id desc
limit :limit
)
union all
select *
from (
-- include: freight_columns
from waybill_job_freight f
cross join lateral generate_series(0, f.jobs - 1) as p (place)
where f.id = any (array(select id from waybill_job_freight where status = 2 order by lease_until limit 10000)) and f.id < :after
-- include: freight_filters
) b
where b.id < :after and b.status = 2
order by id desc
limit :limit

-- name: job_page_ended
-- The second condition is the index's own. Of the freight that a page before ended in there may be none left.
(
-- include: job_columns
from waybill_job j
where j.status = :status and j.status >= 3
{and j.finished_at <= :until and (j.finished_at < :until or j.id < :after)}
-- include: job_filters
order by j.finished_at desc, j.id desc
limit :limit
)
union all
select *
from (
-- include: freight_columns
from (
  select *
  from waybill_job_freight f
  where f.finished_at is not null and cast(:status as integer) = 3
{and f.finished_at <= :until and (f.finished_at < :until or f.id < :after)}
-- include: freight_filters
  order by f.finished_at desc, f.id desc
  limit cast(:limit as integer) + 1
) f
cross join lateral generate_series(0, f.jobs - 1) as p (place)
) b
where b.status = 3
{and b.finished_at <= :until and (b.finished_at < :until or b.id < :after)}
order by finished_at desc, id desc
limit :limit

-- name: job_attempt_rows
-- An attempt that succeeded is in its job's row.
select run, attempt, worker, leased_at, finished_at, outcome, error_code, error_message, policy_micros, not_before, next_due_at
from waybill_job_attempt
where job_id = :id
union all
select run, attempt, worker, leased_at, finished_at, 0, cast(null as text), cast(null as text), cast(null as bigint), cast(null as bigint), cast(null as bigint)
from waybill_job
where id = :id and status = 3 and worker is not null
union all
select 1, 1, f.worker, f.leased_at, f.finished_at, 0, cast(null as text), cast(null as text), cast(null as bigint), cast(null as bigint), cast(null as bigint)
-- include: freight_of_id
  and (f.done >> p.place) & 1 = 1
order by run, attempt

-- name: job_event_insert
insert into waybill_job_event (job_id, run, attempt, kind, occurred_at, detail)
values (:id, :run, :attempt, :kind, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), :detail)

-- name: job_event_rows
select id, run, attempt, kind, occurred_at, detail
from waybill_job_event
where job_id = :job and id > :after
order by id
limit :limit

-- name: job_log_insert
insert into waybill_job_log (job_id, run, attempt, level, message, occurred_at)
values (:id, :run, :attempt, :level, :message, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint))

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
  select 1 as one from (select type from waybill_job where cast(:status as integer) = 0 and status = 0 order by due_at limit 10000) s where type = :type
  union all
  select 1 as one from waybill_job where cast(:status as integer) = 1 and status = 1 and type = :type
  union all
  select 1 as one from (select type from waybill_job where cast(:status as integer) = 2 and status = 2 order by lease_until limit 10000) s where type = :type
  union all
  select 1 as one from (select type from waybill_job where status >= 3 and status = cast(:status as integer) order by finished_at desc limit 10000) s where type = :type
  union all
  select 1 as one from waybill_job_freight f cross join lateral generate_series(1, f.jobs) where cast(:status as integer) = 1 and f.status = 1 and f.type = :type
  union all
  select 1 as one
  from (select type, jobs, done from waybill_job_freight where cast(:status as integer) = 2 and status = 2 order by lease_until limit 625) f
  cross join lateral generate_series(1, f.jobs - bit_count(cast(f.done as bit(16)))) where f.type = :type
  union all
  select 1 as one
  from (select type, done from waybill_job_freight where cast(:status as integer) = 3 and finished_at is not null order by finished_at desc limit 625) f
  cross join lateral generate_series(1, bit_count(cast(f.done as bit(16)))) where f.type = :type
  limit :limit
) seen

-- name: job_purge_pick
-- Jobs that are steps are purged with their run.
select id
from waybill_job
where workflow_id is null and status >= 3 and status = :status and finished_at < cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) - :age
order by finished_at
limit :limit
for update skip locked

-- name: job_purge_attempt
delete from waybill_job_attempt where job_id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_purge_event
delete from waybill_job_event where job_id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))

-- name: job_purge_log
delete from waybill_job_log where job_id = any (array(
  select cast(e as uuid) from json_array_elements_text(cast(:ids as json)) e
))
