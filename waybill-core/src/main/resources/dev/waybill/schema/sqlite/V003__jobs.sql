-- What each type of job is allowed to do. Read by every enqueue and claim, changed by operators and at start.
create table waybill_job_definition (
  type text not null,
  version integer not null,
  max_attempts integer not null,
  timeout_micros integer not null,
  priority integer not null,
  retry_policy text not null,
  enabled integer not null,
  paused integer not null,
  max_running integer,
  rate_count integer,
  rate_micros integer,
  rate_tokens real not null,
  rate_at integer not null,
  created_at integer not null,
  updated_at integer not null,
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
create table waybill_job (
  id text not null,
  type text not null,
  tenant text not null,
  status integer not null,
  turn integer not null,
  due_at integer not null,
  priority integer not null,
  run integer not null,
  attempt integer not null,
  lease_epoch integer not null default 0,
  max_attempts integer not null,
  timeout_micros integer not null,
  stage text not null,
  created_at integer not null,
  started_at integer,
  finished_at integer,
  worker text,
  leased_at integer,
  lease_until integer,
  progress_done integer,
  progress_total integer,
  resource_key text,
  resource_hash text,
  resource_permits integer not null default 1,
  held_hash text,
  held_permit integer,
  idempotency_key text,
  idempotency_hash text,
  active_hash text,
  unique_hash text,
  reason text,
  error_code text,
  error_message text,
  request text,
  payload text not null,
  checkpoint text,
  output text,
  constraint waybill_job_pk primary key (id),
  constraint waybill_job_request_ck check (idempotency_hash is null or request is not null)
);

create unique index waybill_job_idempotency_uq on waybill_job (idempotency_hash) where idempotency_hash is not null;
create unique index waybill_job_active_uq on waybill_job (active_hash) where active_hash is not null;
create unique index waybill_job_held_uq on waybill_job (held_hash, held_permit) where held_hash is not null;
create index waybill_job_pending_ix on waybill_job (type, tenant, turn, id) where status = 1;
create index waybill_job_scheduled_ix on waybill_job (due_at, id) where status = 0;
create index waybill_job_leased_ix on waybill_job (lease_until) where status = 2;
create index waybill_job_finished_ix on waybill_job (status, finished_at) where status >= 3;

-- One row per attempt, written when it has ended. The attempt in progress is in waybill_job, and so is one that succeeded: its
-- worker, leased_at and lease_until stay there, and it has a row here only if the job began again.
create table waybill_job_attempt (
  job_id text not null,
  run integer not null,
  attempt integer not null,
  worker text not null,
  leased_at integer not null,
  finished_at integer not null,
  outcome integer not null,
  error_code text,
  error_message text,
  policy_micros integer,
  not_before integer,
  next_due_at integer,
  constraint waybill_job_attempt_pk primary key (job_id, run, attempt)
) without rowid;

-- What happened to a job besides its attempts.
create table waybill_job_event (
  id integer primary key autoincrement,
  job_id text not null,
  run integer not null,
  attempt integer not null,
  kind integer not null,
  occurred_at integer not null,
  detail text not null
);

create index waybill_job_event_ix on waybill_job_event (job_id, id);

-- What handlers had to say.
create table waybill_job_log (
  id integer primary key autoincrement,
  job_id text not null,
  run integer not null,
  attempt integer not null,
  level integer not null,
  message text not null,
  occurred_at integer not null
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
  jitter_micros integer not null,
  misfire integer not null,
  misfire_micros integer not null,
  overlap integer not null,
  active integer not null,
  next_fire_at integer not null,
  scheduled_for integer not null,
  last_fired_at integer,
  last_job_id text,
  failures integer not null,
  last_error text,
  created_at integer not null,
  updated_at integer not null,
  constraint waybill_job_schedule_pk primary key (name)
);

create index waybill_job_schedule_ix on waybill_job_schedule (next_fire_at) where active = 1;

-- What became of each time of a schedule. The key is what makes a fire happen once.
create table waybill_job_fire (
  schedule text not null,
  scheduled_for integer not null,
  fired_at integer not null,
  outcome integer not null,
  job_id text,
  constraint waybill_job_fire_pk primary key (schedule, scheduled_for)
) without rowid;
