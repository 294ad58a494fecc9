-- Dead letters: messages that were given up, and what operators do with them.
--
-- Tables: waybill_outbox_dead_letters; partitions and queues for names. Indexes: list_ix (status, failed_at, id) for
-- lists and for what is pending, held_ix (deadline) for claims that nobody ended, done_ix (completed_at) for the
-- clean-up, seq_uq where a small queue is asked for among large ones.
-- A part in braces is there only if its parameters are given.
-- Locking: READ COMMITTED; rows are picked FOR UPDATE SKIP LOCKED and changed in the same transaction, so whatever two
-- operators do at once, each row is in one pair of hands and nobody waits.
-- A claim is a token: only who knows it ends it.

-- name: dead_letters_list
select d.id, d.partition_id, p.number, q.name as queue, d.seq, d.message_id, d.type, d.message_key, d.headers,
  d.payload, d.created_at, d.failed_at, d.last_error, d.attempts, d.status, d.deadline, d.completed_at
from waybill_outbox_dead_letters d
left join waybill_outbox_partitions p on p.id = d.partition_id
left join waybill_outbox_queues q on q.id = p.queue_id
where d.status = :status
{and d.partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)}
{and d.type = :type}
{and d.failed_at > :failed_after}
{and d.failed_at < :failed_before}
{and d.failed_at <= :last_failed_at and (d.failed_at < :last_failed_at or d.id < :last_id)}
{and d.id in ((:id)...)}
order by d.failed_at desc, d.id desc
limit :limit

-- name: dead_letters_count
select count(*) as n from waybill_outbox_dead_letters d
where d.status = :status
{and d.partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)}
{and d.type = :type}
{and d.failed_at > :failed_after}
{and d.failed_at < :failed_before}
{and d.failed_at <= :last_failed_at and (d.failed_at < :last_failed_at or d.id < :last_id)}
{and d.id in ((:id)...)}

-- name: dead_letters_read
select d.id, d.partition_id, p.number, q.name as queue, d.seq, d.message_id, d.type, d.message_key, d.headers,
  d.payload, d.created_at, d.failed_at, d.last_error, d.attempts, d.status, d.deadline, d.completed_at
from waybill_outbox_dead_letters d
left join waybill_outbox_partitions p on p.id = d.partition_id
left join waybill_outbox_queues q on q.id = p.queue_id
where d.id in ((:id)...)
order by d.failed_at, d.id

-- name: dead_letters_pick_pending
select d.id from waybill_outbox_dead_letters d
where d.status = 'pending'
{and d.type <> :not_type}
{and d.partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)}
{and d.type = :type}
{and d.failed_at > :failed_after}
{and d.failed_at < :failed_before}
{and d.failed_at <= :last_failed_at and (d.failed_at < :last_failed_at or d.id < :last_id)}
{and d.id in ((:id)...)}
order by d.failed_at, d.id
limit :limit
for update skip locked

-- name: dead_letters_pick_abandoned
select d.id from waybill_outbox_dead_letters d
where d.status = 'reprocessing' and d.deadline <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
{and d.type <> :not_type}
{and d.partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)}
{and d.type = :type}
{and d.failed_at > :failed_after}
{and d.failed_at < :failed_before}
{and d.failed_at <= :last_failed_at and (d.failed_at < :last_failed_at or d.id < :last_id)}
{and d.id in ((:id)...)}
order by d.deadline, d.id
limit :limit
for update skip locked

-- name: dead_letters_pick_completed
select d.id from waybill_outbox_dead_letters d
where d.completed_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - :age
{and d.status = :status}
{and d.partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)}
{and d.type = :type}
{and d.failed_at > :failed_after}
{and d.failed_at < :failed_before}
{and d.failed_at <= :last_failed_at and (d.failed_at < :last_failed_at or d.id < :last_id)}
{and d.id in ((:id)...)}
order by d.completed_at, d.id
limit :limit
for update skip locked

-- name: dead_letters_claim
update waybill_outbox_dead_letters
set status = 'reprocessing', claim = :claim, deadline = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :timeout
where id in ((:id)...)

-- name: dead_letters_resolve
update waybill_outbox_dead_letters
set status = 'resolved', claim = null, deadline = null, completed_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
where status = 'reprocessing' and claim = :claim and id in ((:id)...)

-- name: dead_letters_reject
update waybill_outbox_dead_letters
set status = 'pending', claim = null, deadline = null, failed_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)),
  last_error = :reason, attempts = least(attempts, 2147483646) + 1
where status = 'reprocessing' and claim = :claim and id in ((:id)...)

-- name: dead_letters_complete
update waybill_outbox_dead_letters
set status = :status, claim = null, deadline = null, completed_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
where id in ((:id)...)

-- name: dead_letters_delete
delete from waybill_outbox_dead_letters where id in ((:id)...)
