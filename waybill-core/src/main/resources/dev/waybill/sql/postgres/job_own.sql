-- Statements about jobs in the shape that PostgreSQL allows: whole steps in one statement, which is a transaction by itself.
--
-- Tables, indexes and locks as in job.sql; and waybill_job_freight, rows of several jobs. Whoever locks both locks freights first,
-- in the order of their ids, or skips those that others hold. A freight is changed by its claim and by success; whatever else is to
-- be done to one of its jobs unloads it first. So whoever finds no freight looks for rows, in a later statement.
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

-- part: freight_by_index
  and (f.jobs >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> f.type
  ) is not null)

-- part: unloaded
-- What was picked becomes rows, each job as it is. Its sizes tell where its payload begins.
gone as (
  delete from waybill_job_freight f
  where f.id = any (array(select id from picked))
-- include: freight_by_index
  returning f.*
), each as (
  select g.*, (p.place - 1)::integer as place, cast(p.size as integer) as size,
    sum(cast(p.size as integer)) over (partition by g.id order by p.place) - cast(p.size as integer) as behind,
    case when g.status = 1 then 1 when (g.done >> (p.place - 1)::integer) & 1 = 1 then 3 else 2 end as state
  from gone g
  cross join lateral unnest(string_to_array(g.sizes, ' ')) with ordinality as p (size, place)
)
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, lease_epoch, max_attempts, timeout_micros, stage, created_at,
  started_at, finished_at, worker, leased_at, lease_until, payload
)
select cast(overlay(cast(e.id as text) placing to_hex(e.place) from 36) as uuid), e.type, '', e.state, e.turn, e.created_at, e.priority, 1,
  case when e.state = 1 then 0 else 1 end, case when e.state = 1 then 0 else 1 end, e.max_attempts, e.timeout_micros,
  case e.state when 1 then e.stage when 2 then 'running' else 'completed' end, e.created_at,
  e.leased_at, case when e.state = 3 then e.finished_at end, e.worker, e.leased_at, e.lease_until,
  convert_from(substr(e.payload, cast(e.behind as integer) + 1, e.size), 'UTF8')
