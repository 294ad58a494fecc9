-- Messages that wait for an earlier one of their key.
--
-- Tables: waybill_outbox_parked by primary key (partition_id, lane, seq); the first of each lane by parked_due_ix;
-- waybill_outbox_processor by primary key.
-- Locking: whoever has the partition's row of processor, by lease or by lock, is the only one who touches its lanes.

-- name: outbox_park
insert into waybill_outbox_parked (
  partition_id, lane, seq, message_id, type, message_key, headers, payload, created_at, attempts, last_error, due_at
) values (
  :partition_id, :lane, :seq, :message_id, :type, :message_key, :headers, :payload, :created_at, :attempts, :last_error,
  timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay
)...

-- name: outbox_parked_added
update waybill_outbox_processor set parked = parked + :added, parked_due = (
  select min(k.due_at) from waybill_outbox_parked k where k.partition_id = :partition_id and k.due_at is not null
)
where partition_id = :partition_id

-- name: outbox_parked_lanes
select lane, due_at - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as wait
from waybill_outbox_parked force index (waybill_outbox_parked_due_ix) where partition_id = :partition_id and due_at is not null

-- name: outbox_parked_lease
update waybill_outbox_processor
set lease_owner = :owner, lease_epoch = lease_epoch + 1, lease_until = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :duration
where partition_id = :partition_id and paused_at is null and parked_due <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  and (lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) or lease_owner = :owner)

-- name: outbox_parked_lock
select parked from waybill_outbox_processor
where partition_id = :partition_id and paused_at is null and parked_due <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  and lease_until <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
for update skip locked

-- name: outbox_parked_first
select lane, seq, attempts
from waybill_outbox_parked force index (waybill_outbox_parked_due_ix) where partition_id = :partition_id and due_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
order by due_at, lane limit 1

-- name: outbox_parked_try
update waybill_outbox_parked set attempts = least(attempts, 2147483646) + 1
where partition_id = :partition_id and lane = :lane and seq = :seq

-- name: outbox_parked_read
select seq, message_id, type, message_key, headers, payload, created_at from (
  select m.*, sum(octet_length(m.payload)) over (order by m.seq) - octet_length(m.payload) as bytes_before from (
    select seq, message_id, type, message_key, headers, payload, created_at from waybill_outbox_parked
    where partition_id = :partition_id and lane = :lane
    order by seq limit :messages
  ) m
) r
where r.bytes_before < :bytes
order by seq

-- name: outbox_parked_release
update waybill_outbox_processor set lease_until = 0, lease_owner = null
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_parked_delete
delete from waybill_outbox_parked where partition_id = :partition_id and lane = :lane and seq <= :seq

-- name: outbox_parked_next
update waybill_outbox_parked
set due_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay, attempts = :attempts, last_error = :last_error
where partition_id = :partition_id and lane = :lane and seq = (
  select s.seq from (
    select min(k.seq) as seq from waybill_outbox_parked k where k.partition_id = :partition_id and k.lane = :lane
  ) s
)

-- name: outbox_parked_removed
-- A message that was never tried and waits nevertheless (attempts = 0) waits for room here.
update waybill_outbox_processor
set parked = parked - :removed, not_before = case when attempts = 0 and :removed > 0 then 0 else not_before end,
  last_error = case when attempts = 0 and :removed > 0 then null else last_error end, parked_due = (
  select min(k.due_at) from waybill_outbox_parked k where k.partition_id = :partition_id and k.due_at is not null
)
where partition_id = :partition_id
