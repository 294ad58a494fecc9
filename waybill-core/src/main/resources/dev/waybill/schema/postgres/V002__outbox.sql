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

-- Which slots new messages go to, and which no reader need look into (see Slots). A hint that nobody relies on, so
-- it may be a sequence: its one row is changed in place, which leaves no dead ones behind.
create sequence waybill_outbox_slots_sq as bigint start with 97 cache 1;

-- One row, locked by whoever changes the slots. head: the slot of body and outgoing that new messages go to; intake:
-- that of incoming; unread: those that readers leave out, a bit each.
create table waybill_outbox_rotation (
  id integer not null default 1,
  head integer not null default 1,
  intake integer not null default 0,
  unread integer not null default 6,
  turned_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_rotation_pk primary key (id),
  constraint waybill_outbox_rotation_one_ck check (id = 1)
);

insert into waybill_outbox_rotation (id) values (1);

-- What one call enqueues into one partition is one row of body: a message that is alone there in plain, several packed
-- into payload, with an empty type. A message's id is 128 times that of its row, plus its place in it.
-- Body, incoming and outgoing are empty themselves; what inherits from them are their slots. Slot 0 of body and outgoing
-- is cleaned up by deletes: delayed messages, and what was left in slots that had to be cleared. The others are
-- cleared as a whole, so autovacuum has nothing to do there, and would only stand in the way.
create table waybill_outbox_body (
  id bigint not null,
  type text not null,
  message_key text,
  headers text,
  payload bytea not null,
  created_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_body_pk primary key (id)
);

create table waybill_outbox_body_0 (
  constraint waybill_outbox_body_0_pk primary key (id)
) inherits (waybill_outbox_body) with (vacuum_truncate = false);

create table waybill_outbox_body_1 (
  constraint waybill_outbox_body_1_pk primary key (id)
) inherits (waybill_outbox_body) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table waybill_outbox_body_2 (
  constraint waybill_outbox_body_2_pk primary key (id)
) inherits (waybill_outbox_body) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table waybill_outbox_body_3 (
  constraint waybill_outbox_body_3_pk primary key (id)
) inherits (waybill_outbox_body) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

-- Committed, not numbered: a row of body with n messages, and the slot where it is. One small message has no row of body: it
-- is the cargo, packed, and gets into that slot of outgoing.
create table waybill_outbox_incoming (
  partition_id bigint not null,
  id bigint not null,
  created_at bigint,
  slot smallint not null default 0,
  n smallint not null default 1,
  cargo bytea,
  constraint waybill_outbox_incoming_pk primary key (partition_id, id)
);

create table waybill_outbox_incoming_0 (
  constraint waybill_outbox_incoming_0_pk primary key (partition_id, id)
) inherits (waybill_outbox_incoming) with (autovacuum_enabled = false);

create table waybill_outbox_incoming_1 (
  constraint waybill_outbox_incoming_1_pk primary key (partition_id, id)
) inherits (waybill_outbox_incoming) with (autovacuum_enabled = false);

create table waybill_outbox_incoming_2 (
  constraint waybill_outbox_incoming_2_pk primary key (partition_id, id)
) inherits (waybill_outbox_incoming) with (autovacuum_enabled = false);

-- Numbered: one row for n messages with the numbers last_seq - n + 1 to last_seq. ids: their rows of body, in the same slot.
-- lasts: the number of the last message of each; null if every one has a single message.
-- cargo: what is no row of body, packed, and when it was sent; null where it is, and null if all are.
create table waybill_outbox_outgoing (
  partition_id bigint not null,
  last_seq bigint not null,
  n integer not null,
  ids bigint[] not null,
  lasts bigint[],
  cargo bytea[],
  created_ats bigint[],
  sequenced_at bigint not null default (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  constraint waybill_outbox_outgoing_pk primary key (partition_id, last_seq),
  constraint waybill_outbox_outgoing_n_ck check (n between 1 and 327)
);

-- To compress what it takes a moment to be done with would not pay; the slots have this from here.
alter table waybill_outbox_outgoing alter column cargo set storage external;

create table waybill_outbox_outgoing_0 (
  constraint waybill_outbox_outgoing_0_pk primary key (partition_id, last_seq)
) inherits (waybill_outbox_outgoing) with (vacuum_truncate = false);

create table waybill_outbox_outgoing_1 (
  constraint waybill_outbox_outgoing_1_pk primary key (partition_id, last_seq)
) inherits (waybill_outbox_outgoing) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table waybill_outbox_outgoing_2 (
  constraint waybill_outbox_outgoing_2_pk primary key (partition_id, last_seq)
) inherits (waybill_outbox_outgoing) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

create table waybill_outbox_outgoing_3 (
  constraint waybill_outbox_outgoing_3_pk primary key (partition_id, last_seq)
) inherits (waybill_outbox_outgoing) with (autovacuum_enabled = false, toast.autovacuum_enabled = false);

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

-- Locked by whoever deletes from slot 0 of a partition; up to which number it has come.
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

-- What a process did with a queue in the half minute before written_at: one row for both, written over. times: how many
-- deliveries took how long, by bucket of DeliveryTimes, as "12:340 13:7". span: how much time that is.
create table waybill_outbox_pace (
  queue_id bigint not null,
  owner text collate "C" not null,
  delivered bigint not null,
  retried bigint not null,
  rejected bigint not null,
  times text not null,
  span bigint not null,
  written_at bigint not null,
  constraint waybill_outbox_pace_pk primary key (queue_id, owner)
) with (fillfactor = 50);
