-- A job that is a step knows its run, so that whoever ends it can lock the run first.
alter table waybill_job add column workflow_id binary(16);

-- One row per run of a workflow, and its lock: whoever changes anything of the run holds it.
-- status: 0 running, 1 waiting, 2 succeeded, 3 failed, 4 canceled.
-- active_until: from then on the active key of a run that has ended is free; a handler of a canceled one may be at it before.
-- parent_id, parent_step: the run and the step that started it. tell_at: it has ended, and that step does not know yet.
create table waybill_workflow (
  id binary(16) not null,
  type varchar(255) character set ascii collate ascii_bin not null,
  tenant varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  status smallint not null,
  open_steps integer not null,
  active_steps integer not null,
  failed_steps integer not null,
  step_count integer not null,
  edge_count integer not null,
  result_step varchar(255) character set ascii collate ascii_bin,
  idempotency_key varchar(512) character set utf8mb4 collate utf8mb4_bin,
  idempotency_hash char(43) character set ascii collate ascii_bin,
  active_key varchar(512) character set utf8mb4 collate utf8mb4_bin,
  active_hash char(43) character set ascii collate ascii_bin,
  active_until bigint,
  source_id binary(16),
  source_step varchar(255) character set ascii collate ascii_bin,
  parent_id binary(16),
  parent_step varchar(255) character set ascii collate ascii_bin,
  tell_at bigint,
  reason varchar(512) character set utf8mb4 collate utf8mb4_bin,
  created_at bigint not null,
  finished_at bigint,
  input longtext not null,
  request longtext,
  primary key (id),
  unique key waybill_workflow_idempotency_uq (idempotency_hash),
  unique key waybill_workflow_active_uq (active_hash),
  key waybill_workflow_finished_ix (status, finished_at),
  key waybill_workflow_held_ix (active_until),
  key waybill_workflow_parent_ix (parent_id, parent_step),
  key waybill_workflow_tell_ix (tell_at)
) engine = InnoDB default character set utf8mb4;

-- One row per step. A step of kind job has a job of the same id from its release on.
-- kind: 0 job, 1 gate, 2 delay, 3 map, 4 workflow. status: 0 blocked, 1 released, 2 waiting, 3 succeeded, 4 failed, 5 canceled, 6 skipped.
-- needed, pending, satisfied: how many edges must be satisfied, are undecided, are satisfied; pending of a map step that is released: how many of
-- its elements have not ended.
-- gate_since: since when a gate waits; null for all other steps, so that those that wait are found at once.
-- parent_id: the map step that it is an element of. over_step, over_at: which output a map step is over
-- or a sub-workflow begins with, and where in it.
create table waybill_workflow_step (
  id binary(16) not null,
  workflow_id binary(16) not null,
  step_key varchar(255) character set ascii collate ascii_bin not null,
  place integer not null,
  kind smallint not null,
  status smallint not null,
  needed integer not null,
  pending integer not null,
  satisfied integer not null,
  may_fail smallint not null,
  type varchar(255) character set ascii collate ascii_bin,
  priority integer,
  max_attempts integer,
  timeout_micros bigint,
  stage varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  delay_micros bigint,
  resource_key varchar(512) character set utf8mb4 collate utf8mb4_bin,
  resource_hash char(43) character set ascii collate ascii_bin,
  token_hash char(43) character set ascii collate ascii_bin,
  deadline_micros bigint,
  remind_micros bigint,
  remind_type varchar(255) character set ascii collate ascii_bin,
  wake_at bigint,
  gate_since bigint,
  released_at bigint,
  finished_at bigint,
  reason varchar(512) character set utf8mb4 collate utf8mb4_bin,
  error_code varchar(512) character set utf8mb4 collate utf8mb4_bin,
  parent_id binary(16),
  over_step varchar(255) character set ascii collate ascii_bin,
  over_at longtext,
  error_message longtext,
  payload longtext not null,
  output longtext,
  primary key (id),
  unique key waybill_workflow_step_uq (workflow_id, step_key),
  key waybill_workflow_step_wake_ix (wake_at),
  key waybill_workflow_step_gate_ix (gate_since)
) engine = InnoDB default character set utf8mb4;

-- What waits for what. mode: 0 on success, 1 on terminal. wanted: a condition on the prerequisite's output.
create table waybill_workflow_edge (
  workflow_id binary(16) not null,
  prerequisite_id binary(16) not null,
  dependent_id binary(16) not null,
  mode smallint not null,
  wanted longtext,
  primary key (workflow_id, prerequisite_id, dependent_id),
  key waybill_workflow_edge_ix (workflow_id, dependent_id)
) engine = InnoDB default character set utf8mb4;

-- By what runs can be found.
create table waybill_workflow_attribute (
  workflow_id binary(16) not null,
  name varchar(255) character set ascii collate ascii_bin not null,
  value varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  primary key (workflow_id, name),
  key waybill_workflow_attribute_ix (name, value, workflow_id)
) engine = InnoDB default character set utf8mb4;

-- Which steps were appended by which request, so that a repetition changes nothing.
create table waybill_workflow_change (
  workflow_id binary(16) not null,
  change_hash char(43) character set ascii collate ascii_bin not null,
  change_key varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  request longtext not null,
  made_id binary(16),
  created_at bigint not null,
  primary key (workflow_id, change_hash)
) engine = InnoDB default character set utf8mb4;
