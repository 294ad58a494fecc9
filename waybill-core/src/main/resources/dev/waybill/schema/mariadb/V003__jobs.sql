-- What each type of job is allowed to do. Read by every enqueue and claim, changed by operators and at start.
create table waybill_job_definition (
  type varchar(255) character set ascii collate ascii_bin not null,
  version integer not null,
  max_attempts integer not null,
  timeout_micros bigint not null,
  priority integer not null,
  retry_policy longtext not null,
  enabled boolean not null,
  paused boolean not null,
  max_running integer,
  rate_count integer,
  rate_micros bigint,
  rate_tokens double not null,
  rate_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (type)
) engine = InnoDB default character set utf8mb4;

-- One row per job, from enqueue to retention.
-- status: 0 scheduled, 1 pending, 2 leased, 3 succeeded, 4 dead-lettered, 5 canceled.
-- turn: the due time less a bonus for priority; pending jobs are claimed in this order.
-- lease_epoch: how often it was leased, also if that was no attempt in the end; never goes back.
-- resource_permits: the job begins only while fewer than so many hold its resource.
-- unique_hash: of a key that is unique while the job is active, kept for when the job runs again; active_hash: the same as long as it is.
-- request: what a keyed request said; never without it, so that a repetition can always be compared.
-- held_hash: resource_hash while the resource is in use, held_permit which of its permits, so that the unique key is the lock.
create table waybill_job (
  id binary(16) not null,
  type varchar(255) character set ascii collate ascii_bin not null,
  tenant varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  status smallint not null,
  turn bigint not null,
  due_at bigint not null,
  priority integer not null,
  run integer not null,
  attempt integer not null,
  lease_epoch integer not null default 0,
  max_attempts integer not null,
  timeout_micros bigint not null,
  stage varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  created_at bigint not null,
  started_at bigint,
  finished_at bigint,
  worker varchar(512) character set utf8mb4 collate utf8mb4_bin,
  leased_at bigint,
  lease_until bigint,
  progress_done bigint,
  progress_total bigint,
  resource_key varchar(512) character set utf8mb4 collate utf8mb4_bin,
  resource_hash char(43) character set ascii collate ascii_bin,
  resource_permits integer not null default 1,
  held_hash char(43) character set ascii collate ascii_bin,
  held_permit integer,
  idempotency_key varchar(512) character set utf8mb4 collate utf8mb4_bin,
  idempotency_hash char(43) character set ascii collate ascii_bin,
  active_hash char(43) character set ascii collate ascii_bin,
  unique_hash char(43) character set ascii collate ascii_bin,
  reason varchar(512) character set utf8mb4 collate utf8mb4_bin,
  error_code varchar(512) character set utf8mb4 collate utf8mb4_bin,
  error_message longtext,
  request longtext,
  payload longtext not null,
  checkpoint longtext,
  output longtext,
  primary key (id),
  unique key waybill_job_idempotency_uq (idempotency_hash),
  unique key waybill_job_active_uq (active_hash),
  unique key waybill_job_held_uq (held_hash, held_permit),
  key waybill_job_pending_ix (status, type, tenant, turn, id),
  key waybill_job_scheduled_ix (status, due_at),
  key waybill_job_leased_ix (status, lease_until),
  key waybill_job_finished_ix (status, finished_at),
  constraint waybill_job_request_ck check (idempotency_hash is null or request is not null)
) engine = InnoDB default character set utf8mb4;

-- One row per attempt, written when it has ended. The attempt in progress is in waybill_job, and so is one that succeeded: its
-- worker, leased_at and lease_until stay there, and it has a row here only if the job began again.
create table waybill_job_attempt (
  job_id binary(16) not null,
  run integer not null,
  attempt integer not null,
  worker varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  leased_at bigint not null,
  finished_at bigint not null,
  outcome smallint not null,
  error_code varchar(512) character set utf8mb4 collate utf8mb4_bin,
  error_message longtext,
  policy_micros bigint,
  not_before bigint,
  next_due_at bigint,
  primary key (job_id, run, attempt)
) engine = InnoDB default character set utf8mb4;

-- What happened to a job besides its attempts.
create table waybill_job_event (
  id bigint auto_increment not null,
  job_id binary(16) not null,
  run integer not null,
  attempt integer not null,
  kind smallint not null,
  occurred_at bigint not null,
  detail longtext not null,
  primary key (id),
  key waybill_job_event_ix (job_id, id)
) engine = InnoDB default character set utf8mb4;

-- What handlers had to say.
create table waybill_job_log (
  id bigint auto_increment not null,
  job_id binary(16) not null,
  run integer not null,
  attempt integer not null,
  level smallint not null,
  message longtext not null,
  occurred_at bigint not null,
  primary key (id),
  key waybill_job_log_ix (job_id, id)
) engine = InnoDB default character set utf8mb4;

-- Jobs that come back. next_fire_at is when to act, scheduled_for is the time that is then acted upon.
create table waybill_job_schedule (
  name varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  type varchar(255) character set ascii collate ascii_bin not null,
  tenant varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  payload longtext not null,
  rule varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  zone varchar(255) character set ascii collate ascii_bin not null,
  jitter_micros bigint not null,
  misfire smallint not null,
  misfire_micros bigint not null,
  overlap smallint not null,
  active boolean not null,
  next_fire_at bigint not null,
  scheduled_for bigint not null,
  last_fired_at bigint,
  last_job_id binary(16),
  failures integer not null,
  last_error longtext,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (name),
  key waybill_job_schedule_ix (active, next_fire_at)
) engine = InnoDB default character set utf8mb4;

-- What became of each time of a schedule. The key is what makes a fire happen once.
create table waybill_job_fire (
  schedule varchar(512) character set utf8mb4 collate utf8mb4_bin not null,
  scheduled_for bigint not null,
  fired_at bigint not null,
  outcome smallint not null,
  job_id binary(16),
  primary key (schedule, scheduled_for)
) engine = InnoDB default character set utf8mb4;
