-- Workflows.
--
-- Tables: waybill_workflow (one row per run, which is also its lock), waybill_workflow_step, waybill_workflow_edge,
-- waybill_workflow_attribute, waybill_workflow_change. A step's job has the step's id.
-- Indexes: unique keys on idempotency_hash and active_hash; steps by (workflow_id, step_key), those with a timer by wake_at
-- and gates that wait by gate_since; edges by (workflow_id, prerequisite_id) and (workflow_id, dependent_id); runs that steps
-- started by parent_id, those whose parent has to be told by tell_at, ended runs by (status, finished_at), which has the others, too.
-- Locking: whoever changes anything of a run holds its row; runs are locked by id, before any job, and before the runs that
-- their steps started.
-- What is read under that lock is read with locks, so that a caller's REPEATABLE READ does not show the past.

-- name: workflow_types
select type, max_attempts, timeout_micros, priority
from waybill_job_definition
where type in (select e from json_table(:types, '$[*]' columns (e varchar(255) character set ascii path '$')) ids) and enabled

-- name: workflow_types_now
-- Those that a caller's REPEATABLE READ cannot see may be there by now.
select type, max_attempts, timeout_micros, priority
from waybill_job_definition
where type in (select e from json_table(:types, '$[*]' columns (e varchar(255) character set ascii path '$')) ids) and enabled
lock in share mode

-- name: workflow_insert
-- A key that somebody has already inserts nothing.
insert into waybill_workflow (
  id, type, tenant, status, open_steps, active_steps, failed_steps, step_count, edge_count, result_step, idempotency_key, idempotency_hash,
  active_key, active_hash, source_id, source_step, input, request, created_at, finished_at
) values (
  :id, :type, :tenant, :status, :open, :active, :failed, :steps, :edges, :result_step, :idempotency_key, :idempotency_hash,
  :active_key, :active_hash, :source, :source_step, :input, :request, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), null
)
on duplicate key update id = waybill_workflow.id

-- name: workflow_child_insert
-- Runs that steps of other runs start.
insert into waybill_workflow (
  id, type, tenant, status, open_steps, active_steps, failed_steps, step_count, edge_count, result_step, parent_id, parent_step, input, created_at
)
select unhex(replace(v.id, '-', '')), v.type, v.tenant, v.status, v.open, v.active, 0, v.steps, v.edges, v.result_step, unhex(replace(v.parent, '-', '')), v.parent_step, v.input, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
from json_table(:batch, '$[*]' columns (id char(36) character set ascii path '$.id', type varchar(255) character set ascii path '$.type', tenant varchar(512) character set utf8mb4 path '$.tenant', status integer path '$.status', open integer path '$.open', active integer path '$.active', steps integer path '$.steps', edges integer path '$.edges', result_step varchar(255) character set ascii path '$.result_step', parent char(36) character set ascii path '$.parent', parent_step varchar(255) character set ascii path '$.parent_step', input longtext character set utf8mb4 path '$.input')) v

-- name: workflow_by_idempotency
-- Locked, so that the answer stays true until the caller commits; as for a change, which may be what he does next.
select id, status, request from waybill_workflow where idempotency_hash = :hash
for update

-- name: workflow_by_active
-- Whose key it is, until he ends or, if he was canceled, until none of his handlers can be at it any more.
select id, status, request from waybill_workflow force index (waybill_workflow_active_uq) where active_hash = :hash and (active_until is null or active_until > timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))
for update

-- name: workflow_active_look
-- Without a lock; he may have ended by now, or before.
select id from waybill_workflow where active_hash = :hash

-- name: workflow_step_insert
insert into waybill_workflow_step (
  id, workflow_id, step_key, place, kind, status, needed, pending, satisfied, may_fail, type, priority, max_attempts, timeout_micros,
  stage, delay_micros, resource_key, resource_hash, token_hash, deadline_micros, remind_micros, remind_type, wake_at, gate_since, released_at,
  finished_at, payload, output, error_code, error_message, parent_id, over_step, over_at
)
select unhex(replace(v.id, '-', '')), unhex(replace(v.workflow, '-', '')), v.step_key, v.place, v.kind, v.status, v.needed, v.pending, v.satisfied, v.may_fail, v.type, v.priority, v.max_attempts, v.timeout,
  v.stage, v.delay, v.resource_key, v.resource_hash, v.token_hash, v.deadline, v.remind, v.remind_type, c.now + v.wake, case when v.kind = 1 and v.status = 2 then c.now end, case when v.status in (1, 2) then c.now end,
  case when v.status >= 3 then coalesce(v.finished_at, c.now) end, v.payload, v.output, v.error_code, v.error_message, unhex(replace(v.parent, '-', '')), v.over_step, v.over_at
