-- A job that is a step knows its run, so that whoever ends it can lock the run first.
alter table waybill_job add column workflow_id uuid;

-- One row per run of a workflow, and its lock: whoever changes anything of the run holds it.
-- status: 0 running, 1 waiting, 2 succeeded, 3 failed, 4 canceled.
-- active_until: a canceled run keeps its active key until then, because a handler may still be at it.
-- parent_id, parent_step: the run and the step that started it. tell_at: it has ended, and that step does not know yet.
-- Half of each page is left free, here and for steps: later versions stay on it, which is cheaper to log; see waybill_job.
create table waybill_workflow (
  id uuid not null,
  type text not null,
  tenant text not null,
  status smallint not null,
  open_steps integer not null,
  active_steps integer not null,
  failed_steps integer not null,
  step_count integer not null,
  edge_count integer not null,
  result_step text collate "C",
  idempotency_key text,
  idempotency_hash text collate "C",
  active_key text,
  active_hash text collate "C",
  active_until bigint,
  source_id uuid,
  source_step text collate "C",
  parent_id uuid,
  parent_step text collate "C",
  tell_at bigint,
  reason text,
  created_at bigint not null,
  finished_at bigint,
  input text not null,
  request text,
  constraint waybill_workflow_pk primary key (id)
) with (fillfactor = 50);

create unique index waybill_workflow_idempotency_uq on waybill_workflow (idempotency_hash) where idempotency_hash is not null;

create unique index waybill_workflow_active_uq on waybill_workflow (active_hash) where active_hash is not null;

create index waybill_workflow_finished_ix on waybill_workflow (status, finished_at) where status >= 2;

create index waybill_workflow_open_ix on waybill_workflow (status, id) where status < 2;

create index waybill_workflow_held_ix on waybill_workflow (active_until) where active_until is not null;

create index waybill_workflow_parent_ix on waybill_workflow (parent_id, parent_step) where parent_id is not null;

create index waybill_workflow_tell_ix on waybill_workflow (tell_at) where tell_at is not null;

-- One row per step. A step of kind job has a job of the same id from its release on.
-- kind: 0 job, 1 gate, 2 delay, 3 map, 4 workflow. status: 0 blocked, 1 released, 2 waiting, 3 succeeded, 4 failed, 5 canceled, 6 skipped.
-- needed, pending, satisfied: how many edges must be satisfied, are undecided, are satisfied; pending of a map step that is released: how many of
-- its elements have not ended.
-- gate_since: since when a gate waits; null for all other steps, so that those that wait are found at once.
-- parent_id: the map step that it is an element of. over_step, over_at: which output a map step is over
-- or a sub-workflow begins with, and where in it.
create table waybill_workflow_step (
  id uuid not null,
  workflow_id uuid not null,
  step_key text collate "C" not null,
  place integer not null,
  kind smallint not null,
  status smallint not null,
  needed integer not null,
  pending integer not null,
  satisfied integer not null,
  may_fail smallint not null,
  type text,
  priority integer,
  max_attempts integer,
  timeout_micros bigint,
  stage text not null,
  delay_micros bigint,
  resource_key text,
  resource_hash text collate "C",
  token_hash text collate "C",
  deadline_micros bigint,
  remind_micros bigint,
  remind_type text,
  wake_at bigint,
  gate_since bigint,
  released_at bigint,
  finished_at bigint,
  reason text,
  error_code text,
  parent_id uuid,
  over_step text collate "C",
  over_at text,
  error_message text,
  payload text not null,
  output text,
  constraint waybill_workflow_step_pk primary key (id)
) with (fillfactor = 50);

create unique index waybill_workflow_step_uq on waybill_workflow_step (workflow_id, step_key);

create index waybill_workflow_step_wake_ix on waybill_workflow_step (wake_at) where wake_at is not null;

create index waybill_workflow_step_gate_ix on waybill_workflow_step (gate_since, id) where gate_since is not null;

-- What waits for what. mode: 0 on success, 1 on terminal. wanted: a condition on the prerequisite's output.
create table waybill_workflow_edge (
  workflow_id uuid not null,
  prerequisite_id uuid not null,
  dependent_id uuid not null,
  mode smallint not null,
  wanted text,
  constraint waybill_workflow_edge_pk primary key (workflow_id, prerequisite_id, dependent_id)
);

create index waybill_workflow_edge_ix on waybill_workflow_edge (workflow_id, dependent_id);

-- By what runs can be found.
create table waybill_workflow_attribute (
  workflow_id uuid not null,
  name text collate "C" not null,
  value text not null,
  constraint waybill_workflow_attribute_pk primary key (workflow_id, name)
);

create index waybill_workflow_attribute_ix on waybill_workflow_attribute (name, value, workflow_id);

-- Which steps were appended by which request, so that a repetition changes nothing.
create table waybill_workflow_change (
  workflow_id uuid not null,
  change_hash text collate "C" not null,
  change_key text not null,
  request text not null,
  made_id uuid,
  created_at bigint not null,
  constraint waybill_workflow_change_pk primary key (workflow_id, change_hash)
);
