-- What each type of job is allowed to do. Read by every enqueue and claim, changed by operators and at start.
create table waybill_job_definition (
  type text not null,
  version integer not null,
  max_attempts integer not null,
  timeout_micros bigint not null,
  priority integer not null,
  retry_policy text not null,
  enabled boolean not null,
  paused boolean not null,
  max_running integer,
  rate_count integer,
  rate_micros bigint,
  rate_tokens double precision not null,
  rate_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  constraint waybill_job_definition_pk primary key (type)
);

-- One row per job, from enqueue to retention.
-- status: 0 scheduled, 1 pending, 2 leased, 3 succeeded, 4 dead-lettered, 5 canceled.
-- turn: the due time less a bonus for priority; pending jobs are claimed in this order.
-- lease_epoch: how often it was leased, also if that was no attempt in the end; never goes back.
-- resource_permits: the job begins only while fewer than so many hold its resource.
-- unique_hash: of a key that is unique while the job is active, kept for when the job runs again; active_hash: the same as long as it is.
-- request: what a keyed request said; never without it, so that a repetition can always be compared.
-- held_hash: resource_hash while the resource is in use, held_permit which of its permits, so that the unique key is the lock.
-- Half of each page is left free: a job's row is written when it is enqueued, leased and ended, and what stays on its page
-- is logged as the difference to what was there. That is one piece, from the first byte that changed to the last, so what an
-- attempt changes stands together, with the payload behind it.
create table waybill_job (
  id uuid not null,
  turn bigint not null,
  due_at bigint not null,
  timeout_micros bigint not null,
  created_at bigint not null,
  priority integer not null,
  max_attempts integer not null,
  resource_permits integer not null default 1,
  run integer not null,
  type text not null,
  tenant text not null,
  resource_key text,
  resource_hash text collate "C",
  idempotency_key text,
  idempotency_hash text collate "C",
  request text,
  active_hash text collate "C",
  unique_hash text collate "C",
  started_at bigint,
  attempt integer not null,
  lease_epoch integer not null default 0,
  status smallint not null,
  stage text not null,
  finished_at bigint,
  leased_at bigint,
  lease_until bigint,
  worker text,
  held_hash text collate "C",
  held_permit integer,
  progress_done bigint,
  progress_total bigint,
  reason text,
  error_code text,
  error_message text,
  checkpoint text,
  output text,
  payload text not null,
  constraint waybill_job_pk primary key (id),
  constraint waybill_job_request_ck check (idempotency_hash is null or request is not null)
) with (fillfactor = 50);

create unique index waybill_job_idempotency_uq on waybill_job (idempotency_hash) where idempotency_hash is not null;
create unique index waybill_job_active_uq on waybill_job (active_hash) where active_hash is not null;
create unique index waybill_job_held_uq on waybill_job (held_hash, held_permit) where held_hash is not null;
create index waybill_job_pending_ix on waybill_job (type, tenant, turn, id) where status = 1;
create index waybill_job_scheduled_ix on waybill_job (due_at, id) where status = 0;
create index waybill_job_leased_ix on waybill_job (lease_until) where status = 2;
create index waybill_job_finished_ix on waybill_job (status, finished_at) where status >= 3;

-- Jobs that came in bulk, global, due at once and alike but for their payloads: up to sixteen in a row, as long as nothing
-- but success becomes of them. Whatever else does unloads them: their rows are made in waybill_job, and this one is deleted.
-- id: ends with the digit 0; that of a job ends with its place instead. All are in their first run.
-- status: 1 pending, 2 leased, 3 all have succeeded. done: a bit for each place whose job has; finished_at: when the last of them did.
-- payload: one after the other in UTF-8; sizes: how many bytes each has. Never compressed, so that one can be read alone.
-- What an attempt changes stands together, and half of each page is left free, as in waybill_job.
create table waybill_job_freight (
  id uuid not null,
  turn bigint not null,
  timeout_micros bigint not null,
  created_at bigint not null,
  priority integer not null,
  max_attempts integer not null,
  jobs integer not null,
  type text not null,
  stage text not null,
  sizes text not null,
  status integer not null,
  done integer not null default 0,
  finished_at bigint,
  leased_at bigint,
  lease_until bigint,
  worker text,
  payload bytea not null,
  constraint waybill_job_freight_pk primary key (id)
) with (fillfactor = 50);

alter table waybill_job_freight alter column payload set storage external;

create index waybill_job_freight_pending_ix on waybill_job_freight (type, turn, id) where status = 1;
create index waybill_job_freight_leased_ix on waybill_job_freight (lease_until) where status = 2;
create index waybill_job_freight_finished_ix on waybill_job_freight (finished_at, id) where finished_at is not null;

-- One row per attempt, written when it has ended. The attempt in progress is in waybill_job, and so is one that succeeded: its
-- worker, leased_at and lease_until stay there, and it has a row here only if the job began again.
create table waybill_job_attempt (
  job_id uuid not null,
  run integer not null,
  attempt integer not null,
  worker text not null,
  leased_at bigint not null,
  finished_at bigint not null,
  outcome smallint not null,
  error_code text,
  error_message text,
  policy_micros bigint,
  not_before bigint,
  next_due_at bigint,
  constraint waybill_job_attempt_pk primary key (job_id, run, attempt)
);

-- What happened to a job besides its attempts.
create table waybill_job_event (
  id bigint generated always as identity not null,
  job_id uuid not null,
  run integer not null,
  attempt integer not null,
  kind smallint not null,
  occurred_at bigint not null,
  detail text not null,
  constraint waybill_job_event_pk primary key (id)
);

create index waybill_job_event_ix on waybill_job_event (job_id, id);

-- What handlers had to say.
create table waybill_job_log (
  id bigint generated always as identity not null,
  job_id uuid not null,
  run integer not null,
  attempt integer not null,
  level smallint not null,
  message text not null,
  occurred_at bigint not null,
  constraint waybill_job_log_pk primary key (id)
);

create index waybill_job_log_ix on waybill_job_log (job_id, id);

-- Jobs that come back. next_fire_at is when to act, scheduled_for is the time that is then acted upon.
create table waybill_job_schedule (
  name text not null,
  type text not null,
  tenant text not null,
  payload text not null,
  rule text not null,
  zone text not null,
  jitter_micros bigint not null,
  misfire smallint not null,
  misfire_micros bigint not null,
  overlap smallint not null,
  active boolean not null,
  next_fire_at bigint not null,
  scheduled_for bigint not null,
  last_fired_at bigint,
  last_job_id uuid,
  failures integer not null,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null,
  constraint waybill_job_schedule_pk primary key (name)
);

create index waybill_job_schedule_ix on waybill_job_schedule (next_fire_at) where active;

-- What became of each time of a schedule. The key is what makes a fire happen once.
create table waybill_job_fire (
  schedule text not null,
  scheduled_for bigint not null,
  fired_at bigint not null,
  outcome smallint not null,
  job_id uuid,
  constraint waybill_job_fire_pk primary key (schedule, scheduled_for)
);