from json_table(:batch, '$[*]' columns (id char(36) path '$.id', step_key varchar(255) character set ascii path '$.step_key', place integer path '$.place', kind integer path '$.kind', status integer path '$.status', needed integer path '$.needed', pending integer path '$.pending', satisfied integer path '$.satisfied', may_fail integer path '$.may_fail', type varchar(255) character set ascii path '$.type', priority integer path '$.priority', max_attempts integer path '$.max_attempts', timeout bigint path '$.timeout', stage varchar(512) character set utf8mb4 path '$.stage', delay bigint path '$.delay', resource_key varchar(512) character set utf8mb4 path '$.resource_key', resource_hash char(43) character set ascii path '$.resource_hash', token_hash char(43) character set ascii path '$.token_hash', deadline bigint path '$.deadline', remind bigint path '$.remind', remind_type varchar(255) character set ascii path '$.remind_type', wake bigint path '$.wake', finished_at bigint path '$.finished_at', payload longtext character set utf8mb4 path '$.payload', output longtext character set utf8mb4 path '$.output', error_code varchar(512) character set utf8mb4 path '$.error_code', error_message longtext character set utf8mb4 path '$.error_message', workflow char(36) character set ascii path '$.workflow', parent char(36) character set ascii path '$.parent', over_step varchar(255) character set ascii path '$.over_step', over_at longtext character set utf8mb4 path '$.over_at')) v
cross join (select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now) c

-- name: workflow_edge_insert
insert into waybill_workflow_edge (workflow_id, prerequisite_id, dependent_id, mode, wanted)
select unhex(replace(v.workflow, '-', '')), unhex(replace(v.prerequisite, '-', '')), unhex(replace(v.dependent, '-', '')), v.mode, v.wanted
from json_table(:batch, '$[*]' columns (workflow char(36) character set ascii path '$.workflow', prerequisite char(36) character set ascii path '$.prerequisite', dependent char(36) character set ascii path '$.dependent', mode integer path '$.mode', wanted longtext character set utf8mb4 path '$.wanted')) v

-- name: workflow_attribute_insert
insert into waybill_workflow_attribute (workflow_id, name, value)
select unhex(replace(v.workflow, '-', '')), v.name, v.value
from json_table(:batch, '$[*]' columns (workflow char(36) character set ascii path '$.workflow', name varchar(255) character set ascii path '$.name', value varchar(512) character set utf8mb4 path '$.value')) v

-- name: workflow_job_insert
-- Steps whose turn has come become jobs of the same id; all they need was fixed at the start. One that ran before its run
-- was tried again has a job: that gets a new run. Without a where, "on" would belong to the join.
insert into waybill_job (
  id, type, tenant, status, turn, due_at, priority, run, attempt, max_attempts, timeout_micros, stage, created_at,
  resource_key, resource_hash, workflow_id, payload
)
select s.id, s.type, w.tenant, case when coalesce(s.delay_micros, 0) > 0 then 0 else 1 end,
  c.now + coalesce(s.delay_micros, 0) - s.priority * :ageing, c.now + coalesce(s.delay_micros, 0), s.priority, 1, 0,
  s.max_attempts, s.timeout_micros, s.stage, c.now, s.resource_key, s.resource_hash, s.workflow_id, s.payload
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (primary) on s.id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow w force index (primary) on w.id = s.workflow_id
cross join (select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now) c
where true
on duplicate key update status = values(status), turn = values(turn), due_at = values(due_at), stage = values(stage), run = waybill_job.run + 1, attempt = 0,
  reason = null, error_code = null, error_message = null, output = null, started_at = null,
  finished_at = null, lease_until = null, leased_at = null, held_hash = null

