-- The outbox. Times are microseconds since 1970, by this database's clock.

-- retention: how long messages stay after they were delivered.
create table waybill_outbox_queues (
  id bigint not null auto_increment,
  name varchar(1024) character set ascii collate ascii_bin not null,
  partitions int not null,
  retention bigint not null,
  created_at bigint not null,
  primary key (id),
  unique key waybill_outbox_queues_name_uq (name)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- sequence: the number of the message that was numbered last.
create table waybill_outbox_partitions (
  id bigint not null auto_increment,
  queue_id bigint not null,
  number int not null,
  sequence bigint not null default 0,
  primary key (id),
  unique key waybill_outbox_partitions_number_uq (queue_id, number)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- One row for the n messages that one call enqueued into one partition, or some of them, from the insert to the clean-up.
-- seq: the number of the last of them; the largest there is while they wait for numbers, one less while they are delayed, so
-- that the index has them behind those with numbers. Columns that change have
-- one length, so that a change is made in place. With n > 1 all of them are packed into payload. A message's id is
-- 128 * id, and its place in the row.
create table waybill_outbox_body (
  id bigint not null auto_increment,
  partition_id bigint not null,
  seq bigint not null,
  sequenced_at bigint not null default 0,
  n int not null,
  type varchar(1024) character set ascii collate ascii_bin not null,
  message_key varchar(1024),
  headers text,
  payload longblob not null,
  created_at bigint not null,
  primary key (id),
  key waybill_outbox_body_seq_ix (partition_id, seq)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- The cursor, the lease, and what stands in the way. The epoch only grows. parked: how many messages are, and when the
-- first of their keys is due; only who has the partition changes them.
create table waybill_outbox_processor (
  partition_id bigint not null,
  processed_seq bigint not null default 0,
  attempts int not null default 0,
  last_error text,
  not_before bigint not null default 0,
  lease_owner varchar(255) character set ascii collate ascii_bin,
  lease_epoch bigint not null default 0,
  lease_until bigint not null default 0,
  paused_at bigint,
  parked int not null default 0,
  parked_due bigint,
  primary key (partition_id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- Up to which number the clean-up has come; it only grows.
create table waybill_outbox_vacuum (
  partition_id bigint not null,
  vacuumed_seq bigint not null default 0,
  primary key (partition_id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- Committed, to be numbered later.
create table waybill_outbox_delayed (
  due_at bigint not null,
  id bigint not null,
  partition_id bigint not null,
  primary key (due_at, id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create table waybill_outbox_dedup (
  queue_id bigint not null,
  dedup_key varbinary(1024) not null,
  message_id bigint,
  expires_at bigint not null,
  primary key (queue_id, dedup_key),
  key waybill_outbox_dedup_expires_ix (expires_at)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- Numbered and passed by the cursor, but not done: a message that failed, and those of its key that came after it, in a
-- lane. The lane is the key's hash. Only the first of a lane has a time at which it is due.
create table waybill_outbox_parked (
  partition_id bigint not null,
  lane bigint not null,
  seq bigint not null,
  message_id bigint not null,
  type varchar(1024) character set ascii collate ascii_bin not null,
  message_key varchar(1024) not null,
  headers text,
  payload longblob not null,
  created_at bigint not null,
  attempts int not null,
  last_error text,
  due_at bigint,
  primary key (partition_id, lane, seq),
  key waybill_outbox_parked_due_ix (partition_id, due_at, lane)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

create table waybill_outbox_dead_letters (
  id bigint not null auto_increment,
  partition_id bigint not null,
  seq bigint not null,
  message_id bigint not null,
  type varchar(1024) character set ascii collate ascii_bin not null,
  message_key varchar(1024),
  headers text,
  payload longblob not null,
  created_at bigint not null,
  failed_at bigint not null,
  last_error text not null,
  attempts int not null,
  status varchar(32) character set ascii collate ascii_bin not null default 'pending',
  claim varchar(64) character set ascii collate ascii_bin,
  deadline bigint,
  completed_at bigint,
  primary key (id),
  unique key waybill_outbox_dead_letters_seq_uq (partition_id, seq),
  key waybill_outbox_dead_letters_held_ix (deadline, id),
  key waybill_outbox_dead_letters_done_ix (completed_at, id),
  key waybill_outbox_dead_letters_list_ix (status, failed_at, id)
) engine = InnoDB default character set utf8mb4 collate utf8mb4_bin;

-- What a process did with a queue in the half minute before written_at: one row for both, written over. times: how many
-- deliveries took how long, by bucket of DeliveryTimes, as "12:340 13:7". span: how much time that is.
create table waybill_outbox_pace (
  queue_id bigint not null,
  owner varchar(255) character set ascii collate ascii_bin not null,
  delivered bigint not null,
  retried bigint not null,
  rejected bigint not null,
  times varchar(4096) character set ascii collate ascii_bin not null,
  span bigint not null,
  written_at bigint not null,
  primary key (queue_id, owner)
) engine = InnoDB default character set utf8mb4;
