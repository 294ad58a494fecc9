-- The outbox's statements that have the same shape in every dialect.
--
-- Tables: waybill_outbox_queues, partitions (one row per partition: the last number given), processor (one row per
-- partition: cursor and lease), vacuum (one row per partition), pace (one row per queue and process), body, delayed,
-- dedup, dead_letters. All are reached by primary key, except the whole of the tables with a row per partition or per
-- process, which have at most some thousand rows.
-- Locking: READ COMMITTED; the row of a partition is locked FOR UPDATE SKIP LOCKED, so nobody waits for anybody.
-- Leases need no lock: every change names the epoch it relies on.

-- name: outbox_queues_insert
insert into waybill_outbox_queues (name, partitions, retention, created_at)
values (:name, :partitions, :retention, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))...
on duplicate key update id = id

-- name: outbox_queues
select id, name, partitions from waybill_outbox_queues order by id

-- name: outbox_queue_retention
update waybill_outbox_queues set retention = :retention where id = :id and retention <> :retention

-- name: outbox_queue_grow
update waybill_outbox_queues set partitions = :partitions where id = :id and partitions < :partitions

-- name: outbox_partitions_insert
insert into waybill_outbox_partitions (queue_id, number)
with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < 63)
select q.id, g.n from waybill_outbox_queues q join numbers g on g.n < q.partitions
where not exists (select 1 from waybill_outbox_partitions p where p.queue_id = q.id and p.number = g.n)
order by q.id, g.n
on duplicate key update waybill_outbox_partitions.number = waybill_outbox_partitions.number

-- name: outbox_processors_insert
insert into waybill_outbox_processor (partition_id)
select p.id from waybill_outbox_partitions p
where not exists (select 1 from waybill_outbox_processor c where c.partition_id = p.id)
on duplicate key update waybill_outbox_processor.partition_id = waybill_outbox_processor.partition_id

-- name: outbox_vacuums_insert
insert into waybill_outbox_vacuum (partition_id)
select p.id from waybill_outbox_partitions p
where not exists (select 1 from waybill_outbox_vacuum v where v.partition_id = p.id)
on duplicate key update waybill_outbox_vacuum.partition_id = waybill_outbox_vacuum.partition_id

-- name: outbox_queue_partitions
select p.id, p.queue_id, q.name, q.retention
from waybill_outbox_partitions p
join waybill_outbox_queues q on q.id = p.queue_id
order by p.queue_id, p.number

-- name: outbox_dirty
-- One step into the index per partition. DISTINCT, EXISTS and an order of the rows would read all that wait.
select p.id from waybill_outbox_partitions p
where (
  select b.id from waybill_outbox_body b force index (waybill_outbox_body_seq_ix)
  where b.partition_id = p.id and b.seq = 9223372036854775807 limit 1
) is not null

-- name: outbox_backlog
select p.id, greatest(c.lease_until, case
    when p.sequence > c.processed_seq then least(c.not_before, coalesce(c.parked_due, c.not_before)) else c.parked_due
  end) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as wait,
  case when p.sequence <= c.processed_seq or c.lease_until > c.not_before or c.lease_until > c.parked_due
    then 1 else 0 end as reckoned
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
where (p.sequence > c.processed_seq or c.parked_due is not null) and c.paused_at is null
order by p.id

-- name: outbox_next_due
select min(due_at) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as wait from waybill_outbox_delayed

-- name: outbox_state
select p.sequence, c.processed_seq, c.attempts, c.lease_epoch, c.lease_owner, c.last_error,
  c.not_before - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as not_before, c.lease_until - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as lease_until,
  case when c.paused_at is null then 0 else 1 end as paused,
  c.parked, coalesce(c.parked_due, 0) - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as parked_due
from waybill_outbox_processor c
join waybill_outbox_partitions p on p.id = c.partition_id
where c.partition_id = :partition_id

-- name: outbox_waiting
select c.partition_id, p.sequence - c.processed_seq as waiting
from waybill_outbox_processor c
join waybill_outbox_partitions p on p.id = c.partition_id
where c.partition_id in ((:id)...)

-- name: outbox_lease_renew
update waybill_outbox_processor set lease_until = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :duration
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_lease_end
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = :attempts, last_error = :last_error,
  not_before = case when :delay > 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay else 0 end, lease_until = 0, lease_owner = null
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_lease_release_all
update waybill_outbox_processor set lease_until = 0, lease_owner = null where lease_owner = :owner