-- name: workflow_lock
-- The clock is read behind the lock. Locked in the order of the parameter.
select w.id, w.type, w.tenant, w.active_key, w.status, w.open_steps, w.active_steps, w.failed_steps, w.step_count, w.edge_count, w.parent_id, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))
for update

-- name: workflow_lock_free
-- Those that somebody holds are left out: their turn comes again.
select w.id, w.type, w.tenant, w.active_key, w.status, w.open_steps, w.active_steps, w.failed_steps, w.step_count, w.edge_count, w.parent_id, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + timestampdiff(microsecond, now(6), sysdate(6)) as now
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))
for update skip locked

-- name: workflow_dependents
-- Steps that end, and the edges that lead from them to those that still wait, with the counters of the latter;
-- of an element, its map step while that counts its elements.
select p.workflow_id, p.id as prerequisite_id, p.status as ended_status, p.may_fail as ended_may_fail, s.id as dependent_id, e.mode, e.wanted, s.step_key, s.kind, s.needed, s.pending, s.satisfied, s.may_fail,
  s.delay_micros, s.deadline_micros, s.remind_micros, m.id as map_id, m.pending as map_pending
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step p force index (primary) on p.id = unhex(replace(v.id, '-', ''))
left join waybill_workflow_edge e force index (primary) on e.workflow_id = p.workflow_id and e.prerequisite_id = p.id
left join waybill_workflow_step s force index (primary) on s.id = e.dependent_id and s.status = 0
left join waybill_workflow_step m force index (primary) on m.id = p.parent_id and m.status = 1
for update

-- name: workflow_blocked
-- All edges that lead to steps that still wait.
select e.workflow_id, e.prerequisite_id, e.dependent_id, e.mode, e.wanted, s.step_key, s.kind, s.needed, s.pending, s.satisfied, s.may_fail,
  s.delay_micros, s.deadline_micros, s.remind_micros
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_edge e force index (primary) on e.workflow_id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow_step s force index (primary) on s.id = e.dependent_id and s.status = 0
for update

-- name: workflow_sources
-- Map steps and sub-workflows whose turn has come, and the output that they begin with.
select s.id, s.workflow_id, s.step_key, s.kind, s.payload, w.tenant, s.may_fail, s.type, s.priority, s.max_attempts, s.timeout_micros, s.stage, s.delay_micros, s.resource_key, s.resource_hash, s.over_at,
  o.id as over_id, o.status as over_status, coalesce(o.output, j.output) as over_output
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (primary) on s.id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow w force index (primary) on w.id = s.workflow_id
left join waybill_workflow_step o force index (waybill_workflow_step_uq) on o.workflow_id = s.workflow_id and o.step_key = s.over_step
left join waybill_job j force index (primary) on j.id = o.id
for update

-- name: workflow_map_elements
-- What the elements of map steps left behind, in their order; nothing of those that left too much.
select s.parent_id, s.id, s.step_key, s.status, case when sum(coalesce(length(coalesce(s.output, j.output)), 4) + 1) over (partition by s.parent_id) < :bytes then coalesce(s.output, j.output) end as output,
  case when sum(coalesce(length(coalesce(s.output, j.output)), 4) + 1) over (partition by s.parent_id) < :bytes then 0 else 1 end as too_large
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step m force index (primary) on m.id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = m.workflow_id and s.parent_id = m.id
left join waybill_job j force index (primary) on j.id = s.id
order by s.parent_id, s.place
for update

