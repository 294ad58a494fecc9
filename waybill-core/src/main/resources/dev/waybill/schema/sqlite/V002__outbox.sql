-- The outbox. Times are microseconds since 1970; SQLite's clock ticks in milliseconds.

-- retention: how long messages stay after they were delivered.
create table waybill_outbox_queues (
  id integer primary key autoincrement,
  name text not null,
  partitions integer not null,
  retention integer not null,
  created_at integer not null
);

create unique index waybill_outbox_queues_name_uq on waybill_outbox_queues (name);

-- sequence: the number of the message that was numbered last.
create table waybill_outbox_partitions (
  id integer primary key autoincrement,
  queue_id integer not null,
  number integer not null,
  sequence integer not null default 0
);

create unique index waybill_outbox_partitions_number_uq on waybill_outbox_partitions (queue_id, number);

-- Autoincrement: an id never returns, so a later message has a greater one.
create table waybill_outbox_body (
  id integer primary key autoincrement,
  type text not null,
  message_key text,
  headers text,
  payload blob not null,
  created_at integer not null
);

-- Committed, not numbered.
create table waybill_outbox_incoming (
  partition_id integer not null,
  id integer not null,
  primary key (partition_id, id)
) without rowid;

-- Numbered: one row for n messages with the numbers last_seq - n + 1 to last_seq, their ids packed.
create table waybill_outbox_outgoing (
  partition_id integer not null,
  last_seq integer not null,
  n integer not null,
  ids blob not null,
  sequenced_at integer not null,
  primary key (partition_id, last_seq)
) without rowid;

-- The cursor, the lease, and what stands in the way. The epoch only grows. parked: how many messages are, and when the
-- first of their keys is due; only who has the partition changes them.
create table waybill_outbox_processor (
  partition_id integer primary key,
  processed_seq integer not null default 0,
  attempts integer not null default 0,
  last_error text,
  not_before integer not null default 0,
  lease_owner text,
  lease_epoch integer not null default 0,
  lease_until integer not null default 0,
  paused_at integer,
  parked integer not null default 0,
  parked_due integer
);

-- Up to which number the clean-up has come; it only grows.
create table waybill_outbox_vacuum (
  partition_id integer primary key,
  vacuumed_seq integer not null default 0
);

-- Committed, to be numbered later.
create table waybill_outbox_delayed (
  due_at integer not null,
  id integer not null,
  partition_id integer not null,
  primary key (due_at, id)
) without rowid;

create table waybill_outbox_dedup (
  queue_id integer not null,
  dedup_key text not null,
  message_id integer,
  expires_at integer not null,
  primary key (queue_id, dedup_key)
) without rowid;

create index waybill_outbox_dedup_expires_ix on waybill_outbox_dedup (expires_at);

-- Numbered and passed by the cursor, but not done: a message that failed, and those of its key that came after it, in a
-- lane. The lane is the key's hash. Only the first of a lane has a time at which it is due.
create table waybill_outbox_parked (
  partition_id integer not null,
  lane integer not null,
  seq integer not null,
  message_id integer not null,
  type text not null,
  message_key text not null,
  headers text,
  payload blob not null,
  created_at integer not null,
  attempts integer not null,
  last_error text,
  due_at integer,
  primary key (partition_id, lane, seq)
);

create index waybill_outbox_parked_due_ix on waybill_outbox_parked (partition_id, due_at, lane)
  where due_at is not null;

create table waybill_outbox_dead_letters (
  id integer primary key autoincrement,
  partition_id integer not null,
  seq integer not null,
  message_id integer not null,
  type text not null,
  message_key text,
  headers text,
  payload blob not null,
  created_at integer not null,
  failed_at integer not null,
  last_error text not null,
  attempts integer not null,
  status text not null default 'pending',
  claim text,
  deadline integer,
  completed_at integer
);

create unique index waybill_outbox_dead_letters_seq_uq on waybill_outbox_dead_letters (partition_id, seq);

create index waybill_outbox_dead_letters_held_ix on waybill_outbox_dead_letters (deadline, id)
  where deadline is not null;

create index waybill_outbox_dead_letters_done_ix on waybill_outbox_dead_letters (completed_at, id)
  where completed_at is not null;

create index waybill_outbox_dead_letters_list_ix on waybill_outbox_dead_letters (status, failed_at, id);

-- What a process did with a queue in the half minute before written_at: one row for both, written over. times: how many
-- deliveries took how long, by bucket of DeliveryTimes, as "12:340 13:7". span: how much time that is.
create table waybill_outbox_pace (
  queue_id integer not null,
  owner text not null,
  delivered integer not null,
  retried integer not null,
  rejected integer not null,
  times text not null,
  span integer not null,
  written_at integer not null,
  constraint waybill_outbox_pace_pk primary key (queue_id, owner)
) without rowid;
