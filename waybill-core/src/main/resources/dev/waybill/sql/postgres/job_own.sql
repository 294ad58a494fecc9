-- Statements about jobs in the shape that PostgreSQL allows: whole steps in one statement, which is a transaction by itself.
--
-- Tables, indexes and locks as in job.sql.
-- Plans: these are prepared for good, also while the table is small and reading all of it would be the best plan. So a
-- condition that always holds, and that the planner takes for expensive (a join of two functions, a hundred rows each as far
-- as it knows, in truth none; and never asked, since what stands before it always holds) is added to whatever finds jobs:
-- reading the whole table then looks as expensive as it is going to be, and the index is used from the first job on.
-- Limits are selects, so that nobody sees how small they are: a plan for any limit would look worse than one for this limit,
-- and the server would make a new one each time.

-- part: by_index
  and (j.attempt >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> j.type
  ) is not null)

-- part: step_by_index
  and (s.place >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> s.step_key
  ) is not null)

-- name: job_insert_alike
-- Jobs that are due at once, have no keys and differ in their payloads only: arrays are taken apart sooner than JSON, and
-- nobody has to be asked whether a key is free.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at, payload
)
select v.id, d.type, :tenant, 1, c.now - coalesce(cast(:priority as integer), d.priority) * cast(:ageing as bigint), c.now,
  coalesce(cast(:priority as integer), d.priority), 1, 0, coalesce(cast(:max_attempts as integer), d.max_attempts),
  coalesce(cast(:timeout as bigint), d.timeout_micros), :stage, c.now, v.payload
from unnest(cast(:ids as uuid[]), cast(:payloads as text[])) as v (id, payload)
join waybill_job_definition d on d.type = :type and d.enabled
cross join (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now) c

-- name: job_claim_front
-- The front of the lines, merged by turn, if there is nothing to weigh: one tenant, no limit and no resource. Else nothing is
-- taken, and simple is false. Of several lines only what comes before the bound is locked, so that no job is locked in vain;
-- others may be at it as well: where there is a bound, there may be more to take.
with clock as materialized (
  select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
), heads as materialized (
  select h.type, h.limited, h.first_tenant, h.last_tenant
  from (
    select d.type, d.max_running is not null or d.rate_count is not null as limited, (
        select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant limit 1
      ) as first_tenant, (
        select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant desc limit 1
      ) as last_tenant
    from waybill_job_definition d
    where d.type in (select e from json_array_elements_text(cast(:types as json)) e) and d.enabled and not d.paused
  ) h
  where h.first_tenant is not null
), line as materialized (
  select type, first_tenant as tenant
  from heads
  where (select not bool_or(limited) and min(first_tenant) = max(last_tenant) from heads)
), bound as materialized (
  select f.turn, f.id
  from line l
  cross join lateral (
    select j.turn, j.id
    from waybill_job j
    where j.status = 1 and j.type = l.type and j.tenant = l.tenant
-- include: by_index
    order by j.turn, j.id
    limit (select cast(:limit as integer))
  ) f
  where (select count(*) from line) > 1
  order by f.turn, f.id
  offset (select cast(:limit as integer) - 1)
  limit 1
), front as materialized (
  select f.id, f.resource_hash
  from line l
  cross join lateral (
    select j.id, j.resource_hash
    from waybill_job j
    where j.status = 1 and j.type = l.type and j.tenant = l.tenant and (j.turn, j.id) <= (
        coalesce((select turn from bound), 9223372036854775807), coalesce((select id from bound), 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      )
-- include: by_index
    order by j.turn, j.id
    limit (select cast(:limit as integer))
    for no key update skip locked
  ) f
), simple as materialized (
  select (select count(*) from heads) = (select count(*) from line)
    and not exists (select 1 from front where resource_hash is not null) as yes
), leased as (
  update waybill_job j
  set status = 2, attempt = j.attempt + 1, lease_epoch = j.lease_epoch + 1, worker = :worker, leased_at = (select now from clock),
    lease_until = (select now from clock) + :ttl, started_at = coalesce(j.started_at, (select now from clock)), stage = 'running'
  where j.id = any (array(select id from front)) and (select yes from simple)
-- include: by_index
  returning j.id, j.type, j.tenant, j.run, j.attempt - 1 as attempt, j.lease_epoch - 1 as lease_epoch, j.max_attempts, j.timeout_micros, j.turn,
    j.progress_done, j.progress_total, j.resource_hash, j.resource_permits, j.workflow_id, j.payload, j.checkpoint,
    case when j.workflow_id is not null then (
      select s.step_key from waybill_workflow_step s where s.id = j.id
-- include: step_by_index
    ) end as step_key
)
select s.yes as simple, exists (select 1 from bound) as bounded, l.*
from simple s
left join leased l on true
order by l.turn, l.id

-- name: job_depart
-- A job's own transaction leases it right before it commits, if nobody waits for what this process runs and there is nothing to
-- weigh. The lease counts only as far as the commit does, so not where that is not durable; and what a transaction with an old
-- snapshot sees of others is old.
update waybill_job j
set status = 2, attempt = 1, lease_epoch = 1, worker = :worker, leased_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint),
  lease_until = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) + :ttl, started_at = cast(extract(epoch from clock_timestamp()) * 1000000 as bigint), stage = 'running'