-- name: workflow_step_update
update json_table(:batch, '$[*]' columns (id char(36) path '$.id', status integer path '$.status', pending integer path '$.pending', satisfied integer path '$.satisfied', released_at bigint path '$.released_at', finished_at bigint path '$.finished_at', wake_at bigint path '$.wake_at', output longtext character set utf8mb4 path '$.output', code varchar(512) character set utf8mb4 path '$.code', message longtext character set utf8mb4 path '$.message', reason varchar(512) character set utf8mb4 path '$.reason')) v
straight_join waybill_workflow_step s force index (primary) on s.id = unhex(replace(v.id, '-', ''))
set s.status = v.status, s.pending = coalesce(v.pending, s.pending), s.satisfied = coalesce(v.satisfied, s.satisfied),
  s.released_at = coalesce(v.released_at, s.released_at), s.finished_at = coalesce(v.finished_at, s.finished_at), s.wake_at = v.wake_at, s.gate_since = case when s.kind = 1 and v.status = 2 then coalesce(v.released_at, s.released_at) end,
  s.output = coalesce(v.output, s.output), s.error_code = coalesce(v.code, s.error_code),
  s.error_message = coalesce(v.message, s.error_message), s.reason = coalesce(v.reason, s.reason)

-- name: workflow_update
-- Whoever has ended owes it to his parent to tell. His active key is free from then on, or, if a handler may still be at it, a while
-- later; but its entry stays for others to clear. They lock entry and row in this order, and whoever ends has the row.
update json_table(:batch, '$[*]' columns (id char(36) path '$.id', status integer path '$.status', open integer path '$.open', active integer path '$.active', failed integer path '$.failed', steps integer path '$.steps', edges integer path '$.edges', finished_at bigint path '$.finished_at', held bigint path '$.held', reason varchar(512) character set utf8mb4 path '$.reason')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))
set w.status = v.status, w.open_steps = v.open, w.active_steps = v.active, w.failed_steps = v.failed, w.step_count = v.steps, w.edge_count = v.edges,
  w.finished_at = v.finished_at, w.reason = coalesce(v.reason, w.reason), w.active_until = case when v.status >= 2 and w.active_hash is not null then coalesce(v.held, 0) end,
  w.tell_at = case when v.status >= 2 and w.parent_id is not null then v.finished_at end

-- name: workflow_active_over
-- Keys of those who have ended, and of canceled ones whose handlers cannot be at it any more.
select active_hash from waybill_workflow force index (waybill_workflow_held_ix) where active_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) limit 1000

-- name: workflow_active_free
-- Through the key, as whoever starts a run meets it, and without waiting. The order of the join is said, because a table of a few
-- rows is read from end to end otherwise. Without a limit the inner statement may become part of the outer one, which waits.
update (
  select k.id
  from json_table(:hashes, '$[*]' columns (e char(43) character set ascii path '$')) v
  straight_join waybill_workflow k force index (waybill_workflow_active_uq) on k.active_hash = v.e collate ascii_bin
  where k.active_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  limit 1000
  for update skip locked
) due
straight_join waybill_workflow w force index (primary) on w.id = due.id
set w.active_hash = null, w.active_until = null

-- name: workflow_gate
select s.id, s.step_key, s.kind, s.status, s.token_hash, s.output, s.error_code, s.error_message, s.reason, s.may_fail
from waybill_workflow_step s
where s.workflow_id = :workflow and s.step_key = :key
for update

-- name: workflow_open_steps
select s.id, s.kind, s.status
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = unhex(replace(v.id, '-', '')) and s.status < 3
for update

-- name: workflow_children
-- Runs that the steps of these started.
select w.id, w.parent_id, w.parent_step, w.status
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (waybill_workflow_parent_ix) on w.parent_id = unhex(replace(v.id, '-', ''))
for update

-- name: workflow_child_ends
-- How runs ended, and the steps that started them.
select w.id, w.parent_id, w.status, w.reason, p.id as step_id, coalesce(s.output, j.output) as result
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow_step p force index (waybill_workflow_step_uq) on p.workflow_id = w.parent_id and p.step_key = w.parent_step
left join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = w.id and s.step_key = w.result_step and s.status = 3
left join waybill_job j force index (primary) on j.id = s.id
for update

-- name: workflow_told
update json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))
set w.tell_at = null

-- name: workflow_tell_again
update waybill_workflow set tell_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) where id = :id

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
where s.wake_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
{and (s.wake_at, s.id) > (:since, :after)}
order by s.wake_at, s.id
limit :limit

-- name: workflow_next_wake
select min(s.wake_at) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as micros from waybill_workflow_step s

