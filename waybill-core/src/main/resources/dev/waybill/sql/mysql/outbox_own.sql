-- The outbox's statements in the shape of a database without arrays and writing CTEs: a step is several statements of
-- one transaction.
--
-- Tables: waybill_outbox_body and delayed, by primary key or by the index of partition and number.
-- Locking: READ COMMITTED; the partition's row first (outbox_sequence_lock), then rows by primary key. What waits is chosen
-- by a plain SELECT and changed through a join with JSON_TABLE, never by range or IN list: those two wait for producers'
-- uncommitted rows. The same join moves the sequences: a scan of the partitions would lock the others' rows as well.

-- name: outbox_body_insert
-- Refused if the ids of this session do not grow by :step, which only matters to several rows. To ask would be one call more.
insert into waybill_outbox_body (partition_id, seq, n, type, message_key, headers, payload, created_at)
values (
  :partition_id, :seq, :n, :type, :message_key, :headers, :payload,
  if(@@auto_increment_increment <> :step, json_extract('', '$'), timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))
)...

-- name: outbox_body_step
select @@auto_increment_increment as step

-- name: outbox_delayed_insert
insert into waybill_outbox_delayed (due_at, id, partition_id)
values (coalesce(:due_at, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay), :id, :partition_id)...

-- name: outbox_due
select due_at, id, partition_id from waybill_outbox_delayed where due_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
order by due_at, id limit :messages
for update skip locked

-- name: outbox_due_delete
delete d from json_table(:rows, '$[*]' columns (due_at bigint path '$[0]', id bigint path '$[1]')) t
straight_join waybill_outbox_delayed d force index (primary) on d.due_at = t.due_at and d.id = t.id

-- name: outbox_due_release
update json_table(:ids, '$[*]' columns (id bigint path '$')) t
straight_join waybill_outbox_body b force index (primary) on b.id = t.id and b.seq = 9223372036854775806
set b.seq = 9223372036854775807

-- name: outbox_sequence_lock
select id, sequence from waybill_outbox_partitions where id in ((:id)...) order by id
for update skip locked

-- name: outbox_sequence_choose
(
  select partition_id, id, n from waybill_outbox_body force index (waybill_outbox_body_seq_ix)
  where partition_id = :partition_id and seq = 9223372036854775807 order by id limit :messages
)...[union all]

-- name: outbox_sequence_number
-- Of each row: its id, the last number of its messages, its partition, and the last number there from now on.
update json_table(:rows, '$[*]' columns (
    id bigint path '$[0]', seq bigint path '$[1]', partition_id bigint path '$[2]', sequence bigint path '$[3]'
  )) t
straight_join waybill_outbox_body b force index (primary) on b.id = t.id and b.partition_id = t.partition_id and b.seq = 9223372036854775807
straight_join waybill_outbox_partitions p force index (primary) on p.id = t.partition_id
set b.seq = t.seq, b.sequenced_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), p.sequence = t.sequence

-- name: outbox_round_lock
select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked,
  (select p.sequence from waybill_outbox_partitions p where p.id = c.partition_id) as sequence,
  case when c.paused_at is null and c.not_before <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
    and (c.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) or c.lease_owner = :owner) then 1 else 0 end as free,
  case when c.lease_owner = :owner then 1 else 0 end as ours
from waybill_outbox_processor c
where c.partition_id in ((:id)...)
order by c.partition_id
for update skip locked

-- name: outbox_round_wait
select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked,
  (select p.sequence from waybill_outbox_partitions p where p.id = c.partition_id) as sequence,
  case when c.paused_at is null and c.not_before <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
    and (c.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) or c.lease_owner = :owner) then 1 else 0 end as free,
  case when c.lease_owner = :owner then 1 else 0 end as ours
from waybill_outbox_processor c
where c.partition_id in ((:id)...)
order by c.partition_id
for update

-- name: outbox_round_move
update json_table(:rows, '$[*]' columns (
    partition_id bigint path '$[0]', processed_seq bigint path '$[1]', attempts bigint path '$[2]', epoch bigint path '$[3]',
    delay bigint path '$[4]', duration bigint path '$[5]'
  )) t
straight_join waybill_outbox_processor c force index (primary) on c.partition_id = t.partition_id
set c.processed_seq = t.processed_seq, c.attempts = t.attempts, c.lease_epoch = t.epoch,
  c.last_error = case when t.delay < 0 then c.last_error end,
  c.not_before = case when t.delay < 0 then c.not_before when t.delay > 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + t.delay else 0 end,
  c.lease_owner = case when t.duration >= 0 then :owner end,
  c.lease_until = case when t.duration >= 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + t.duration else 0 end