where j.id = :id and j.status = 1 and j.attempt = 0 and j.resource_hash is null
  and current_setting('transaction_isolation') = 'read committed' and current_setting('synchronous_commit') <> 'off'
  and exists (
    select 1
    from waybill_job_definition d
    where d.type = j.type and d.enabled and not d.paused and d.max_running is null and d.rate_count is null
  )
  and not exists (
    select 1
    from unnest(cast(:types as text[])) t (type)
    cross join lateral (
      select o.id
      from waybill_job o
      where o.status = 1 and o.type = t.type and o.id <> :id
      order by o.tenant, o.turn, o.id
      limit 1
    ) o
  )
-- include: by_index
returning j.id, j.type, j.tenant, j.run, 0 as attempt, 0 as lease_epoch, j.max_attempts, j.timeout_micros, j.turn,
  j.progress_done, j.progress_total, j.resource_hash, j.resource_permits, j.workflow_id, j.payload, j.checkpoint,
  cast(null as text) as step_key

-- name: job_succeed
-- The attempt stays in the job's row. A lease that ends while its row is waited for is lost: what is returned is computed behind
-- the row's lock, so the clock is looked at once more there, and if it is too late, no number comes of it and the statement fails.
with clock as materialized (
  select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
)
update waybill_job j
set status = 3, finished_at = (select now from clock), stage = 'completed', reason = null, error_code = null,
  error_message = null, output = v.output, held_hash = null, active_hash = null
from unnest(cast(:ids as uuid[]), cast(:runs as bigint[]), cast(:attempts as bigint[]), cast(:workers as text[]), cast(:outputs as text[]))
  as v (id, run, attempt, worker, output)
where j.id = v.id and j.run = v.run and j.attempt = v.attempt and j.worker = v.worker and j.status + 0 = 2
  and j.lease_until > (select now from clock)
-- include: by_index
returning j.id, j.type, j.run, j.attempt, j.max_attempts, j.priority, j.worker, j.leased_at, j.lease_until, j.workflow_id, j.progress_done, j.progress_total,
  cast(case when j.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) then 'too late, after ' else '' end || j.finished_at as bigint) as now

-- name: job_stage_front
-- What is due gets into the line; how many that were, and how long until the next one is.
with due as materialized (
  select j.id
  from waybill_job j
  where j.status = 0 and j.due_at <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
-- include: by_index
  order by j.due_at
  limit (select cast(:limit as integer))
  for no key update skip locked
), staged as (
  update waybill_job j
  set status = 1
  where j.id = any (array(select id from due))
-- include: by_index
  returning 1
)
select (select count(*) from staged) as staged, (
    select min(j.due_at) - cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
    from waybill_job j
    where j.status = 0 and j.id <> all (array(select id from due))
-- include: by_index
  ) as micros
