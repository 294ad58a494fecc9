-- Workflows.
--
-- Tables: waybill_workflow (one row per run, which is also its lock), waybill_workflow_step, waybill_workflow_edge,
-- waybill_workflow_attribute, waybill_workflow_change. A step's job has the step's id.
-- Indexes: unique keys on idempotency_hash and active_hash; steps by (workflow_id, step_key), those with a timer by wake_at
-- and gates that wait by gate_since; edges by (workflow_id, prerequisite_id) and (workflow_id, dependent_id); runs that steps
-- started by parent_id, those whose parent has to be told by tell_at, open runs by (status, id) and ended ones by (status, finished_at).
-- Locking: whoever changes anything of a run holds its row; runs are locked by id, before any job, and before the runs that
-- their steps started.
-- There is one writer at a time.

-- name: workflow_types
select type, max_attempts, timeout_micros, priority
from waybill_job_definition
where type in (select value from json_each(:types)) and enabled = 1

-- name: workflow_types_now
select type, max_attempts, timeout_micros, priority
from waybill_job_definition
where type in (select value from json_each(:types)) and enabled = 1

-- name: workflow_insert
-- A key that somebody has already inserts nothing.
insert into waybill_workflow (
  id, type, tenant, status, open_steps, active_steps, failed_steps, step_count, edge_count, result_step, idempotency_key, idempotency_hash,
  active_key, active_hash, source_id, source_step, input, request, created_at, finished_at
) values (
  :id, :type, :tenant, :status, :open, :active, :failed, :steps, :edges, :result_step, :idempotency_key, :idempotency_hash,
  :active_key, :active_hash, :source, :source_step, :input, :request, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), null
)
on conflict do nothing

-- name: workflow_child_insert
-- Runs that steps of other runs start.
insert into waybill_workflow (
  id, type, tenant, status, open_steps, active_steps, failed_steps, step_count, edge_count, result_step, parent_id, parent_step, input, created_at
)
select v.id, v.type, v.tenant, v.status, v.open, v.active, 0, v.steps, v.edges, v.result_step, v.parent, v.parent_step, v.input, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
from (select json_extract(value, '$.id') as id, json_extract(value, '$.type') as type, json_extract(value, '$.tenant') as tenant, json_extract(value, '$.status') as status, json_extract(value, '$.open') as open, json_extract(value, '$.active') as active, json_extract(value, '$.steps') as steps, json_extract(value, '$.edges') as edges, json_extract(value, '$.result_step') as result_step, json_extract(value, '$.parent') as parent, json_extract(value, '$.parent_step') as parent_step, json_extract(value, '$.input') as input from json_each(:batch)) v

-- name: workflow_by_idempotency
-- Locked, so that the answer stays true until the caller commits; as for a change, which may be what he does next.
select id, status, request from waybill_workflow where idempotency_hash = :hash

-- name: workflow_by_active
-- Whose key it is, until he ends or, if he was canceled, until none of his handlers can be at it any more.
select id, status, request from waybill_workflow where active_hash = :hash and (active_until is null or active_until > (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000))

-- name: workflow_active_look
-- Without a lock; he may have ended by now, or before.
select id from waybill_workflow where active_hash = :hash

-- name: workflow_step_insert
insert into waybill_workflow_step (
  id, workflow_id, step_key, place, kind, status, needed, pending, satisfied, may_fail, type, priority, max_attempts, timeout_micros,
  stage, delay_micros, resource_key, resource_hash, token_hash, deadline_micros, remind_micros, remind_type, wake_at, gate_since, released_at,
  finished_at, payload, output, error_code, error_message, parent_id, over_step, over_at
)
select v.id, v.workflow, v.step_key, v.place, v.kind, v.status, v.needed, v.pending, v.satisfied, v.may_fail, v.type, v.priority, v.max_attempts, v.timeout,
  v.stage, v.delay, v.resource_key, v.resource_hash, v.token_hash, v.deadline, v.remind, v.remind_type, c.now + v.wake, case when v.kind = 1 and v.status = 2 then c.now end, case when v.status in (1, 2) then c.now end,
  case when v.status >= 3 then coalesce(v.finished_at, c.now) end, v.payload, v.output, v.error_code, v.error_message, v.parent, v.over_step, v.over_at
