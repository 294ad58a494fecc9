-- Statements about workflows in the shape that PostgreSQL allows: whole steps in one statement.
--
-- Tables, indexes and locks as in workflow.sql.
-- Plans: prepared for good, also while the tables are small; see job_own.sql for why the conditions that always hold are there.

-- part: run_by_index
  and (w.open_steps >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> w.type
  ) is not null)

-- part: step_by_index
  and (s.place >= 0 or (
    select count(*)
    from json_array_elements_text('[]') nobody cross join json_array_elements_text('[]') nothing
    where nobody <> s.step_key
  ) is not null)

-- name: workflow_begin
-- A run with its steps and edges, and the jobs of those whose turn has come at once. Nothing if somebody has one of its
-- keys, or if a type is not there or disabled: then begun is 0.
with given as materialized (
  select *
  from json_to_recordset(cast(:run as json)) as r (id uuid, type text, tenant text, status integer, open integer, active integer, failed integer, steps integer, edges integer, result_step text, idempotency_key text, idempotency_hash text, active_key text, active_hash text, input text, request text)
), definition as materialized (
  select d.type, d.max_attempts, d.timeout_micros, d.priority
  from waybill_job_definition d
  where d.type in (select e from json_array_elements_text(cast(:types as json)) e) and d.enabled
), begun as (
  insert into waybill_workflow (
    id, type, tenant, status, open_steps, active_steps, failed_steps, step_count, edge_count, result_step, idempotency_key, idempotency_hash,
    active_key, active_hash, input, request, created_at
  )
  select r.id, r.type, r.tenant, r.status, r.open, r.active, r.failed, r.steps, r.edges, r.result_step, r.idempotency_key, r.idempotency_hash,
    r.active_key, r.active_hash, r.input, r.request, cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)
  from given r
  where (select count(*) from definition) = json_array_length(cast(:types as json))
  on conflict do nothing
  returning id, tenant, created_at
), step as materialized (
  select v.*, b.id as workflow, b.tenant, b.created_at as now, coalesce(v.priority, d.priority) as its_priority, coalesce(v.max_attempts, d.max_attempts) as its_attempts,
    coalesce(v.timeout, d.timeout_micros) as its_timeout
  from begun b
  cross join json_to_recordset(cast(:steps as json)) as v (id uuid, step_key text, place integer, kind integer, status integer, needed integer, pending integer, satisfied integer, may_fail integer, type text, priority integer, max_attempts integer, timeout bigint, stage text, delay bigint, resource_key text, resource_hash text, token_hash text, deadline bigint, remind bigint, remind_type text, wake bigint, payload text, over_step text, over_at text)
  left join definition d on d.type = v.type
), steps as (
  insert into waybill_workflow_step (
    id, workflow_id, step_key, place, kind, status, needed, pending, satisfied, may_fail, type, priority, max_attempts, timeout_micros,
    stage, delay_micros, resource_key, resource_hash, token_hash, deadline_micros, remind_micros, remind_type, wake_at, gate_since,
    released_at, finished_at, payload, over_step, over_at
  )
  select v.id, v.workflow, v.step_key, v.place, v.kind, v.status, v.needed, v.pending, v.satisfied, v.may_fail, v.type, v.its_priority, v.its_attempts, v.its_timeout,
    v.stage, v.delay, v.resource_key, v.resource_hash, v.token_hash, v.deadline, v.remind, v.remind_type, v.now + v.wake,
    case when v.kind = 1 and v.status = 2 then v.now end, case when v.status in (1, 2) then v.now end,
    case when v.status >= 3 then v.now end, v.payload, v.over_step, v.over_at
  from step v
), edges as (
  insert into waybill_workflow_edge (workflow_id, prerequisite_id, dependent_id, mode, wanted)
  select b.id, v.prerequisite, v.dependent, v.mode, v.wanted
  from begun b
  cross join json_to_recordset(cast(:edges as json)) as v (prerequisite uuid, dependent uuid, mode integer, wanted text)
), attributes as (
  insert into waybill_workflow_attribute (workflow_id, name, value)
  select b.id, v.name, v.value
  from begun b
  cross join json_to_recordset(cast(:attributes as json)) as v (name text, value text)
), jobs as (
  insert into waybill_job (
    id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
    resource_key, resource_hash, workflow_id, payload
  )
  select v.id, v.type, v.tenant, case when coalesce(v.delay, 0) > 0 then 0 else 1 end,
    v.now + coalesce(v.delay, 0) - v.its_priority * cast(:ageing as bigint), v.now + coalesce(v.delay, 0), v.its_priority, 1, 0,
    v.its_attempts, v.its_timeout, v.stage, v.now, v.resource_key, v.resource_hash, v.workflow, v.payload
  from step v
  where v.kind = 0 and v.status = 1
)
select count(*) as begun from begun