-- name: workflow_timers
select s.id, s.workflow_id, s.step_key, s.kind, s.status, s.released_at, s.deadline_micros, s.remind_micros, s.remind_type, s.wake_at, s.may_fail, w.tenant, w.type
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (primary) on s.id = unhex(replace(v.id, '-', ''))
straight_join waybill_workflow w force index (primary) on w.id = s.workflow_id
where s.wake_at is not null
for update

-- name: workflow_change_find
-- An appending, or what was made of the run, which may be gone by now.
select request, made_id from waybill_workflow_change where workflow_id = :workflow and change_hash = :hash
for update

-- name: workflow_made
-- What was made of a run: reruns, and what undid it or what a rerun took over from it.
select request, made_id from waybill_workflow_change where workflow_id = :workflow and made_id is not null
for update

-- name: workflow_change_insert
insert into waybill_workflow_change (workflow_id, change_hash, change_key, request, made_id, created_at)
values (:workflow, :hash, :key, :request, :made, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))

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
for update

-- name: workflow_retry_steps
select s.id, s.parent_id, s.step_key, s.kind, s.status, s.needed, s.may_fail, s.released_at, s.delay_micros, s.deadline_micros, s.remind_micros, j.id as job_id, case when j.status <> 3 then j.lease_until end as lease_until, coalesce(s.output, j.output) as output
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow
for update

-- name: workflow_retry_edges
select e.prerequisite_id, e.dependent_id, e.mode, e.wanted
from waybill_workflow_edge e
where e.workflow_id = :workflow
for update

-- name: workflow_step_reset
-- What was before is forgotten; the attempts of its job are kept.
update json_table(:batch, '$[*]' columns (id char(36) path '$.id', status integer path '$.status', pending integer path '$.pending', satisfied integer path '$.satisfied', released_at bigint path '$.released_at', finished_at bigint path '$.finished_at', wake_at bigint path '$.wake_at', reason varchar(512) character set utf8mb4 path '$.reason')) v
straight_join waybill_workflow_step s force index (primary) on s.id = unhex(replace(v.id, '-', ''))
set s.status = v.status, s.pending = v.pending, s.satisfied = v.satisfied, s.released_at = v.released_at, s.finished_at = v.finished_at,
  s.wake_at = v.wake_at, s.gate_since = case when s.kind = 1 and v.status = 2 then v.released_at end, s.reason = v.reason, s.output = null, s.error_code = null, s.error_message = null

-- name: workflow_job_requeue
-- A new run of each, which goes on from its checkpoint.
update json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_job j force index (primary) on j.id = unhex(replace(v.id, '-', ''))
set j.status = 1, j.run = j.run + 1, j.attempt = 0, j.due_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), j.turn = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - j.priority * :ageing, j.stage = 'queued', j.reason = :reason,
  j.error_code = null, j.error_message = null, j.output = null, j.started_at = null, j.finished_at = null, j.worker = null, j.lease_until = null, j.leased_at = null, j.held_hash = null

-- name: workflow_reopen
update waybill_workflow
set status = :status, open_steps = :open, active_steps = :active, failed_steps = 0, finished_at = null, reason = null, active_until = null, active_hash = :hash, tell_at = null
where id = :id

-- name: workflow_copy_run
select type, tenant, result_step, active_key, input from waybill_workflow where id = :workflow
for update

-- name: workflow_copy_attributes
select name, value from waybill_workflow_attribute where workflow_id = :workflow order by name
for update

-- name: workflow_copy_steps
select s.id, s.step_key, s.place, s.kind, s.status, s.needed, s.may_fail, s.type, s.priority, s.max_attempts, s.timeout_micros, s.stage, s.delay_micros,
  s.resource_key, s.resource_hash, s.token_hash, s.deadline_micros, s.remind_micros, s.remind_type, s.released_at, s.finished_at, s.payload, s.reason, s.parent_id, s.over_step, s.over_at,
  coalesce(s.output, j.output) as output, coalesce(s.error_code, j.error_code) as error_code, coalesce(s.error_message, j.error_message) as error_message
from waybill_workflow_step s
left join waybill_job j on j.id = s.id
where s.workflow_id = :workflow
order by s.place
for update