from (select json_extract(value, '$.id') as id, json_extract(value, '$.step_key') as step_key, json_extract(value, '$.place') as place, json_extract(value, '$.kind') as kind, json_extract(value, '$.status') as status, json_extract(value, '$.needed') as needed, json_extract(value, '$.pending') as pending, json_extract(value, '$.satisfied') as satisfied, json_extract(value, '$.may_fail') as may_fail, json_extract(value, '$.type') as type, json_extract(value, '$.priority') as priority, json_extract(value, '$.max_attempts') as max_attempts, json_extract(value, '$.timeout') as timeout, json_extract(value, '$.stage') as stage, json_extract(value, '$.delay') as delay, json_extract(value, '$.resource_key') as resource_key, json_extract(value, '$.resource_hash') as resource_hash, json_extract(value, '$.token_hash') as token_hash, json_extract(value, '$.deadline') as deadline, json_extract(value, '$.remind') as remind, json_extract(value, '$.remind_type') as remind_type, json_extract(value, '$.wake') as wake, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.payload') as payload, json_extract(value, '$.output') as output, json_extract(value, '$.error_code') as error_code, json_extract(value, '$.error_message') as error_message, json_extract(value, '$.workflow') as workflow, json_extract(value, '$.parent') as parent, json_extract(value, '$.over_step') as over_step, json_extract(value, '$.over_at') as over_at from json_each(:batch)) v
cross join (select (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now) c

-- name: workflow_edge_insert
insert into waybill_workflow_edge (workflow_id, prerequisite_id, dependent_id, mode, wanted)
select v.workflow, v.prerequisite, v.dependent, v.mode, v.wanted
from (select json_extract(value, '$.workflow') as workflow, json_extract(value, '$.prerequisite') as prerequisite, json_extract(value, '$.dependent') as dependent, json_extract(value, '$.mode') as mode, json_extract(value, '$.wanted') as wanted from json_each(:batch)) v

-- name: workflow_attribute_insert
insert into waybill_workflow_attribute (workflow_id, name, value)
select v.workflow, v.name, v.value
from (select json_extract(value, '$.workflow') as workflow, json_extract(value, '$.name') as name, json_extract(value, '$.value') as value from json_each(:batch)) v

-- name: workflow_job_insert
-- Steps whose turn has come become jobs of the same id; all they need was fixed at the start. One that ran before its run
-- was tried again has a job: that gets a new run.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, workflow_id, payload
)
select s.id, s.type, w.tenant, case when coalesce(s.delay_micros, 0) > 0 then 0 else 1 end,
  c.now + coalesce(s.delay_micros, 0) - s.priority * :ageing, c.now + coalesce(s.delay_micros, 0), s.priority, 1, 0,
  s.max_attempts, s.timeout_micros, s.stage, c.now, s.resource_key, s.resource_hash, s.workflow_id, s.payload
from waybill_workflow_step s
join waybill_workflow w on w.id = s.workflow_id
cross join (select (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now) c
where s.id in (select value from json_each(:ids))
on conflict (id) do update set status = excluded.status, turn = excluded.turn, due_at = excluded.due_at, stage = excluded.stage, run = waybill_job.run + 1, attempt = 0,
  reason = null, error_code = null, error_message = null, output = null, started_at = null,
  finished_at = null, lease_until = null, leased_at = null, held_hash = null

-- name: workflow_lock
-- The clock is read behind the lock.
select w.id, w.type, w.tenant, w.active_key, w.status, w.open_steps, w.active_steps, w.failed_steps, w.step_count, w.edge_count, w.parent_id, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_workflow w
where w.id in (select value from json_each(:ids))
order by w.id

-- name: workflow_lock_free
-- Those that somebody holds are left out: their turn comes again.
select w.id, w.type, w.tenant, w.active_key, w.status, w.open_steps, w.active_steps, w.failed_steps, w.step_count, w.edge_count, w.parent_id, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as now
from waybill_workflow w
where w.id in (select value from json_each(:ids))
order by w.id

-- name: workflow_dependents
-- Steps that end, and the edges that lead from them to those that still wait, with the counters of the latter;
-- of an element, its map step while that counts its elements.
select p.workflow_id, p.id as prerequisite_id, p.status as ended_status, p.may_fail as ended_may_fail, s.id as dependent_id, e.mode, e.wanted, s.step_key, s.kind, s.needed, s.pending, s.satisfied, s.may_fail,
  s.delay_micros, s.deadline_micros, s.remind_micros, m.id as map_id, m.pending as map_pending
from waybill_workflow_step p
left join waybill_workflow_edge e on e.workflow_id = p.workflow_id and e.prerequisite_id = p.id
left join waybill_workflow_step s on s.id = e.dependent_id and s.status = 0
left join waybill_workflow_step m on m.id = p.parent_id and m.status = 1
where p.id in (select value from json_each(:ids))

-- name: workflow_blocked
-- All edges that lead to steps that still wait.
select e.workflow_id, e.prerequisite_id, e.dependent_id, e.mode, e.wanted, s.step_key, s.kind, s.needed, s.pending, s.satisfied, s.may_fail,
  s.delay_micros, s.deadline_micros, s.remind_micros
from waybill_workflow_edge e
join waybill_workflow_step s on s.id = e.dependent_id and s.status = 0
where e.workflow_id in (select value from json_each(:ids))

-- name: workflow_sources
-- Map steps and sub-workflows whose turn has come, and the output that they begin with.
select s.id, s.workflow_id, s.step_key, s.kind, s.payload, w.tenant, s.may_fail, s.type, s.priority, s.max_attempts, s.timeout_micros, s.stage, s.delay_micros, s.resource_key, s.resource_hash, s.over_at,
  o.id as over_id, o.status as over_status, coalesce(o.output, j.output) as over_output
from waybill_workflow_step s
join waybill_workflow w on w.id = s.workflow_id
left join waybill_workflow_step o on o.workflow_id = s.workflow_id and o.step_key = s.over_step
left join waybill_job j on j.id = o.id
where s.id in (select value from json_each(:ids))

-- name: workflow_map_elements
-- What the elements of map steps left behind, in their order; nothing of those that left too much.
select s.parent_id, s.id, s.step_key, s.status, case when sum(coalesce(length(cast(coalesce(s.output, j.output) as blob)), 4) + 1) over (partition by s.parent_id) < :bytes then coalesce(s.output, j.output) end as output,
  case when sum(coalesce(length(cast(coalesce(s.output, j.output) as blob)), 4) + 1) over (partition by s.parent_id) < :bytes then 0 else 1 end as too_large
from waybill_workflow_step m
join waybill_workflow_step s on s.workflow_id = m.workflow_id and s.parent_id = m.id
left join waybill_job j on j.id = s.id
where m.id in (select value from json_each(:ids))
order by s.parent_id, s.place

-- name: workflow_step_update
update waybill_workflow_step
set status = v.status, pending = coalesce(v.pending, waybill_workflow_step.pending), satisfied = coalesce(v.satisfied, waybill_workflow_step.satisfied),
  released_at = coalesce(v.released_at, waybill_workflow_step.released_at), finished_at = coalesce(v.finished_at, waybill_workflow_step.finished_at), wake_at = v.wake_at, gate_since = case when waybill_workflow_step.kind = 1 and v.status = 2 then coalesce(v.released_at, waybill_workflow_step.released_at) end,
  output = coalesce(v.output, waybill_workflow_step.output), error_code = coalesce(v.code, waybill_workflow_step.error_code),
  error_message = coalesce(v.message, waybill_workflow_step.error_message), reason = coalesce(v.reason, waybill_workflow_step.reason)
from (select json_extract(value, '$.id') as id, json_extract(value, '$.status') as status, json_extract(value, '$.pending') as pending, json_extract(value, '$.satisfied') as satisfied, json_extract(value, '$.released_at') as released_at, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.wake_at') as wake_at, json_extract(value, '$.output') as output, json_extract(value, '$.code') as code, json_extract(value, '$.message') as message, json_extract(value, '$.reason') as reason from json_each(:batch)) v
where waybill_workflow_step.id = v.id

-- name: workflow_update
-- Whoever has ended gives his active key back, unless a handler may still be at it, and owes it to his parent to tell.
update waybill_workflow
set status = v.status, open_steps = v.open, active_steps = v.active, failed_steps = v.failed, step_count = v.steps, edge_count = v.edges,
  finished_at = v.finished_at, reason = coalesce(v.reason, waybill_workflow.reason), active_until = v.held,
  tell_at = case when v.status >= 2 and waybill_workflow.parent_id is not null then v.finished_at end,
  active_hash = case when v.status >= 2 and v.held is null then null else waybill_workflow.active_hash end
from (select json_extract(value, '$.id') as id, json_extract(value, '$.status') as status, json_extract(value, '$.open') as open, json_extract(value, '$.active') as active, json_extract(value, '$.failed') as failed, json_extract(value, '$.steps') as steps, json_extract(value, '$.edges') as edges, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.held') as held, json_extract(value, '$.reason') as reason from json_each(:batch)) v
where waybill_workflow.id = v.id

-- name: workflow_active_over
-- Keys of those who have ended, and of canceled ones whose handlers cannot be at it any more.
select active_hash from waybill_workflow where active_until <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) limit 1000

-- name: workflow_active_free
update waybill_workflow set active_hash = null, active_until = null
where active_hash in (select value from json_each(:hashes)) and active_until <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)

-- name: workflow_gate
select s.id, s.step_key, s.kind, s.status, s.token_hash, s.output, s.error_code, s.error_message, s.reason, s.may_fail
from waybill_workflow_step s
where s.workflow_id = :workflow and s.step_key = :key

-- name: workflow_open_steps
select s.id, s.kind, s.status
from waybill_workflow_step s
where s.workflow_id in (select value from json_each(:ids)) and s.status < 3

-- name: workflow_children
-- Runs that the steps of these started.
select w.id, w.parent_id, w.parent_step, w.status
from waybill_workflow w
where w.parent_id in (select value from json_each(:ids))
order by w.id

-- name: workflow_child_ends
-- How runs ended, and the steps that started them.
select w.id, w.parent_id, w.status, w.reason, p.id as step_id, coalesce(s.output, j.output) as result
from waybill_workflow w
join waybill_workflow_step p on p.workflow_id = w.parent_id and p.step_key = w.parent_step
left join waybill_workflow_step s on s.workflow_id = w.id and s.step_key = w.result_step and s.status = 3
left join waybill_job j on j.id = s.id
where w.id in (select value from json_each(:ids))

-- name: workflow_told
update waybill_workflow set tell_at = null where id in (select value from json_each(:ids))

-- name: workflow_tell_again
update waybill_workflow set tell_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) where id = :id

-- name: workflow_untold
-- Runs that have ended and whose parent does not know yet; without a lock.
select w.id, w.parent_id, p.id as parent, w.tell_at
from waybill_workflow w
left join waybill_workflow p on p.id = w.parent_id
where w.tell_at is not null
{and (w.tell_at, w.id) > (:since, :after)}
order by w.tell_at, w.id
limit :limit

-- name: workflow_due
-- Without a lock: the runs are locked next, and then the steps are read again.
select s.id, s.workflow_id, s.wake_at
from waybill_workflow_step s
where s.wake_at <= (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000)
{and (s.wake_at, s.id) > (:since, :after)}
order by s.wake_at, s.id
limit :limit

-- name: workflow_next_wake
select min(s.wake_at) - (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) as micros from waybill_workflow_step s

-- name: workflow_timers
select s.id, s.workflow_id, s.step_key, s.kind, s.status, s.released_at, s.deadline_micros, s.remind_micros, s.remind_type, s.wake_at, s.may_fail, w.tenant, w.type
from waybill_workflow_step s
join waybill_workflow w on w.id = s.workflow_id
where s.id in (select value from json_each(:ids)) and s.wake_at is not null

-- name: workflow_change_find
-- An appending, or what was made of the run, which may be gone by now.
select request, made_id from waybill_workflow_change where workflow_id = :workflow and change_hash = :hash

-- name: workflow_made
-- What was made of a run: reruns, and what undid it or what a rerun took over from it.
select request, made_id from waybill_workflow_change where workflow_id = :workflow and made_id is not null

-- name: workflow_change_insert
insert into waybill_workflow_change (workflow_id, change_hash, change_key, request, made_id, created_at)
values (:workflow, :hash, :key, :request, :made, (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000))

-- name: workflow_change_copy
-- What was appended to a run is known to its copy: whoever appends it there again changes nothing.
insert into waybill_workflow_change (workflow_id, change_hash, change_key, request, created_at)
select :copy, c.change_hash, c.change_key, c.request, c.created_at
from waybill_workflow_change c
where c.workflow_id = :source and c.made_id is null

-- name: workflow_step_states
-- All steps of a run as prerequisites of new ones.
select s.id, s.step_key, s.status, s.place, coalesce(s.output, j.output) as output
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow

-- name: workflow_retry_steps
select s.id, s.parent_id, s.step_key, s.kind, s.status, s.needed, s.may_fail, s.released_at, s.delay_micros, s.deadline_micros, s.remind_micros, j.id as job_id, case when j.status <> 3 then j.lease_until end as lease_until, coalesce(s.output, j.output) as output
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow

-- name: workflow_retry_edges
select e.prerequisite_id, e.dependent_id, e.mode, e.wanted
from waybill_workflow_edge e
where e.workflow_id = :workflow

-- name: workflow_step_reset
-- What was before is forgotten; the attempts of its job are kept.
update waybill_workflow_step
set status = v.status, pending = v.pending, satisfied = v.satisfied, released_at = v.released_at, finished_at = v.finished_at,
  wake_at = v.wake_at, gate_since = case when waybill_workflow_step.kind = 1 and v.status = 2 then v.released_at end, reason = v.reason, output = null, error_code = null, error_message = null
from (select json_extract(value, '$.id') as id, json_extract(value, '$.status') as status, json_extract(value, '$.pending') as pending, json_extract(value, '$.satisfied') as satisfied, json_extract(value, '$.released_at') as released_at, json_extract(value, '$.finished_at') as finished_at, json_extract(value, '$.wake_at') as wake_at, json_extract(value, '$.reason') as reason from json_each(:batch)) v
where waybill_workflow_step.id = v.id

-- name: workflow_job_requeue
-- A new run of each, which goes on from its checkpoint.
update waybill_job
set status = 1, run = run + 1, attempt = 0, due_at = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000), turn = (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) - priority * :ageing, stage = 'queued', reason = :reason,
  error_code = null, error_message = null, output = null, started_at = null, finished_at = null, worker = null, lease_until = null, leased_at = null, held_hash = null