-- name: outbox_round_held
-- The same for leases that we hold, as far as we still do.
update json_table(:rows, '$[*]' columns (
    partition_id bigint path '$[0]', processed_seq bigint path '$[1]', attempts bigint path '$[2]', epoch bigint path '$[3]',
    delay bigint path '$[4]', duration bigint path '$[5]'
  )) t
straight_join waybill_outbox_processor c force index (primary)
  on c.partition_id = t.partition_id and c.lease_epoch = t.epoch and c.lease_owner = :owner
set c.processed_seq = t.processed_seq, c.attempts = t.attempts, c.last_error = null,
  c.not_before = case when t.delay > 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + t.delay else 0 end,
  c.lease_owner = case when t.duration >= 0 then c.lease_owner end,
  c.lease_until = case when t.duration >= 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + t.duration else 0 end

-- name: outbox_cursor_open
select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked,
  (select p.sequence from waybill_outbox_partitions p where p.id = c.partition_id) as sequence,
  1 as free, 0 as ours
from waybill_outbox_processor c
where c.partition_id = :partition_id and c.paused_at is null and c.not_before <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  and c.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
for update skip locked

-- name: outbox_read_rows
-- Rows with messages from :after to :last, each with its payload unless that is large. A row has so many messages at most
-- that it ends before :before.
(
  select partition_id, seq, n, id, type, message_key, headers, case when octet_length(payload) <= :limit * n then payload end as payload,
    created_at, octet_length(payload) as bytes
  from waybill_outbox_body force index (waybill_outbox_body_seq_ix)
  where partition_id = :partition_id and seq > :after and seq < :before and seq - n < :last
  order by partition_id, seq limit :messages
)...[union all]

-- name: outbox_read_rows_on
-- The same, and how each partition stands, in a row with a number that no message has: its cursor as created_at, and its
-- epoch as bytes if :owner has its lease.
select c.partition_id, -2 as seq, c.parked as n, p.sequence as id, null as type, null as message_key, null as headers,
  null as payload, c.processed_seq as created_at, case when c.lease_owner = :owner then c.lease_epoch else -1 end as bytes
from json_table(:partitions, '$[*]' columns (id bigint path '$')) t
straight_join waybill_outbox_processor c force index (primary) on c.partition_id = t.id
straight_join waybill_outbox_partitions p force index (primary) on p.id = c.partition_id
union all
(
  select partition_id, seq, n, id, type, message_key, headers, case when octet_length(payload) <= :limit * n then payload end as payload,
    created_at, octet_length(payload) as bytes
  from waybill_outbox_body force index (waybill_outbox_body_seq_ix)
  where partition_id = :partition_id and seq > :after and seq < :before and seq - n < :last
  order by partition_id, seq limit :messages
)...[union all]

-- name: outbox_read_bodies
select id, payload from waybill_outbox_body where id in ((:id)...)

-- name: outbox_vacuum_passed
select id, seq, n, case when sequenced_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - :retention then 1 else 0 end as due
from waybill_outbox_body force index (waybill_outbox_body_seq_ix)
where partition_id = :partition_id and seq > :vacuumed_seq and seq <= :processed_seq
order by partition_id, seq limit :rows

-- name: outbox_body_delete
delete b from json_table(:ids, '$[*]' columns (id bigint path '$')) t
straight_join waybill_outbox_body b force index (primary) on b.id = t.id

-- name: outbox_look_rows
select seq, n from waybill_outbox_body force index (waybill_outbox_body_seq_ix)
where partition_id = :partition_id and seq > :after and seq < :before

-- name: outbox_dedup_known
-- Not by an IN list: in a small table that locks all rows, and with them the keys of others. Keys are in hexadecimal.
select d.dedup_key, d.message_id
from json_table(:keys, '$[*]' columns (dedup_key varchar(2048) path '$')) t
straight_join waybill_outbox_dedup d force index (primary) on d.queue_id = :queue_id and d.dedup_key = unhex(t.dedup_key)
for update of d

-- name: outbox_dedup_tell
-- Not by an insert that finds its keys taken: at REPEATABLE READ MySQL would lock the gaps between them, too.
update json_table(:rows, '$[*]' columns (dedup_key varchar(2048) path '$[0]', message_id bigint path '$[1]')) t
straight_join waybill_outbox_dedup d force index (primary) on d.queue_id = :queue_id and d.dedup_key = unhex(t.dedup_key)
set d.message_id = t.message_id
