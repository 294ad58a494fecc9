-- The outbox's statements in the shape of a database without arrays and writing CTEs: a step is several statements of
-- one transaction.
--
-- Tables: waybill_outbox_body, incoming, outgoing, delayed, each by primary key.
-- Locking: READ COMMITTED; the partition's row first (outbox_sequence_lock), then rows by primary key. Ids are chosen by
-- a plain SELECT and deleted through a join with JSON_TABLE, never by range or IN list: those two wait for producers'
-- uncommitted rows. The same join moves the sequences: a scan of the partitions would lock the others' rows as well.

-- name: outbox_body_insert
insert into waybill_outbox_body (type, message_key, headers, payload, created_at)
values (:type, :message_key, :headers, :payload, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))...

-- name: outbox_body_first
select last_insert_id() as first, @@auto_increment_increment as step

-- name: outbox_incoming_insert
insert into waybill_outbox_incoming (partition_id, id) values (:partition_id, :id)...

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

-- name: outbox_sequence_lock
select id, sequence from waybill_outbox_partitions where id in ((:id)...) order by id
for update skip locked

-- name: outbox_sequence_choose
(
  select partition_id, id from waybill_outbox_incoming where partition_id = :partition_id order by id limit :messages
)...[union all]

-- name: outbox_incoming_delete
delete i from json_table(:rows, '$[*]' columns (partition_id bigint path '$[0]', id bigint path '$[1]')) t
straight_join waybill_outbox_incoming i force index (primary) on i.partition_id = t.partition_id and i.id = t.id

-- name: outbox_outgoing_insert
insert into waybill_outbox_outgoing (partition_id, last_seq, n, ids, sequenced_at)
values (:partition_id, :last_seq, :n, :ids, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))...

-- name: outbox_sequence_move
update json_table(:rows, '$[*]' columns (id bigint path '$[0]', sequence bigint path '$[1]')) t
straight_join waybill_outbox_partitions p force index (primary) on p.id = t.id
set p.sequence = t.sequence

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

-- name: outbox_cursor_open
select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked,
  (select p.sequence from waybill_outbox_partitions p where p.id = c.partition_id) as sequence,
  1 as free, 0 as ours
from waybill_outbox_processor c
where c.partition_id = :partition_id and c.paused_at is null and c.not_before <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  and c.lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
for update skip locked

-- name: outbox_round_segments
(
  select partition_id, last_seq, n, ids from waybill_outbox_outgoing
  where partition_id = :partition_id and last_seq > :after and last_seq < :before
)...[union all]

-- name: outbox_read_segments
select last_seq, n, ids from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :processed_seq
order by last_seq limit :segments

-- name: outbox_read_small
select id, type, message_key, headers, case when octet_length(payload) <= :limit then payload end as payload, created_at,
  octet_length(payload) as bytes
from waybill_outbox_body where id in ((:id)...)

-- name: outbox_read_bodies
select id, type, message_key, headers, payload, created_at from waybill_outbox_body where id in ((:id)...)

-- name: outbox_vacuum_segments
select last_seq, n, ids from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :vacuumed_seq and last_seq <= :processed_seq
  and sequenced_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - :retention
order by last_seq limit :segments

-- name: outbox_outgoing_delete
delete from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :vacuumed_seq and last_seq <= :last_seq

-- name: outbox_body_delete
delete b from json_table(:ids, '$[*]' columns (id bigint path '$')) t
straight_join waybill_outbox_body b force index (primary) on b.id = t.id

-- name: outbox_look_bodies
select id from waybill_outbox_body where id in ((:id)...)