where id in (select value from json_each(:ids))

-- name: workflow_reopen
update waybill_workflow
set status = :status, open_steps = :open, active_steps = :active, failed_steps = 0, finished_at = null, reason = null, active_until = null, active_hash = :hash, tell_at = null
where id = :id

-- name: workflow_copy_run
select type, tenant, result_step, active_key, input from waybill_workflow where id = :workflow

-- name: workflow_copy_attributes
select name, value from waybill_workflow_attribute where workflow_id = :workflow order by name

-- name: workflow_copy_steps
select s.id, s.step_key, s.place, s.kind, s.status, s.needed, s.may_fail, s.type, s.priority, s.max_attempts, s.timeout_micros, s.stage, s.delay_micros,
  s.resource_key, s.resource_hash, s.token_hash, s.deadline_micros, s.remind_micros, s.remind_type, s.released_at, s.finished_at, s.payload, s.reason, s.parent_id, s.over_step, s.over_at,
  coalesce(s.output, j.output) as output, coalesce(s.error_code, j.error_code) as error_code, coalesce(s.error_message, j.error_message) as error_message
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow
order by s.place

-- name: workflow_get
select id, type, tenant, status, step_count, open_steps, result_step, idempotency_key, active_key, source_id, source_step, parent_id, parent_step, reason, created_at, finished_at from waybill_workflow where id = :id

