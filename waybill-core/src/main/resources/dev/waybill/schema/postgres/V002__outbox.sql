-- The outbox. Times are microseconds since 1970, by this database's clock.

-- Its cache must stay 1: ids are to be handed out in the order of the clock, over all sessions.
create sequence waybill_outbox_message_sq as bigint cache 1;

-- retention: how long messages stay after they were delivered.
create table waybill_outbox_queues (
  id bigint not null generated always as identity,
  name text collate "C" not null,
  partitions integer not null,
  retention bigint not null,
  created_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_queues_pk primary key (id),
  constraint waybill_outbox_queues_name_uq unique (name)
);

-- sequence: the number of the message that was numbered last.
create table waybill_outbox_partitions (
  id bigint not null generated always as identity,
  queue_id bigint not null,
  number integer not null,
  sequence bigint not null default 0,
  constraint waybill_outbox_partitions_pk primary key (id),
  constraint waybill_outbox_partitions_number_uq unique (queue_id, number)
) with (fillfactor = 50);

create table waybill_outbox_body (
  id bigint not null,
  type text not null,
  message_key text,
  headers text,
  payload bytea not null,
  created_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_body_pk primary key (id)
);

-- Committed, not numbered.
create table waybill_outbox_incoming (
  partition_id bigint not null,
  id bigint not null,
  constraint waybill_outbox_incoming_pk primary key (partition_id, id)
);

-- Numbered: one row for n messages with the numbers last_seq - n + 1 to last_seq.
create table waybill_outbox_outgoing (
  partition_id bigint not null,
  last_seq bigint not null,
  n integer not null,
  ids bigint[] not null,
  sequenced_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_outgoing_pk primary key (partition_id, last_seq),
  constraint waybill_outbox_outgoing_n_ck check (n between 1 and 200)
);

-- The cursor, the lease, and what stands in the way. The epoch only grows. parked: how many messages are, and when the
-- first of their keys is due; only who has the partition changes them.
create table waybill_outbox_processor (
  partition_id bigint not null,
  processed_seq bigint not null default 0,
  attempts integer not null default 0,
  last_error text,
  not_before bigint not null default 0,
  lease_owner text,
  lease_epoch bigint not null default 0,
  lease_until bigint not null default 0,
  paused_at bigint,
  parked integer not null default 0,
  parked_due bigint,
  constraint waybill_outbox_processor_pk primary key (partition_id)
) with (fillfactor = 50);

-- Up to which number the clean-up has come; it only grows.
create table waybill_outbox_vacuum (
  partition_id bigint not null,
  vacuumed_seq bigint not null default 0,
  constraint waybill_outbox_vacuum_pk primary key (partition_id)
);

-- Committed, to be numbered later.
create table waybill_outbox_delayed (
  due_at bigint not null,
  id bigint not null,
  partition_id bigint not null,
  constraint waybill_outbox_delayed_pk primary key (due_at, id)
);

create table waybill_outbox_dedup (
  queue_id bigint not null,
  dedup_key text collate "C" not null,
  message_id bigint,
  expires_at bigint not null,
  constraint waybill_outbox_dedup_pk primary key (queue_id, dedup_key)
);

create index waybill_outbox_dedup_expires_ix on waybill_outbox_dedup (expires_at);

-- Numbered and passed by the cursor, but not done: a message that failed, and those of its key that came after it, in a
-- lane. The lane is the key's hash. Only the first of a lane has a time at which it is due.
create table waybill_outbox_parked (
  partition_id bigint not null,
  lane bigint not null,
  seq bigint not null,
  message_id bigint not null,
  type text not null,
  message_key text not null,
  headers text,
  payload bytea not null,
  created_at bigint not null,
  attempts integer not null,
  last_error text,
  due_at bigint,
  constraint waybill_outbox_parked_pk primary key (partition_id, lane, seq)
);

create index waybill_outbox_parked_due_ix on waybill_outbox_parked (partition_id, due_at, lane)
  where due_at is not null;

create table waybill_outbox_dead_letters (
  id bigint not null generated always as identity,
  partition_id bigint not null,
  seq bigint not null,
  message_id bigint not null,
  type text not null,
  message_key text,
  headers text,
  payload bytea not null,
  created_at bigint not null,
  failed_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  last_error text not null,
  attempts integer not null,
  status text not null default 'pending',
  claim text,
  deadline bigint,
  completed_at bigint,
  constraint waybill_outbox_dead_letters_pk primary key (id),
  constraint waybill_outbox_dead_letters_seq_uq unique (partition_id, seq)
);

create index waybill_outbox_dead_letters_held_ix on waybill_outbox_dead_letters (deadline, id)
  where deadline is not null;

create index waybill_outbox_dead_letters_done_ix on waybill_outbox_dead_letters (completed_at, id)
  where completed_at is not null;

create index waybill_outbox_dead_letters_list_ix on waybill_outbox_dead_letters (status, failed_at, id);
