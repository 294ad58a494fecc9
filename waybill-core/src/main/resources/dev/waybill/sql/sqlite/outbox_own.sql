-- The outbox's statements in the shape of a database without arrays and writing CTEs: a step is several statements of
-- one transaction.
--
-- Tables: waybill_outbox_body, incoming, outgoing, delayed, each by primary key.
-- Locking: the single writer.
-- Times are microseconds since 1970; SQLite's clock ticks in milliseconds.

-- name: outbox_body_insert
-- The clock is asked once: for each row it would cost more than the row.
insert into waybill_outbox_body (type, message_key, headers, payload, created_at)
select m.column1, m.column2, m.column3, m.column4, clock.now
from (values (:type, :message_key, :headers, :payload)...) m
cross join (select cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 as now) clock

-- name: outbox_body_last
select last_insert_rowid() as last

-- name: outbox_incoming_insert
insert into waybill_outbox_incoming (partition_id, id) values (:partition_id, :id)...

-- name: outbox_delayed_insert
insert into waybill_outbox_delayed (due_at, id, partition_id)
values (coalesce(:due_at, cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 + :delay), :id, :partition_id)...

-- name: outbox_due
select due_at, id, partition_id from waybill_outbox_delayed where due_at <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
order by due_at, id limit :messages

-- name: outbox_due_delete
delete from waybill_outbox_delayed where (due_at, id) in (
  select json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]') from json_each(:rows) j
)

-- name: outbox_sequence_lock
select id, sequence from waybill_outbox_partitions where id in ((:id)...) order by id

-- name: outbox_sequence_choose
select partition_id, id from waybill_outbox_incoming where partition_id = :partition_id order by id limit :messages

-- name: outbox_incoming_delete
delete from waybill_outbox_incoming where partition_id = :partition_id and id <= :last

-- name: outbox_outgoing_insert
insert into waybill_outbox_outgoing (partition_id, last_seq, n, ids, sequenced_at)
values (:partition_id, :last_seq, :n, :ids, cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000)...

-- name: outbox_sequence_move
update waybill_outbox_partitions set sequence = json_extract(j.value, '$[1]')
from json_each(:rows) j where waybill_outbox_partitions.id = json_extract(j.value, '$[0]')

-- name: outbox_read_segments
select last_seq, n, ids from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :processed_seq
order by last_seq limit :segments

-- name: outbox_read_bodies
-- In the order of the ids that are given.
select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at
from json_each(:ids) j cross join waybill_outbox_body b on b.id = j.value

-- name: outbox_vacuum_segments
select last_seq, n, ids from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :vacuumed_seq and last_seq <= :processed_seq
  and sequenced_at <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 - :retention
order by last_seq limit :segments

-- name: outbox_outgoing_delete
delete from waybill_outbox_outgoing
where partition_id = :partition_id and last_seq > :vacuumed_seq and last_seq <= :last_seq

-- name: outbox_body_delete
delete from waybill_outbox_body where id in (select j.value from json_each(:ids) j)

-- name: outbox_body_delete_range
delete from waybill_outbox_body where id between :first and :last

-- name: outbox_look_bodies
select id from waybill_outbox_body where id in ((:id)...)

-- name: outbox_lease_acquire
update waybill_outbox_processor
set lease_owner = :owner, lease_epoch = lease_epoch + 1, lease_until = cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 + :duration,
  attempts = min(attempts, 2147483646) + 1
where partition_id = :partition_id and paused_at is null and not_before <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
  and (lease_until <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 or lease_owner = :owner)
  and processed_seq < (select p.sequence from waybill_outbox_partitions p where p.id = :partition_id)

-- name: outbox_lease_keep
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = 1, last_error = null, not_before = 0,
  lease_until = cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 + :duration
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_cursor_lock
select processed_seq from waybill_outbox_processor
where partition_id = :partition_id and paused_at is null and not_before <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000
  and lease_until <= cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000

-- name: outbox_dedup_claimed
select dedup_key, message_id from waybill_outbox_dedup where queue_id = :queue_id and dedup_key in ((:dedup_key)...)

-- name: outbox_dedup_name
insert into waybill_outbox_dedup (queue_id, dedup_key, message_id, expires_at)
values (:queue_id, :dedup_key, :message_id, 0)...
on conflict (queue_id, dedup_key) do update set message_id = excluded.message_id