-- name: workflow_get_now
select id, type, tenant, status, step_count, open_steps, result_step, idempotency_key, active_key, source_id, source_step, parent_id, parent_step, reason, created_at, finished_at from waybill_workflow where id = :id

-- name: workflow_find_key
select id from waybill_workflow where idempotency_hash = :hash

-- name: workflow_find_active
select id from waybill_workflow where active_hash = :hash and (active_until is null or active_until > (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000))

-- name: workflow_body
select w.input, coalesce(s.output, j.output) as result
from waybill_workflow w
left join waybill_workflow_step s on s.workflow_id = w.id and s.step_key = w.result_step and s.status = 3
left join waybill_job j on j.id = s.id
where w.id = :id

-- part: workflow_columns
select w.id, w.type, w.tenant, w.status, w.step_count, w.open_steps, w.result_step, w.idempotency_key, w.active_key, w.source_id, w.source_step, w.parent_id, w.parent_step, w.reason, w.created_at, w.finished_at

-- part: workflow_filters
{and w.tenant = :tenant}
{and w.type = :type}

-- name: workflow_page
-- include: workflow_columns
from waybill_workflow w
where w.id < :after
-- include: workflow_filters
order by w.id desc
limit :limit

-- name: workflow_page_open
-- The second condition is the index's own.
-- include: workflow_columns
from waybill_workflow w
where w.status = :status and w.status < 2 and w.id < :after
-- include: workflow_filters
order by w.id desc
limit :limit