from each e

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
-- taken, and simple is false. Jobs in rows are one line of a type, freights another; a freight is taken whole or not at all. Of
-- several lines only what comes before the bound is locked, so that no job is locked in vain; others may be at it as well: where
-- there is a bound, there may be more to take. What fits is asked of the first ones, unless all that can come are freights.
with clock as materialized (
  select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
), heads as materialized (
  select h.type, h.limited, h.first_tenant, h.last_tenant, h.freight
  from (
    select d.type, d.max_running is not null or d.rate_count is not null as limited, (
        select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant limit 1
      ) as first_tenant, (
        select j.tenant from waybill_job j where j.status = 1 and j.type = d.type order by j.tenant desc limit 1
      ) as last_tenant, (
        select f.jobs from waybill_job_freight f where f.status = 1 and f.type = d.type order by f.turn, f.id limit 1
      ) is not null as freight
    from waybill_job_definition d
    where d.type in (select e from json_array_elements_text(cast(:types as json)) e) and d.enabled and not d.paused
  ) h
  where h.first_tenant is not null or h.freight
), line as materialized (
  select h.type, coalesce(h.first_tenant, '') as tenant, w.freight
  from heads h
  cross join (values (false), (true)) as w (freight)
  where case when w.freight then h.freight else h.first_tenant is not null end
    and (select not bool_or(limited) and coalesce(min(first_tenant) = max(last_tenant) and (max(last_tenant) = '' or not bool_or(freight)), true) from heads)
), many as materialized (
  select count(*) > 1 or (coalesce(bool_or(freight), false) and (select cast(:limit as integer)) < 16) as yes from line
), sequence as materialized (
  select u.turn, u.id, sum(u.jobs) over (order by u.turn, u.id) as jobs
  from line l
  cross join lateral (
    (
      select j.turn, j.id, 1 as jobs
      from waybill_job j
      where not l.freight and j.status = 1 and j.type = l.type and j.tenant = l.tenant
-- include: by_index
      order by j.turn, j.id
      limit (select cast(:limit as integer))
    )
    union all
    (
      select f.turn, f.id, f.jobs
      from waybill_job_freight f
      where l.freight and f.status = 1 and f.type = l.type
-- include: freight_by_index
      order by f.turn, f.id
      limit (select cast(:limit as integer))
    )
  ) u
  where (select yes from many)
), bound as materialized (
  select b.turn, b.id
  from (
    (select turn, id from sequence where jobs <= (select cast(:limit as integer)) order by turn desc, id desc limit 1)
    union all
    (select cast(-9223372036854775808 as bigint), cast('00000000-0000-0000-0000-000000000000' as uuid) from many where yes)
    union all
    (select 9223372036854775807, cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as uuid) from many where not yes)
  ) b
  limit 1
), front as materialized (
  select f.id, f.resource_hash
  from line l
  cross join lateral (
    select j.id, j.resource_hash
    from waybill_job j
    where not l.freight and j.status = 1 and j.type = l.type and j.tenant = l.tenant
      and (j.turn, j.id) <= ((select turn from bound), (select id from bound))
-- include: by_index
    order by j.turn, j.id
    limit (select cast(:limit as integer))
    for no key update skip locked
  ) f
), freights as materialized (
  select f.id
  from line l
  cross join lateral (
    select f.id
    from waybill_job_freight f
    where l.freight and f.status = 1 and f.type = l.type
      and (f.turn, f.id) <= ((select turn from bound), (select id from bound))
-- include: freight_by_index
    order by f.turn, f.id
    limit (select case when yes then cast(:limit as integer) else cast(:limit as integer) / 16 end from many)
    for no key update skip locked
  ) f
), simple as materialized (
  select (select count(*) from heads) = (select count(distinct type) from line)
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
    ) end as step_key, cast(null as text) as sizes, cast(null as bytea) as body
), freighted as (
  update waybill_job_freight f
  set status = 2, worker = :worker, leased_at = (select now from clock), lease_until = (select now from clock) + :ttl
  where f.id = any (array(select id from freights)) and (select yes from simple)
-- include: freight_by_index
  returning f.id, f.type, '' as tenant, 1 as run, 0 as attempt, 0 as lease_epoch, f.max_attempts, f.timeout_micros, f.turn,
    cast(null as bigint) as progress_done, cast(null as bigint) as progress_total, cast(null as text) as resource_hash, 1 as resource_permits,
    cast(null as uuid) as workflow_id, cast(null as text) as payload, cast(null as text) as checkpoint, cast(null as text) as step_key,
    f.sizes, f.payload as body
)
select s.yes as simple, (
    select case when m.yes then coalesce((select max(jobs) from sequence) >= (select cast(:limit as integer)), false)
        else coalesce(bool_or(l.freight), false) and (select count(*) from freights) >= (select cast(:limit as integer) / 16) end
    from many m left join line l on true
    group by m.yes
  ) as bounded, coalesce((select min(jobs) from sequence) > (select cast(:limit as integer)), false) as stuck, l.*
from simple s
left join (select * from leased union all select * from freighted) l on true
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
  and not exists (
    select 1
    from unnest(cast(:types as text[])) t (type)
    cross join lateral (
      select f.id
      from waybill_job_freight f
      where f.status = 1 and f.type = t.type
-- include: freight_by_index
      order by f.turn, f.id
      limit 1
    ) f
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

-- name: job_freight_insert
-- Their payloads come as one, of which each freight takes a piece. A type with limits has to be weighed: nothing is inserted. Nor
-- where not every text can be stored: that must fail here, and not when a freight is unloaded.
insert into waybill_job_freight (
  id, turn, timeout_micros, created_at, priority, max_attempts, jobs, type, stage, sizes, status, payload
)
select v.id, c.now - coalesce(cast(:priority as integer), d.priority) * cast(:ageing as bigint),
  coalesce(cast(:timeout as bigint), d.timeout_micros), c.now, coalesce(cast(:priority as integer), d.priority),
  coalesce(cast(:max_attempts as integer), d.max_attempts), cast(v.jobs as integer), d.type, :stage, v.sizes, 1,
  substr(cast(:payload as bytea), cast(v.behind as integer) + 1, cast(v.bytes as integer))
from unnest(cast(:ids as uuid[]), cast(:jobs as bigint[]), cast(:behinds as bigint[]), cast(:bytes as bigint[]), cast(:sizes as text[]))
  as v (id, jobs, behind, bytes, sizes)
join waybill_job_definition d on d.type = :type and d.enabled and d.max_running is null and d.rate_count is null
  and getdatabaseencoding() = 'UTF8'
cross join (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now) c

-- name: job_freight_succeed
-- Like job_succeed, for jobs of freights: none of those that are said to have succeeded may have done so before.
with clock as materialized (
  select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now
)
update waybill_job_freight f
set done = f.done | cast(v.done as integer), status = case when f.done | cast(v.done as integer) = (1 << f.jobs) - 1 then 3 else 2 end,
  finished_at = (select now from clock)
from unnest(cast(:ids as uuid[]), cast(:dones as bigint[]), cast(:workers as text[])) as v (id, done, worker)
where f.id = v.id and f.worker = v.worker and f.status + 0 = 2 and f.done & cast(v.done as integer) = 0
  and f.lease_until > (select now from clock)
-- include: freight_by_index
returning f.id, f.type, f.max_attempts, f.priority, f.worker, f.leased_at, f.lease_until,
  cast(case when f.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) then 'too late, after ' else '' end || f.finished_at as bigint) as now

