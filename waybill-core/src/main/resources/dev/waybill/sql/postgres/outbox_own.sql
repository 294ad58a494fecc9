-- The outbox's statements in the shape that PostgreSQL allows: whole steps in one statement, with arrays.
--
-- Tables: waybill_outbox_body, incoming, outgoing, delayed by primary key; partitions and processor as in outbox.sql.
-- Locking: partitions FOR NO KEY UPDATE SKIP LOCKED, which does not disturb producers, as no foreign key refers to them.
-- Numbers have no gaps and a segment has at most :segment messages, so what is to be read lies in a short range of last_seq.
-- An array inside (select ...) hides its length from the planner, which would else plan anew for each length.
-- Every insert is fed by what a DELETE returned, never by what a SELECT saw: two sequencers that see the same rows
-- delete them only once.

-- name: outbox_enqueue
with input as materialized (
  select nextval('{waybill_outbox_message_sq}') as id, t.k, t.partition_id, t.type, t.message_key, t.headers, t.payload
  from unnest(:partitions::bigint[], :types::text[], :keys::text[], :headers::text[], :payloads::bytea[])
    with ordinality as t (partition_id, type, message_key, headers, payload, k)
), body as (
  insert into waybill_outbox_body (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input
), incoming as (
  insert into waybill_outbox_incoming (partition_id, id) select partition_id, id from input
)
select id from input order by k

-- name: outbox_enqueue_delayed
with input as materialized (
  select nextval('{waybill_outbox_message_sq}') as id, t.k, t.partition_id, t.type, t.message_key, t.headers, t.payload,
    coalesce(t.due_at, (date_part('epoch', clock_timestamp()) * 1000000)::bigint + t.delay) as due_at
  from unnest(:partitions::bigint[], :types::text[], :keys::text[], :headers::text[], :payloads::bytea[],
      :due_ats::bigint[], :delays::bigint[])
    with ordinality as t (partition_id, type, message_key, headers, payload, due_at, delay, k)
), body as (
  insert into waybill_outbox_body (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input
), incoming as (
  insert into waybill_outbox_incoming (partition_id, id)
  select partition_id, id from input where due_at is null
), delayed as (
  insert into waybill_outbox_delayed (due_at, id, partition_id)
  select due_at, id, partition_id from input where due_at is not null
)
select id from input order by k

-- name: outbox_promote
with due as (
  delete from waybill_outbox_delayed where ctid = any (array(
    select d.ctid from waybill_outbox_delayed d where d.due_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    order by d.due_at, d.id limit :messages for update skip locked
  ))
  returning partition_id, id
), incoming as (
  insert into waybill_outbox_incoming (partition_id, id) select partition_id, id from due
)
select partition_id, count(*) as n from due group by partition_id

-- name: outbox_sequence
with locked as materialized (
  select p.id, p.sequence from waybill_outbox_partitions p where p.id = any ((select :partitions::bigint[])::bigint[])
  order by p.id for no key update skip locked
), taken as (
  delete from waybill_outbox_incoming where ctid = any (array(
    select x.row_at from locked l
    cross join lateral (
      select i.ctid as row_at from waybill_outbox_incoming i where i.partition_id = l.id order by i.id limit :messages
    ) x
  ))
  returning partition_id, id
), numbered as (
  select t.partition_id, t.id, row_number() over (partition by t.partition_id order by t.id) as k from taken t
), written as (
  insert into waybill_outbox_outgoing (partition_id, last_seq, n, ids)
  select c.partition_id, l.sequence + max(c.k), count(*), array_agg(c.id order by c.k)
  from numbered c join locked l on l.id = c.partition_id
  group by c.partition_id, l.sequence, (c.k - 1) / :segment
), counted as (
  select t.partition_id, count(*) as n from taken t group by t.partition_id
), moved as (
  update waybill_outbox_partitions p set sequence = p.sequence + c.n from counted c where p.id = c.partition_id
)
select l.id, coalesce(c.n, 0) as n from locked l left join counted c on c.partition_id = l.id

-- name: outbox_lease_take
with lease as (
  update waybill_outbox_processor c
  set lease_owner = :owner, lease_epoch = c.lease_epoch + 1,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration,
    attempts = least(c.attempts, 2147483646) + 1
  from waybill_outbox_partitions p
  where c.partition_id = :partition_id and p.id = c.partition_id and p.sequence > c.processed_seq
    and c.paused_at is null and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and (c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint or c.lease_owner = :owner)
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.type, r.message_key, r.headers, r.payload, r.created_at
from lease l left join lateral (
  select m.seq, m.id, m.type, m.message_key, m.headers, m.payload, m.created_at from (
    select u.seq, u.id, b.type, b.message_key, b.headers, b.payload, b.created_at,
      sum(octet_length(b.payload)) over (order by u.seq) - octet_length(b.payload) as bytes_before
    from (
      select s.last_seq - s.n + e.k as seq, e.id
      from (
        select o.last_seq, o.n, o.ids from waybill_outbox_outgoing o
        where o.partition_id = :partition_id and o.last_seq > l.processed_seq
          and o.last_seq < l.processed_seq + :messages + :segment and o.last_seq - o.n < l.processed_seq + :messages
      ) s
      cross join lateral unnest(s.ids) with ordinality e (id, k)
      where s.last_seq - s.n + e.k > l.processed_seq and s.last_seq - s.n + e.k <= l.processed_seq + :messages
    ) u
    left join waybill_outbox_body b on b.id = u.id
  ) m
  where m.bytes_before is null or m.bytes_before < :bytes
) r on true
order by r.seq

-- name: outbox_lease_next
with lease as (
  update waybill_outbox_processor c
  set processed_seq = :processed_seq, attempts = 1, last_error = null, not_before = 0,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration
  from waybill_outbox_partitions p
  where c.partition_id = :partition_id and c.lease_epoch = :epoch and c.lease_owner = :owner and p.id = c.partition_id
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.type, r.message_key, r.headers, r.payload, r.created_at
from lease l left join lateral (
  select m.seq, m.id, m.type, m.message_key, m.headers, m.payload, m.created_at from (
    select u.seq, u.id, b.type, b.message_key, b.headers, b.payload, b.created_at,
      sum(octet_length(b.payload)) over (order by u.seq) - octet_length(b.payload) as bytes_before
    from (
      select s.last_seq - s.n + e.k as seq, e.id
      from (
        select o.last_seq, o.n, o.ids from waybill_outbox_outgoing o
        where o.partition_id = :partition_id and o.last_seq > l.processed_seq
          and o.last_seq < l.processed_seq + :messages + :segment and o.last_seq - o.n < l.processed_seq + :messages
      ) s
      cross join lateral unnest(s.ids) with ordinality e (id, k)
      where s.last_seq - s.n + e.k > l.processed_seq and s.last_seq - s.n + e.k <= l.processed_seq + :messages
    ) u
    left join waybill_outbox_body b on b.id = u.id
  ) m
  where m.bytes_before is null or m.bytes_before < :bytes
) r on true
order by r.seq

-- name: outbox_lease_round
with request as materialized (
  select r.partition_id, r.epoch, r.processed_seq, r.attempts, r.last_error, r.delay, r.duration, r.messages
  from unnest((select :partitions::bigint[]), :epochs::bigint[], :processed_seqs::bigint[], :attempts::bigint[],
      :last_errors::text[], :delays::bigint[], :durations::bigint[], :messages::bigint[])
    as r (partition_id, epoch, processed_seq, attempts, last_error, delay, duration, messages)
), free as materialized (
  select c.partition_id from request r
  join waybill_outbox_processor c on c.partition_id = r.partition_id
  join waybill_outbox_partitions p on p.id = r.partition_id
  where r.epoch is null and p.sequence > c.processed_seq and c.paused_at is null and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and (c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint or c.lease_owner = :owner)
  order by c.partition_id for no key update of c skip locked
), ours as materialized (
  select c.partition_id from request r
  join waybill_outbox_processor c on c.partition_id = r.partition_id
  where c.lease_epoch = r.epoch and c.lease_owner = :owner
  order by c.partition_id for no key update of c
), moved as (
  update waybill_outbox_processor c
  set processed_seq = coalesce(r.processed_seq, c.processed_seq),
    attempts = coalesce(r.attempts, least(c.attempts, 2147483646) + 1),
    last_error = case when r.epoch is null then c.last_error else r.last_error end,
    not_before = case when r.delay is null then c.not_before when r.delay > 0 then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + r.delay else 0 end,
    lease_epoch = c.lease_epoch + case when r.epoch is null then 1 else 0 end,
    lease_owner = case when r.duration is not null then :owner end,
    lease_until = case when r.duration is not null then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + r.duration else 0 end
  from request r, waybill_outbox_partitions p
  where c.partition_id = r.partition_id and p.id = r.partition_id
    and c.partition_id in (select f.partition_id from free f union all select o.partition_id from ours o)
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence, r.messages
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.type, r.message_key, r.headers, r.payload, r.created_at
from moved l left join lateral (
  select m.seq, m.id, m.type, m.message_key, m.headers, m.payload, m.created_at from (
    select u.seq, u.id, b.type, b.message_key, b.headers, b.payload, b.created_at,
      sum(octet_length(b.payload)) over (order by u.seq) - octet_length(b.payload) as bytes_before
    from (
      select s.last_seq - s.n + e.k as seq, e.id
      from (
        select o.last_seq, o.n, o.ids from waybill_outbox_outgoing o
        where o.partition_id = l.partition_id and o.last_seq > l.processed_seq
          and o.last_seq < l.processed_seq + l.messages + :segment and o.last_seq - o.n < l.processed_seq + l.messages
      ) s
      cross join lateral unnest(s.ids) with ordinality e (id, k)
      where s.last_seq - s.n + e.k > l.processed_seq and s.last_seq - s.n + e.k <= l.processed_seq + l.messages
    ) u
    left join waybill_outbox_body b on b.id = u.id
  ) m
  where m.bytes_before is null or m.bytes_before < :bytes
) r on true
order by l.partition_id, r.seq

-- name: outbox_cursor_take
with cursor as materialized (
  select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence from waybill_outbox_processor c
  join waybill_outbox_partitions p on p.id = c.partition_id
  where c.partition_id = :partition_id and c.paused_at is null and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
  for no key update of c skip locked
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.type, r.message_key, r.headers, r.payload, r.created_at
from cursor l left join lateral (
  select m.seq, m.id, m.type, m.message_key, m.headers, m.payload, m.created_at from (
    select u.seq, u.id, b.type, b.message_key, b.headers, b.payload, b.created_at,
      sum(octet_length(b.payload)) over (order by u.seq) - octet_length(b.payload) as bytes_before
    from (
      select s.last_seq - s.n + e.k as seq, e.id
      from (
        select o.last_seq, o.n, o.ids from waybill_outbox_outgoing o
        where o.partition_id = :partition_id and o.last_seq > l.processed_seq
          and o.last_seq < l.processed_seq + :messages + :segment and o.last_seq - o.n < l.processed_seq + :messages
      ) s
      cross join lateral unnest(s.ids) with ordinality e (id, k)
      where s.last_seq - s.n + e.k > l.processed_seq and s.last_seq - s.n + e.k <= l.processed_seq + :messages
    ) u
    left join waybill_outbox_body b on b.id = u.id
  ) m
  where m.bytes_before is null or m.bytes_before < :bytes
) r on true
order by r.seq

-- name: outbox_vacuum_piece
with cursor as materialized (
  select v.partition_id, v.vacuumed_seq, c.processed_seq from waybill_outbox_vacuum v
  join waybill_outbox_processor c on c.partition_id = v.partition_id
  where v.partition_id = :partition_id
  for no key update of v skip locked
), passed as (
  select o.partition_id, o.last_seq from cursor l cross join lateral (
    select o.partition_id, o.last_seq from waybill_outbox_outgoing o
    where o.partition_id = l.partition_id and o.last_seq > l.vacuumed_seq and o.last_seq <= l.processed_seq
      and o.sequenced_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint - :retention
    order by o.last_seq limit :segments
  ) o
), outgoing as (
  delete from waybill_outbox_outgoing o using passed
  where o.partition_id = passed.partition_id and o.last_seq = passed.last_seq
  returning o.last_seq, o.ids
), body as (
  delete from waybill_outbox_body b using (select unnest(ids) as id from outgoing) gone where b.id = gone.id
), progress as (
  update waybill_outbox_vacuum v set vacuumed_seq = reached.last_seq
  from (select max(last_seq) as last_seq from outgoing) reached
  where v.partition_id = :partition_id and reached.last_seq > v.vacuumed_seq
)
select count(*) as segments, coalesce(sum(cardinality(ids)), 0)::bigint as messages from outgoing

-- name: outbox_notify
select pg_notify(:channel, :text)