-- name: workflow_page_ended
-- The second condition is the index's own.
-- include: workflow_columns
from waybill_workflow w
where w.status = :status and w.status >= 2
{and w.finished_at <= :until and (w.finished_at < :until or w.id < :after)}
-- include: workflow_filters
order by w.finished_at desc, w.id desc
limit :limit

-- name: workflow_page_attribute
-- include: workflow_columns
from waybill_workflow_attribute a
join waybill_workflow w on w.id = a.workflow_id
where a.name = :name and a.value = :value and a.workflow_id < :after
-- include: workflow_filters
{and w.status = :status}
order by a.workflow_id desc
limit :limit

-- name: workflow_gates
select s.id, s.workflow_id, s.step_key, s.gate_since, s.wake_at, w.type, w.tenant
from waybill_workflow_step s
join waybill_workflow w on w.id = s.workflow_id
where s.gate_since is not null
{and (s.gate_since, s.id) > (:since, :after)}
{and w.tenant = :tenant}
order by s.gate_since, s.id
limit :limit

-- name: workflow_attributes
select name, value from waybill_workflow_attribute where workflow_id = :id order by name

-- name: workflow_steps
select s.id, s.step_key, s.kind, s.status, s.type, s.needed, s.pending, s.satisfied, s.may_fail, s.released_at, s.finished_at, s.wake_at, s.deadline_micros,
  coalesce(s.error_code, j.error_code) as error_code, coalesce(s.error_message, j.error_message) as error_message, coalesce(s.reason, j.reason) as reason,
  j.status as job_status, j.run, j.attempt, j.started_at, j.due_at, case when j.status = 2 then j.worker end as worker, m.step_key as map_key, k.id as child_id
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
left join waybill_workflow_step m on m.id = s.parent_id
left join waybill_workflow k on s.kind = 4 and k.parent_id = s.workflow_id and k.parent_step = s.step_key
where s.workflow_id = :id
order by s.place