-- name: outbox_cursor_move
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = :attempts, last_error = :last_error,
  not_before = case when :delay > 0 then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :delay else 0 end,
  lease_owner = null, lease_until = 0
where partition_id = :partition_id

-- name: outbox_pause
update waybill_outbox_processor set paused_at = timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
where paused_at is null and partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)

-- name: outbox_resume
update waybill_outbox_processor set paused_at = null
where paused_at is not null and partition_id in (
  select p.id from waybill_outbox_partitions p join waybill_outbox_queues q on q.id = p.queue_id
  where q.name = :queue and p.number between :first and :last
)

-- name: outbox_status
select q.name, p.id, p.number, p.sequence, c.processed_seq, c.attempts, c.last_error, c.lease_owner, c.lease_epoch,
  c.not_before - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as not_before, c.lease_until - timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as lease_until,
  case when c.paused_at is null then 0 else 1 end as paused, c.parked,
  case when p.sequence > c.processed_seq then timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - (
    select b.sequenced_at from waybill_outbox_body b force index (waybill_outbox_body_seq_ix)
    where b.partition_id = p.id and b.seq > c.processed_seq
    order by b.partition_id, b.seq limit 1
  ) end as waiting
from waybill_outbox_partitions p
join waybill_outbox_queues q on q.id = p.queue_id
join waybill_outbox_processor c on c.partition_id = p.id
order by q.name, p.number

-- name: outbox_lag
select p.queue_id, sum(p.sequence - c.processed_seq) as behind
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
where p.sequence > c.processed_seq
group by p.queue_id

-- name: outbox_dead_letters_insert
insert into waybill_outbox_dead_letters (
  partition_id, seq, message_id, type, message_key, headers, payload, created_at, last_error, attempts, failed_at
) values (
  :partition_id, :seq, :message_id, :type, :message_key, :headers, :payload, :created_at, :last_error, :attempts,
  timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
)...
on duplicate key update id = id

-- name: outbox_vacuum_due
select c.partition_id, v.vacuumed_seq, c.processed_seq, q.retention
from waybill_outbox_processor c
join waybill_outbox_vacuum v on v.partition_id = c.partition_id
join waybill_outbox_partitions p on p.id = c.partition_id
join waybill_outbox_queues q on q.id = p.queue_id
where c.processed_seq > v.vacuumed_seq
order by c.partition_id

-- name: outbox_vacuum_lock
select vacuumed_seq from waybill_outbox_vacuum where partition_id = :partition_id
for update skip locked

-- name: outbox_vacuum_progress
update waybill_outbox_vacuum set vacuumed_seq = greatest(vacuumed_seq, :vacuumed_seq) where partition_id = :partition_id

-- name: outbox_dedup_claim
insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at)
values (:queue_id, :dedup_key, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) + :window)...
on duplicate key update
  message_id = if(expires_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), null, message_id),
  expires_at = if(expires_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)), values(expires_at), expires_at)

-- name: outbox_dedup_expire
delete d from waybill_outbox_dedup d join (
  select queue_id, dedup_key from waybill_outbox_dedup where expires_at <= timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))
  order by expires_at limit :rows for update skip locked
) gone on gone.queue_id = d.queue_id and gone.dedup_key = d.dedup_key

-- name: outbox_pace_write
insert into waybill_outbox_pace (queue_id, owner, delivered, retried, rejected, times, span, written_at)
values (:queue_id, :owner, :delivered, :retried, :rejected, :times, :span, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)))...
on duplicate key update
  delivered = values(delivered), retried = values(retried), rejected = values(rejected), times = values(times), span = values(span), written_at = values(written_at)

-- name: outbox_pace
-- Both ways: whoever wrote a time to come wrote it before the clock was set back.
select q.name, p.owner, p.retried, p.rejected, p.times, p.span, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - p.written_at as ago
from waybill_outbox_pace p
join waybill_outbox_queues q on q.id = p.queue_id
where abs(timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - p.written_at) <= :within
order by q.name, p.owner

-- name: outbox_pace_clear
delete from waybill_outbox_pace where abs(timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) - written_at) > :within