-- name: job_freight_watch
select f.id, f.done
from waybill_job_freight f
where f.id = any (cast(:ids as uuid[])) and f.worker = :worker and f.status + 0 = 2 and f.lease_until > cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
-- include: freight_by_index

-- name: job_freight_owned
select f.id, f.jobs, f.done
from waybill_job_freight f
where f.status = 2 and f.worker = :worker
-- include: freight_by_index

-- name: job_freight_unload
-- Whoever has one of these now is waited for.
with picked as materialized (
  select f.id
  from waybill_job_freight f
  where f.id = any (cast(:ids as uuid[]))
-- include: freight_by_index
  order by f.id
  for update
),
-- include: unloaded

-- name: job_freight_unload_free
-- Those that nobody has locked.
with picked as materialized (
  select f.id
  from waybill_job_freight f
  where f.id = any (cast(:ids as uuid[]))
-- include: freight_by_index
  order by f.id
  for update skip locked
),
-- include: unloaded

-- name: job_freight_unload_slow
-- Of these, those of which some have ended long before the others.
with picked as materialized (
  select f.id
  from waybill_job_freight f
  where f.id = any (cast(:ids as uuid[])) and f.status + 0 = 2 and f.done > 0 and f.leased_at < cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) - 1000000
-- include: freight_by_index
  order by f.id
  for update skip locked
),
-- include: unloaded

-- name: job_freight_unload_expired
-- As many as have so many jobs together, longest ago first.
with expired as materialized (
  select f.id, f.jobs, f.lease_until
  from waybill_job_freight f
  where f.status = 2 and f.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
-- include: freight_by_index
  order by f.lease_until
  limit (select cast(:limit as integer))
), picked as materialized (
  select f.id
  from waybill_job_freight f
  where f.id = any (array(
    select e.id from (select id, jobs, sum(jobs) over (order by lease_until, id) as upto from expired) e where e.upto - e.jobs < :limit
  )) and f.status + 0 = 2 and f.lease_until <= cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
-- include: freight_by_index
  order by f.id
  for update skip locked
),
-- include: unloaded

-- name: job_freight_unload_front
-- As far as they are among the first of their type's line.
with picked as materialized (
  select f.id
  from waybill_job_definition d
  cross join lateral (
    select f.id, f.turn
    from waybill_job_freight f
    where f.status = 1 and f.type = d.type
-- include: freight_by_index
    order by f.turn, f.id
    limit (select (cast(:limit as integer) + 15) / 16)
    for update skip locked
  ) f
  where d.type in (select e from json_array_elements_text(cast(:types as json)) e) and d.enabled and not d.paused and (
    select count(*)
    from (
      select 1
      from waybill_job j
      where j.status = 1 and j.type = d.type and j.tenant = '' and (j.turn, j.id) < (f.turn, f.id)
-- include: by_index
      order by j.turn, j.id
      limit (select cast(:limit as integer))
    ) before
  ) < (select cast(:limit as integer))
),
-- include: unloaded

-- name: job_freight_purge
with picked as materialized (
  select f.id
  from waybill_job_freight f
  where f.finished_at < cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) - :age and f.status = 3
-- include: freight_by_index
  order by f.finished_at, f.id
  limit (select cast(:limit as integer))
  for update skip locked
), gone as (
  delete from waybill_job_freight f
  where f.id = any (array(select id from picked))
-- include: freight_by_index
  returning f.jobs
)
select coalesce(sum(jobs), 0) as jobs from gone