-- name: workflow_edges
select p.step_key as prerequisite, s.step_key as dependent, e.mode, e.wanted
from waybill_workflow_edge e
join waybill_workflow_step p on p.id = e.prerequisite_id
join waybill_workflow_step s on s.id = e.dependent_id
where e.workflow_id = :id
order by s.place, p.place

-- name: workflow_step_body
-- What a sub-workflow runs is ours, and not for readers.
select case when s.kind = 4 then '{}' else s.payload end as payload, coalesce(s.output, j.output) as output
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow and s.step_key = :key

-- name: workflow_inputs
-- What the prerequisites of a step left behind; an element has those of its map step.
select p.step_key, p.status, coalesce(p.output, j.output) as output
from waybill_workflow_step s
join waybill_workflow_edge e on e.workflow_id = s.workflow_id and e.dependent_id = coalesce(s.parent_id, s.id)
join waybill_workflow_step p on p.id = e.prerequisite_id
left join waybill_job j on j.id = p.id
where s.id = :step
order by p.place

-- name: workflow_input
-- What one of them left behind, or an element of one of them.
select p.step_key, p.status, coalesce(p.output, j.output) as output
from waybill_workflow_step s
join waybill_workflow_step p on p.workflow_id = s.workflow_id and p.step_key = :key
join waybill_workflow_edge e on e.workflow_id = s.workflow_id and e.prerequisite_id in (p.id, p.parent_id) and e.dependent_id = coalesce(s.parent_id, s.id)
left join waybill_job j on j.id = p.id
where s.id = :step

