-- The outbox's statements that have the same shape in every dialect.
--
-- Tables: waybill_outbox_queues, partitions (one row per partition: the last number given), processor (one row per
-- partition: cursor and lease), vacuum (one row per partition), pace (one row per queue and process), incoming, delayed,
-- dedup, dead_letters. All are reached by primary key, except the whole of the tables with a row per partition or per
-- process, which have at most some thousand rows.
-- Locking: the row of a partition is locked FOR NO KEY UPDATE SKIP LOCKED, so nobody waits for anybody. Leases need
-- no lock: every change names the epoch it relies on.

-- name: outbox_queues_insert
insert into waybill_outbox_queues (name, partitions, retention) values (:name, :partitions, :retention)...
on conflict (name) do nothing

-- name: outbox_queues
select id, name, partitions from waybill_outbox_queues order by id

-- name: outbox_queue_retention
update waybill_outbox_queues set retention = :retention where id = :id and retention <> :retention

-- name: outbox_queue_grow
update waybill_outbox_queues set partitions = :partitions where id = :id and partitions < :partitions

-- name: outbox_partitions_insert
insert into waybill_outbox_partitions (queue_id, number)
select q.id, g.number from waybill_outbox_queues q cross join lateral generate_series(0, q.partitions - 1) as g (number)
where not exists (select 1 from waybill_outbox_partitions p where p.queue_id = q.id and p.number = g.number)
order by q.id, g.number
on conflict (queue_id, number) do nothing

-- name: outbox_processors_insert
insert into waybill_outbox_processor (partition_id)
select p.id from waybill_outbox_partitions p
where not exists (select 1 from waybill_outbox_processor c where c.partition_id = p.id)
on conflict (partition_id) do nothing

-- name: outbox_vacuums_insert
insert into waybill_outbox_vacuum (partition_id)
select p.id from waybill_outbox_partitions p
where not exists (select 1 from waybill_outbox_vacuum v where v.partition_id = p.id)
on conflict (partition_id) do nothing

-- name: outbox_queue_partitions
select p.id, p.queue_id, q.name, q.retention
from waybill_outbox_partitions p
join waybill_outbox_queues q on q.id = p.queue_id
order by p.queue_id, p.number

-- name: outbox_dirty
with recursive dirty (id) as (
  select min(partition_id) from waybill_outbox_incoming
  union all
  select (select min(i.partition_id) from waybill_outbox_incoming i where i.partition_id > d.id)
  from dirty d where d.id is not null
)
select id from dirty where id is not null

-- name: outbox_backlog
select p.id, greatest(c.lease_until, case
    when p.sequence > c.processed_seq then least(c.not_before, coalesce(c.parked_due, c.not_before)) else c.parked_due
  end) - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as wait,
  case when p.sequence <= c.processed_seq or c.lease_until > c.not_before or c.lease_until > c.parked_due
    then 1 else 0 end as reckoned
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
where (p.sequence > c.processed_seq or c.parked_due is not null) and c.paused_at is null
order by p.id

-- name: outbox_next_due
select min(due_at) - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as wait from waybill_outbox_delayed

-- name: outbox_state
select p.sequence, c.processed_seq, c.attempts, c.lease_epoch, c.lease_owner, c.last_error,
  c.not_before - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as not_before, c.lease_until - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as lease_until,
  case when c.paused_at is null then 0 else 1 end as paused,
  c.parked, coalesce(c.parked_due, 0) - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as parked_due
from waybill_outbox_processor c
join waybill_outbox_partitions p on p.id = c.partition_id
where c.partition_id = :partition_id

-- name: outbox_waiting
select c.partition_id, p.sequence - c.processed_seq as waiting
from waybill_outbox_processor c
join waybill_outbox_partitions p on p.id = c.partition_id
where c.partition_id in ((:id)...)

-- name: outbox_lease_renew
update waybill_outbox_processor set lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_lease_end
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = :attempts, last_error = :last_error,
  not_before = case when :delay > 0 then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :delay else 0 end, lease_until = 0, lease_owner = null
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner

-- name: outbox_lease_release_all
update waybill_outbox_processor set lease_until = 0, lease_owner = null where lease_owner = :owner

-- name: outbox_cursor_move
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = :attempts, last_error = :last_error,
  not_before = case when :delay > 0 then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :delay else 0 end,
  lease_owner = null, lease_until = 0
where partition_id = :partition_id

-- name: outbox_pause
update waybill_outbox_processor set paused_at = (date_part('epoch', clock_timestamp()) * 1000000)::bigint
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
  c.not_before - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as not_before, c.lease_until - (date_part('epoch', clock_timestamp()) * 1000000)::bigint as lease_until,
  case when c.paused_at is null then 0 else 1 end as paused, c.parked,
  case when p.sequence > c.processed_seq then (date_part('epoch', clock_timestamp()) * 1000000)::bigint - (
    select o.sequenced_at from waybill_outbox_outgoing o
    where o.partition_id = p.id and o.last_seq > c.processed_seq
    order by o.last_seq limit 1
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
  partition_id, seq, message_id, type, message_key, headers, payload, created_at, last_error, attempts
) values (
  :partition_id, :seq, :message_id, :type, :message_key, :headers, :payload, :created_at, :last_error, :attempts
)...
on conflict (partition_id, seq) do nothing

-- name: outbox_vacuum_due
select c.partition_id, v.vacuumed_seq, c.processed_seq, q.retention
from waybill_outbox_processor c
join waybill_outbox_vacuum v on v.partition_id = c.partition_id
join waybill_outbox_partitions p on p.id = c.partition_id
join waybill_outbox_queues q on q.id = p.queue_id
where c.processed_seq >= (
  select o.last_seq from waybill_outbox_outgoing_0 o where o.partition_id = c.partition_id order by o.last_seq limit 1
)
order by c.partition_id

-- name: outbox_vacuum_lock
select vacuumed_seq from waybill_outbox_vacuum where partition_id = :partition_id
for no key update skip locked

-- name: outbox_vacuum_progress
update waybill_outbox_vacuum set vacuumed_seq = greatest(vacuumed_seq, :vacuumed_seq) where partition_id = :partition_id

-- name: outbox_dedup_claim
insert into waybill_outbox_dedup (queue_id, dedup_key, expires_at)
values (:queue_id, :dedup_key, (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :window)...
on conflict (queue_id, dedup_key) do update
set message_id = null, expires_at = excluded.expires_at
where waybill_outbox_dedup.expires_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint

-- name: outbox_dedup_expire
delete from waybill_outbox_dedup where (queue_id, dedup_key) in (
  select queue_id, dedup_key from waybill_outbox_dedup where expires_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
  order by expires_at limit :rows for update skip locked
)

-- name: outbox_pace_write
insert into waybill_outbox_pace (queue_id, owner, delivered, retried, rejected, times, span, written_at)
values (:queue_id, :owner, :delivered, :retried, :rejected, :times, :span, (date_part('epoch', clock_timestamp()) * 1000000)::bigint)...
on conflict (queue_id, owner) do update set
  delivered = excluded.delivered, retried = excluded.retried, rejected = excluded.rejected, times = excluded.times, span = excluded.span, written_at = excluded.written_at

-- name: outbox_pace
-- Both ways: whoever wrote a time to come wrote it before the clock was set back.
select q.name, p.owner, p.retried, p.rejected, p.times, p.span, (date_part('epoch', clock_timestamp()) * 1000000)::bigint - p.written_at as ago
from waybill_outbox_pace p
join waybill_outbox_queues q on q.id = p.queue_id
where abs((date_part('epoch', clock_timestamp()) * 1000000)::bigint - p.written_at) <= :within
order by q.name, p.owner

-- name: outbox_pace_clear
delete from waybill_outbox_pace where abs((date_part('epoch', clock_timestamp()) * 1000000)::bigint - written_at) > :within