-- name: workflow_get
select id, type, tenant, status, step_count, open_steps, result_step, idempotency_key, active_key, source_id, source_step, parent_id, parent_step, reason, created_at, finished_at from waybill_workflow where id = :id

-- name: workflow_get_now
-- Of a run that is locked, whatever the caller saw of it before.
select id, type, tenant, status, step_count, open_steps, result_step, idempotency_key, active_key, source_id, source_step, parent_id, parent_step, reason, created_at, finished_at from waybill_workflow where id = :id
for update

-- name: workflow_find_key
select id from waybill_workflow where idempotency_hash = :hash

-- name: workflow_find_active
select id from waybill_workflow where active_hash = :hash and (active_until is null or active_until > timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))

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
-- The index of those that have ended has the others, too, by their ids: they have no end.
-- include: workflow_columns
from waybill_workflow w force index (waybill_workflow_finished_ix)
where w.status = :status and w.finished_at is null and w.id < :after
-- include: workflow_filters
order by w.id desc
limit :limit

-- name: workflow_page_ended
-- include: workflow_columns
from waybill_workflow w force index (waybill_workflow_finished_ix)
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
from waybill_workflow_step s force index (waybill_workflow_step_gate_ix)
straight_join waybill_workflow w on w.id = s.workflow_id
where s.gate_since is not null
{and (s.gate_since > :since or (s.gate_since = :since and s.id > :after))}
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
-- The order of the join is said: steps of a wide run would be joined with each other otherwise, and then with the edges.
select p.step_key as prerequisite, s.step_key as dependent, e.mode, e.wanted
from waybill_workflow_edge e force index (primary)
straight_join waybill_workflow_step p force index (primary) on p.id = e.prerequisite_id
straight_join waybill_workflow_step s force index (primary) on s.id = e.dependent_id
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
straight_join waybill_workflow_edge e force index (waybill_workflow_edge_ix) on e.workflow_id = s.workflow_id and e.dependent_id = coalesce(s.parent_id, s.id)
straight_join waybill_workflow_step p force index (primary) on p.id = e.prerequisite_id
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
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow w force index (primary) on w.id = unhex(replace(v.id, '-', ''))

-- name: workflow_purge_pick
-- While a rerun is there that took something over from it, and something else was made of it, a run stays: it alone knows
-- what was undone of what they share. Its active key is given back before that (workflow_active_free).
select w.id
from waybill_workflow w
where w.status >= 2 and w.status = :status and w.tell_at is null and w.active_hash is null and w.finished_at < timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - :age
  and (
    select count(*)
    from waybill_workflow_change g
    join waybill_workflow r on r.id = g.made_id and r.source_step is not null
    join waybill_workflow_change o on o.workflow_id = g.workflow_id and o.made_id is not null and o.change_hash <> g.change_hash
    where g.workflow_id = w.id
  ) = 0
order by w.finished_at
limit :limit
for update skip locked

-- name: workflow_purge_job_attempt
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = unhex(replace(v.id, '-', ''))
straight_join waybill_job_attempt c on c.job_id = s.id

-- name: workflow_purge_job_event
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = unhex(replace(v.id, '-', ''))
straight_join waybill_job_event c on c.job_id = s.id

-- name: workflow_purge_job_log
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = unhex(replace(v.id, '-', ''))
straight_join waybill_job_log c on c.job_id = s.id

-- name: workflow_purge_job
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step s force index (waybill_workflow_step_uq) on s.workflow_id = unhex(replace(v.id, '-', ''))
straight_join waybill_job c on c.id = s.id

-- name: workflow_purge_step
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_step c on c.workflow_id = unhex(replace(v.id, '-', ''))

-- name: workflow_purge_edge
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_edge c on c.workflow_id = unhex(replace(v.id, '-', ''))

-- name: workflow_purge_attribute
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_attribute c on c.workflow_id = unhex(replace(v.id, '-', ''))

-- name: workflow_purge_change
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow_change c on c.workflow_id = unhex(replace(v.id, '-', ''))

-- name: workflow_purge
delete c
from json_table(:ids, '$[*]' columns (id char(36) character set ascii path '$')) v
straight_join waybill_workflow c on c.id = unhex(replace(v.id, '-', ''))