-- name: workflow_run_input
select w.input from waybill_workflow w where w.id = :workflow

-- name: workflow_statuses
-- Of runs that somebody waits for.
select w.id, w.status
from waybill_workflow w
where w.id in (select value from json_each(:ids))

-- name: workflow_purge_pick
-- While a rerun is there that took something over from it, and something else was made of it, a run stays: it alone knows
-- what was undone of what they share.
select w.id
from waybill_workflow w
where w.status >= 2 and w.status = :status and w.tell_at is null and w.finished_at < (cast(strftime('%s', 'now') as integer) * 1000000 + cast(substr(strftime('%f', 'now'), 4) as integer) * 1000) - :age
  and (
    select count(*)
    from waybill_workflow_change g
    join waybill_workflow r on r.id = g.made_id and r.source_step is not null
    join waybill_workflow_change o on o.workflow_id = g.workflow_id and o.made_id is not null and o.change_hash <> g.change_hash
    where g.workflow_id = w.id
  ) = 0
order by w.finished_at
limit :limit

-- name: workflow_purge_job_attempt
delete from waybill_job_attempt where job_id in (
  select s.id from waybill_workflow_step s where s.workflow_id in (select value from json_each(:ids))
)

-- name: workflow_purge_job_event
delete from waybill_job_event where job_id in (
  select s.id from waybill_workflow_step s where s.workflow_id in (select value from json_each(:ids))
)

-- name: workflow_purge_job_log
delete from waybill_job_log where job_id in (
  select s.id from waybill_workflow_step s where s.workflow_id in (select value from json_each(:ids))
)

-- name: workflow_purge_job
delete from waybill_job where id in (
  select s.id from waybill_workflow_step s where s.workflow_id in (select value from json_each(:ids))
)

-- name: workflow_purge_step
delete from waybill_workflow_step where workflow_id in (select value from json_each(:ids))

-- name: workflow_purge_edge
delete from waybill_workflow_edge where workflow_id in (select value from json_each(:ids))

-- name: workflow_purge_attribute
delete from waybill_workflow_attribute where workflow_id in (select value from json_each(:ids))

-- name: workflow_purge_change
delete from waybill_workflow_change where workflow_id in (select value from json_each(:ids))

-- name: workflow_purge
delete from waybill_workflow where id in (select value from json_each(:ids))