-- name: workflow_go_on
-- What an avalanche changes: steps, the jobs of those whose turn has come, and runs. The runs are locked; what a job takes
-- from its step was fixed at the start, so it may be read as it was before this statement.
with step as materialized (
  select *
  from json_to_recordset(cast(:steps as json)) as v (id uuid, status integer, pending integer, satisfied integer, released_at bigint, finished_at bigint, wake_at bigint, output text, code text, message text, reason text)
), steps as (
  update waybill_workflow_step s
  set status = v.status, pending = coalesce(v.pending, s.pending), satisfied = coalesce(v.satisfied, s.satisfied),
    released_at = coalesce(v.released_at, s.released_at), finished_at = coalesce(v.finished_at, s.finished_at), wake_at = v.wake_at,
    gate_since = case when s.kind = 1 and v.status = 2 then coalesce(v.released_at, s.released_at) end,
    output = coalesce(v.output, s.output), error_code = coalesce(v.code, s.error_code),
    error_message = coalesce(v.message, s.error_message), reason = coalesce(v.reason, s.reason)
  from step v
  where s.id = any (array(select id from step)) and s.id = v.id
-- include: step_by_index
), jobs as (
  insert into waybill_job (
    id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
    resource_key, resource_hash, workflow_id, payload
  )
  select s.id, s.type, r.tenant, case when coalesce(s.delay_micros, 0) > 0 then 0 else 1 end,
    c.now + coalesce(s.delay_micros, 0) - s.priority * cast(:ageing as bigint), c.now + coalesce(s.delay_micros, 0), s.priority, 1, 0,
    s.max_attempts, s.timeout_micros, s.stage, c.now, s.resource_key, s.resource_hash, s.workflow_id, s.payload
  from waybill_workflow_step s
  cross join lateral (
    select w.tenant
    from waybill_workflow w
    where w.id = s.workflow_id
-- include: run_by_index
    offset 0
  ) r
  cross join (select cast(extract(epoch from clock_timestamp()) * 1000000 as bigint) as now) c
  where s.id = any (array(
    select cast(e as uuid) from json_array_elements_text(cast(:begun as json)) e
  ))
-- include: step_by_index
  on conflict (id) do update set status = excluded.status, turn = excluded.turn, due_at = excluded.due_at, stage = excluded.stage, run = waybill_job.run + 1, attempt = 0,
    reason = null, error_code = null, error_message = null, output = null, started_at = null,
    finished_at = null, lease_until = null, leased_at = null, held_hash = null
), run as materialized (
  select *
  from json_to_recordset(cast(:runs as json)) as v (id uuid, status integer, open integer, active integer, failed integer, steps integer, edges integer, finished_at bigint, held bigint, reason text)
)
update waybill_workflow w
set status = v.status, open_steps = v.open, active_steps = v.active, failed_steps = v.failed, step_count = v.steps, edge_count = v.edges,
  finished_at = v.finished_at, reason = coalesce(v.reason, w.reason), active_until = v.held,
  tell_at = case when v.status >= 2 and w.parent_id is not null then v.finished_at end,
  active_hash = case when v.status >= 2 and v.held is null then null else w.active_hash end
from run v
where w.id = any (array(select id from run)) and w.id = v.id
-- include: run_by_index
