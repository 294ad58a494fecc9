-- The outbox's statements in the shape that PostgreSQL allows: whole steps in one statement, with arrays.
--
-- Tables: waybill_outbox_body, incoming, outgoing, delayed by primary key; partitions and processor as in outbox.sql.
-- Body and outgoing have slot 0 (cleaned up by deletes) and slots 1 to 3; incoming has slots 0 to 2. The tables that
-- these inherit from are empty, for questions about all of them.
-- A part in braces is there only if its parameters are given, so a statement names, and locks, only the slots it
-- is to use: writers the slot that new messages go to, readers those that may hold something. Both learn from
-- slots_sq which these are, and may be late to: every slot may be written to at any time, sequencing looks into all
-- of incoming, and a reader that misses a number looks into all of outgoing.
-- Locking: partitions FOR NO KEY UPDATE SKIP LOCKED, which does not disturb producers, as no foreign key refers to them.
-- An array inside (select ...) hides its length from the planner, which would else plan anew for each length. A limit inside
-- (select ...) lets it read in order by the index: with a limit that it thinks is never reached it would rather sort what a
-- bitmap finds, and a bitmap meets every deleted row again each time, where an index remembers those that are dead.
-- Where rows were found, a condition follows that always holds and that the planner takes for expensive (its second half is never
-- evaluated): reading a whole table then looks as expensive as it is once the table has grown, and prepared statements keep the
-- plan of a small one.
-- Every insert is fed by what a DELETE returned, never by what a SELECT saw: two sequencers that see the same rows
-- delete them only once. A slot is locked as a table before anybody asks whether it is needed, then truncated: an open
-- transaction may hold rows that nobody sees, and only that lock proves that there is none.
-- Durability: the commits of sequencing and of ending a lease do not wait for the disk. The log is written in order, and no
-- handler is called with a number before a later commit, of the lease or of the handler's own transaction, was waited
-- for. A crash that takes the end of a lease back leaves the lease, and so the message is handled again. Numbering that
-- takes leases at once is waited for, as every lease is.
-- Plans: slots have no statistics, and need none. A reader looks no further than the numbers it wants can be (a row has
-- at most :longest of them), so what it reads does not grow with the backlog, whatever plan is chosen.
-- A row of body holds the messages of one call for one partition (see Parcel). Where a segment has rows with several, its
-- lasts tell the number of the last message of each: width_bucket finds the row of a number among them.
-- One small message has no row of body: it is the cargo of its row of incoming, packed, and then of its segment.
-- A part is text that several statements include.

-- part: keep_plan
-- Always true, and nothing is read. The server prefers a plan for these parameters while that looks cheaper than the one for any, and it
-- compares what both cost when they were made: one for full slots with older ones for empty slots, so it would plan anew for as long as
-- slots are full. Of this series it expects a thousand rows in the plan for any parameters, and :keep_plan in one for these.
  (select count(*) from generate_series(1, :keep_plan::int) where (select false)) = 0

-- name: outbox_slots
select last_value as slots from waybill_outbox_slots_sq

-- name: outbox_message_cache
select seqcache as cache from pg_catalog.pg_sequence where seqrelid = '{waybill_outbox_message_sq}'::regclass

-- name: outbox_enqueue
with input as materialized (
  select nextval('{waybill_outbox_message_sq}') as id, t.k, t.partition_id, t.n, t.type, t.message_key, t.headers, t.payload
  from unnest(:partitions::bigint[], :counts::bigint[], :types::text[], :keys::text[], :headers::text[], :payloads::bytea[])
    with ordinality as t (partition_id, n, type, message_key, headers, payload, k)
)
{, body_1 as (
  insert into waybill_outbox_body_1 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_1::int > 0
)}
{, body_2 as (
  insert into waybill_outbox_body_2 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_2::int > 0
)}
{, body_3 as (
  insert into waybill_outbox_body_3 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_3::int > 0
)}
{, incoming_0 as (
  insert into waybill_outbox_incoming_0 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_0::int >= 0
)}
{, incoming_1 as (
  insert into waybill_outbox_incoming_1 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_1::int >= 0
)}
{, incoming_2 as (
  insert into waybill_outbox_incoming_2 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_2::int >= 0
)}
select id, (select last_value from waybill_outbox_slots_sq) as slots from input order by k

-- name: outbox_enqueue_light_0
-- One small message: it is in its row of incoming, which is one row and one entry of an index less.
insert into waybill_outbox_incoming_0 (partition_id, id, created_at, slot, cargo)
values (:partition::bigint, nextval('{waybill_outbox_message_sq}'), (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  :head::smallint, :payload::bytea)
returning id, (select last_value from waybill_outbox_slots_sq) as slots

-- name: outbox_enqueue_light_1
insert into waybill_outbox_incoming_1 (partition_id, id, created_at, slot, cargo)
values (:partition::bigint, nextval('{waybill_outbox_message_sq}'), (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  :head::smallint, :payload::bytea)
returning id, (select last_value from waybill_outbox_slots_sq) as slots

-- name: outbox_enqueue_light_2
insert into waybill_outbox_incoming_2 (partition_id, id, created_at, slot, cargo)
values (:partition::bigint, nextval('{waybill_outbox_message_sq}'), (date_part('epoch', clock_timestamp()) * 1000000)::bigint,
  :head::smallint, :payload::bytea)
returning id, (select last_value from waybill_outbox_slots_sq) as slots

-- name: outbox_enqueue_one
with message as materialized (
  select nextval('{waybill_outbox_message_sq}') as id
)
{, body_1 as (
  insert into waybill_outbox_body_1 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message where :head_1::int > 0
)}
{, body_2 as (
  insert into waybill_outbox_body_2 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message where :head_2::int > 0
)}
{, body_3 as (
  insert into waybill_outbox_body_3 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message where :head_3::int > 0
)}
{, incoming_0 as (
  insert into waybill_outbox_incoming_0 (partition_id, id, slot)
  select :partition::bigint, id, :head::int from message where :intake_0::int >= 0
)}
{, incoming_1 as (
  insert into waybill_outbox_incoming_1 (partition_id, id, slot)
  select :partition::bigint, id, :head::int from message where :intake_1::int >= 0
)}
{, incoming_2 as (
  insert into waybill_outbox_incoming_2 (partition_id, id, slot)
  select :partition::bigint, id, :head::int from message where :intake_2::int >= 0
)}
select id, (select last_value from waybill_outbox_slots_sq) as slots from message

-- name: outbox_enqueue_delayed
with input as materialized (
  select nextval('{waybill_outbox_message_sq}') as id, t.k, t.partition_id, t.n, t.type, t.message_key, t.headers, t.payload,
    coalesce(t.due_at, (date_part('epoch', clock_timestamp()) * 1000000)::bigint + t.delay) as due_at
  from unnest(:partitions::bigint[], :counts::bigint[], :types::text[], :keys::text[], :headers::text[], :payloads::bytea[],
      :due_ats::bigint[], :delays::bigint[])
    with ordinality as t (partition_id, n, type, message_key, headers, payload, due_at, delay, k)
)
{, body_1 as (
  insert into waybill_outbox_body_1 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_1::int > 0 and due_at is null
)}
{, body_2 as (
  insert into waybill_outbox_body_2 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_2::int > 0 and due_at is null
)}
{, body_3 as (
  insert into waybill_outbox_body_3 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where :head_3::int > 0 and due_at is null
)}
{, incoming_0 as (
  insert into waybill_outbox_incoming_0 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_0::int >= 0 and due_at is null
)}
{, incoming_1 as (
  insert into waybill_outbox_incoming_1 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_1::int >= 0 and due_at is null
)}
{, incoming_2 as (
  insert into waybill_outbox_incoming_2 (partition_id, id, slot, n)
  select partition_id, id, :head::int, n from input where :intake_2::int >= 0 and due_at is null
)}
, body as (
  insert into waybill_outbox_body_0 (id, type, message_key, headers, payload)
  select id, type, message_key, headers, payload from input where due_at is not null
), delayed as (
  insert into waybill_outbox_delayed (due_at, id, partition_id)
  select due_at, id, partition_id from input where due_at is not null
)
select id, (select last_value from waybill_outbox_slots_sq) as slots from input order by k

-- name: outbox_promote
with due as (
  delete from waybill_outbox_delayed where ctid = any (array(
    select d.ctid from waybill_outbox_delayed d where d.due_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    order by d.due_at, d.id limit :messages for update skip locked
  ))
  returning partition_id, id
)
{, incoming_0 as (
  insert into waybill_outbox_incoming_0 (partition_id, id, slot)
  select partition_id, id, 0 from due where :intake_0::int >= 0
)}
{, incoming_1 as (
  insert into waybill_outbox_incoming_1 (partition_id, id, slot)
  select partition_id, id, 0 from due where :intake_1::int >= 0
)}
{, incoming_2 as (
  insert into waybill_outbox_incoming_2 (partition_id, id, slot)
  select partition_id, id, 0 from due where :intake_2::int >= 0
)}
select partition_id, count(*) as n from due group by partition_id

-- part: by_place
  and (id > 0 or to_tsvector(slot::text) is null or to_tsvector(slot::text) is null or to_tsvector(slot::text) is null)

-- part: numbering
with locked as materialized (
  select p.id, p.sequence from waybill_outbox_partitions p where p.id = any ((select :partitions::bigint[])::bigint[])
  order by p.id for no key update skip locked
), chosen as materialized (
  select x.place, x.row_at from locked l
  cross join lateral (
    select i.place, i.row_at, sum(i.n) over (order by i.id) - i.n as before from (
      select i.tableoid as place, i.ctid as row_at, i.id, i.n from waybill_outbox_incoming i
      where i.partition_id = l.id order by i.id limit (select :messages::bigint)
    ) i
  ) x
  where x.before < (select :messages::bigint)
), taken_0 as (
  delete from waybill_outbox_incoming_0 where ctid = any (array(
    select c.row_at from chosen c where c.place = '{waybill_outbox_incoming_0}'::regclass
  ))
-- include: by_place
  returning partition_id, id, slot, n, created_at, cargo
), taken_1 as (
  delete from waybill_outbox_incoming_1 where ctid = any (array(
    select c.row_at from chosen c where c.place = '{waybill_outbox_incoming_1}'::regclass
  ))
-- include: by_place
  returning partition_id, id, slot, n, created_at, cargo
), taken_2 as (
  delete from waybill_outbox_incoming_2 where ctid = any (array(
    select c.row_at from chosen c where c.place = '{waybill_outbox_incoming_2}'::regclass
  ))
-- include: by_place
  returning partition_id, id, slot, n, created_at, cargo
), taken as (
  select * from taken_0
  union all select * from taken_1
  union all select * from taken_2
), numbered as (
  -- What stands in one row of outgoing follows each other and is in one slot: of these, so many of other slots came before.
  select t.*, sum(t.n) over w as k,
    row_number() over w - case t.slot
      when 0 then count(*) filter (where t.slot = 0) over w
      when 1 then count(*) filter (where t.slot = 1) over w
      when 2 then count(*) filter (where t.slot = 2) over w
      else count(*) filter (where t.slot = 3) over w
    end as others
  from taken t window w as (partition by t.partition_id order by t.id)
), segments as materialized (
  select c.partition_id, c.slot, l.sequence + max(c.k) as last_seq, sum(c.n) as n, array_agg(c.id order by c.k) as ids,
    case when sum(c.n) > count(*) then array_agg(l.sequence + c.k order by c.k) end as lasts,
    case when count(c.cargo) > 0 then array_agg(c.cargo order by c.k) end as cargo,
    case when count(c.cargo) > 0 then array_agg(c.created_at order by c.k) end as created_ats
  from numbered c join locked l on l.id = c.partition_id
  group by c.partition_id, l.sequence, c.slot, c.others, (c.k - c.n) / :segment
), written_0 as (
  insert into waybill_outbox_outgoing_0 (partition_id, last_seq, n, ids, lasts, cargo, created_ats)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats from segments where slot = 0
), written_1 as (
  insert into waybill_outbox_outgoing_1 (partition_id, last_seq, n, ids, lasts, cargo, created_ats)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats from segments where slot = 1
), written_2 as (
  insert into waybill_outbox_outgoing_2 (partition_id, last_seq, n, ids, lasts, cargo, created_ats)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats from segments where slot = 2
), written_3 as (
  insert into waybill_outbox_outgoing_3 (partition_id, last_seq, n, ids, lasts, cargo, created_ats)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats from segments where slot = 3
), counted as (
  select s.partition_id, sum(s.n)::bigint as n from segments s group by s.partition_id
), moved as (
  update waybill_outbox_partitions p set sequence = p.sequence + c.n from counted c where p.id = c.partition_id
)

-- name: outbox_sequence
-- include: numbering
select l.id, coalesce(c.n, 0) as n, set_config('synchronous_commit', 'off', true) from locked l left join counted c on c.partition_id = l.id
where
-- include: keep_plan

-- name: outbox_sequence_take
-- include: numbering
, wanted as (
  select w.partition_id, w.duration, w.messages
  from unnest((select :wanted::bigint[]), (select :durations::bigint[]), (select :limits::bigint[])) as w (partition_id, duration, messages)
), free as materialized (
  -- Only where nothing waited before: then what was just numbered is all there is.
  select c.partition_id, w.duration, w.messages, l.sequence + n.n as sequence
  from wanted w
  join locked l on l.id = w.partition_id
  join counted n on n.partition_id = w.partition_id
  join waybill_outbox_processor c on c.partition_id = w.partition_id
  where c.processed_seq = l.sequence and c.parked = 0 and c.paused_at is null
    and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
  order by c.partition_id for no key update of c skip locked
), lease as (
  update waybill_outbox_processor c
  set lease_owner = :owner, lease_epoch = c.lease_epoch + 1,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + f.duration,
    attempts = least(c.attempts, 2147483646) + 1
  from free f where c.partition_id = f.partition_id
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, f.sequence, f.messages
), delivered as (
  -- Cargo is at hand. Else from every slot of body: a message may be in one that readers leave out.
  select e.partition_id, e.processed_seq + k.k as seq, k.id, k.n, b.type, b.message_key, b.headers, b.payload, b.created_at,
    sum(octet_length(b.payload)) over (partition by e.partition_id order by k.k) - octet_length(b.payload) as bytes_before
  from lease e
  join numbered k on k.partition_id = e.partition_id and k.k - k.n < e.messages
  left join lateral (
    select '' as type, null as message_key, null as headers, k.cargo as payload, k.created_at where k.cargo is not null
    union all
    select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_0 b
    where b.id = k.id and k.slot = 0 and k.cargo is null
    union all
    select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_1 b
    where b.id = k.id and k.slot = 1 and k.cargo is null
    union all
    select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_2 b
    where b.id = k.id and k.slot = 2 and k.cargo is null
    union all
    select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_3 b
    where b.id = k.id and k.slot = 3 and k.cargo is null
  ) b on true
)
select l.id as partition_id, coalesce(n.n, 0) as numbered, e.processed_seq, e.attempts, e.lease_epoch, e.parked, e.sequence,
  m.seq, m.id, m.n, m.type, m.message_key, m.headers, m.payload, m.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots
from locked l
left join counted n on n.partition_id = l.id
left join lease e on e.partition_id = l.id
left join delivered m on m.partition_id = l.id and (m.bytes_before is null or m.bytes_before < :bytes)
where
-- include: keep_plan
order by l.id, m.seq

-- name: outbox_depart
-- What a transaction has enqueued into one partition, numbered and taken in that transaction, right before its commit. All of
-- it or nothing, and only if nothing else waits there for a number. Others cannot number the partition until that commit,
-- so a client that falls silent before it must not keep them waiting longer than by its lease.
with place as materialized (
  select p.id, p.sequence from waybill_outbox_partitions p
  where p.id = :partition::bigint and current_setting('transaction_isolation') = 'read committed'
    and current_setting('synchronous_commit') <> 'off'
  for no key update skip locked
), free as materialized (
  select c.partition_id, p.sequence from place p
  join waybill_outbox_processor c on c.partition_id = p.id
  where c.processed_seq = p.sequence and c.parked = 0 and c.paused_at is null
    and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint and c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    {and :ids::bigint[] = array(
      select case when i.tableoid = '{waybill_outbox_incoming_0}'::regclass and i.slot = :head and i.n = 1 and :intake_0::int >= 0 then i.id end
      from waybill_outbox_incoming i where i.partition_id = p.id order by i.id limit (select :n::bigint + 1)
    )}
    {and :ids::bigint[] = array(
      select case when i.tableoid = '{waybill_outbox_incoming_1}'::regclass and i.slot = :head and i.n = 1 and :intake_1::int >= 0 then i.id end
      from waybill_outbox_incoming i where i.partition_id = p.id order by i.id limit (select :n::bigint + 1)
    )}
    {and :ids::bigint[] = array(
      select case when i.tableoid = '{waybill_outbox_incoming_2}'::regclass and i.slot = :head and i.n = 1 and :intake_2::int >= 0 then i.id end
      from waybill_outbox_incoming i where i.partition_id = p.id order by i.id limit (select :n::bigint + 1)
    )}
  for no key update of c skip locked
)
{, gone_0 as (
  delete from waybill_outbox_incoming_0 i using free f
  where i.partition_id = f.partition_id and i.id = any (:ids::bigint[]) and :intake_0::int >= 0
  returning i.id, i.created_at, i.cargo
)}
{, gone_1 as (
  delete from waybill_outbox_incoming_1 i using free f
  where i.partition_id = f.partition_id and i.id = any (:ids::bigint[]) and :intake_1::int >= 0
  returning i.id, i.created_at, i.cargo
)}
{, gone_2 as (
  delete from waybill_outbox_incoming_2 i using free f
  where i.partition_id = f.partition_id and i.id = any (:ids::bigint[]) and :intake_2::int >= 0
  returning i.id, i.created_at, i.cargo
)}
, segment as materialized (
  select f.partition_id, f.sequence + count(*) as last_seq, count(*) as n, array_agg(g.id order by g.id) as ids,
    case when count(g.cargo) > 0 then array_agg(g.cargo order by g.id) end as cargo,
    case when count(g.cargo) > 0 then array_agg(g.created_at order by g.id) end as created_ats
  from free f cross join (
    select null::bigint as id, null::bigint as created_at, null::bytea as cargo where false
    {union all select id, created_at, cargo from gone_0 where :intake_0::int >= 0}
    {union all select id, created_at, cargo from gone_1 where :intake_1::int >= 0}
    {union all select id, created_at, cargo from gone_2 where :intake_2::int >= 0}
  ) g
  group by f.partition_id, f.sequence
)
{, written_1 as (
  insert into waybill_outbox_outgoing_1 (partition_id, last_seq, n, ids, cargo, created_ats)
  select partition_id, last_seq, n, ids, cargo, created_ats from segment where :head_1::int > 0
)}
{, written_2 as (
  insert into waybill_outbox_outgoing_2 (partition_id, last_seq, n, ids, cargo, created_ats)
  select partition_id, last_seq, n, ids, cargo, created_ats from segment where :head_2::int > 0
)}
{, written_3 as (
  insert into waybill_outbox_outgoing_3 (partition_id, last_seq, n, ids, cargo, created_ats)
  select partition_id, last_seq, n, ids, cargo, created_ats from segment where :head_3::int > 0
)}
, moved as (
  update waybill_outbox_partitions p set sequence = s.last_seq from segment s where p.id = s.partition_id
), lease as (
  update waybill_outbox_processor c
  set lease_owner = :owner, lease_epoch = c.lease_epoch + 1,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration,
    attempts = least(c.attempts, 2147483646) + 1
  from segment s where c.partition_id = s.partition_id
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, s.last_seq as sequence, s.ids, s.cargo, s.created_ats
)
select e.partition_id, e.processed_seq, e.attempts, e.lease_epoch, e.parked, e.sequence,
  e.processed_seq + m.k as seq, m.id, 1 as n, b.type, b.message_key, b.headers, b.payload, b.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots,
  case when current_setting('idle_in_transaction_session_timeout') = '0'
    then set_config('idle_in_transaction_session_timeout', (:duration / 1000)::text, true)
  end
from lease e
cross join lateral unnest(e.ids, e.cargo, e.created_ats) with ordinality as m (id, cargo, created_at, k)
left join lateral (
  select '' as type, null as message_key, null as headers, m.cargo as payload, m.created_at where m.cargo is not null
  {union all
  select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_1 b where b.id = m.id and :head_1::int > 0}
  {union all
  select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_2 b where b.id = m.id and :head_2::int > 0}
  {union all
  select b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_3 b where b.id = m.id and :head_3::int > 0}
) b on true
order by seq

-- name: outbox_depart_last
-- The last thing of a transaction: one message, numbered and taken at once if nothing stands in the way, so that it is never a
-- row of incoming. Else it is enqueued like any other, a small one as cargo.
with place as materialized (
  select p.id, p.sequence from waybill_outbox_partitions p
  where p.id = :partition::bigint and current_setting('transaction_isolation') = 'read committed'
    and current_setting('synchronous_commit') <> 'off'
  for no key update skip locked
), free as materialized (
  select c.partition_id, p.sequence from place p
  join waybill_outbox_processor c on c.partition_id = p.id
  where c.processed_seq = p.sequence and c.parked = 0 and c.paused_at is null
    and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint and c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and array(
      select i.id from waybill_outbox_incoming i where i.partition_id = p.id order by i.id limit (select 1::bigint)
    ) = array[]::bigint[]
  for no key update of c skip locked
), message as materialized (
  select nextval('{waybill_outbox_message_sq}') as id
)
{, body_1 as (
  insert into waybill_outbox_body_1 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message
  where :head_1::int > 0 and (:heavy::boolean or exists (select from free))
  returning created_at
)}
{, body_2 as (
  insert into waybill_outbox_body_2 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message
  where :head_2::int > 0 and (:heavy::boolean or exists (select from free))
  returning created_at
)}
{, body_3 as (
  insert into waybill_outbox_body_3 (id, type, message_key, headers, payload)
  select id, :type::text, :key::text, :headers::text, :payload::bytea from message
  where :head_3::int > 0 and (:heavy::boolean or exists (select from free))
  returning created_at
)}
{, incoming_0 as (
  insert into waybill_outbox_incoming_0 (partition_id, id, slot, created_at, cargo)
  select :partition::bigint, id, :head::int, (date_part('epoch', clock_timestamp()) * 1000000)::bigint, case when not :heavy::boolean then :payload::bytea end
  from message where :intake_0::int >= 0 and not exists (select from free)
)}
{, incoming_1 as (
  insert into waybill_outbox_incoming_1 (partition_id, id, slot, created_at, cargo)
  select :partition::bigint, id, :head::int, (date_part('epoch', clock_timestamp()) * 1000000)::bigint, case when not :heavy::boolean then :payload::bytea end
  from message where :intake_1::int >= 0 and not exists (select from free)
)}
{, incoming_2 as (
  insert into waybill_outbox_incoming_2 (partition_id, id, slot, created_at, cargo)
  select :partition::bigint, id, :head::int, (date_part('epoch', clock_timestamp()) * 1000000)::bigint, case when not :heavy::boolean then :payload::bytea end
  from message where :intake_2::int >= 0 and not exists (select from free)
)}
{, written_1 as (
  insert into waybill_outbox_outgoing_1 (partition_id, last_seq, n, ids)
  select f.partition_id, f.sequence + 1, 1, array[m.id] from free f cross join message m where :head_1::int > 0
)}
{, written_2 as (
  insert into waybill_outbox_outgoing_2 (partition_id, last_seq, n, ids)
  select f.partition_id, f.sequence + 1, 1, array[m.id] from free f cross join message m where :head_2::int > 0
)}
{, written_3 as (
  insert into waybill_outbox_outgoing_3 (partition_id, last_seq, n, ids)
  select f.partition_id, f.sequence + 1, 1, array[m.id] from free f cross join message m where :head_3::int > 0
)}
, moved as (
  update waybill_outbox_partitions p set sequence = f.sequence + 1 from free f where p.id = f.partition_id
), lease as (
  update waybill_outbox_processor c
  set lease_owner = :owner, lease_epoch = c.lease_epoch + 1,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration,
    attempts = least(c.attempts, 2147483646) + 1
  from free f where c.partition_id = f.partition_id
  returning c.processed_seq, c.attempts, c.lease_epoch, c.parked, f.sequence + 1 as sequence
)
select m.id, e.processed_seq, e.attempts, e.lease_epoch, e.parked, e.sequence,
  (select last_value from waybill_outbox_slots_sq) as slots,
  (
    select b.created_at from (
      select null::bigint as created_at where false
      {union all select created_at from body_1 where :head_1::int > 0}
      {union all select created_at from body_2 where :head_2::int > 0}
      {union all select created_at from body_3 where :head_3::int > 0}
    ) b
  ) as created_at
from message m left join lease e on true

-- name: outbox_lease_end_alone
update waybill_outbox_processor
set processed_seq = :processed_seq, attempts = :attempts, last_error = :last_error,
  not_before = case when :delay > 0 then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :delay else 0 end, lease_until = 0, lease_owner = null
where partition_id = :partition_id and lease_epoch = :epoch and lease_owner = :owner
returning set_config('synchronous_commit', 'off', true)

-- name: outbox_lease_ends
with request as materialized (
  select r.partition_id, r.epoch, r.processed_seq, r.attempts, r.last_error, r.delay
  from unnest((select :partitions::bigint[]), (select :epochs::bigint[]), (select :processed_seqs::bigint[]), (select :attempts::bigint[]),
      (select :last_errors::text[]), (select :delays::bigint[]))
    as r (partition_id, epoch, processed_seq, attempts, last_error, delay)
), ours as materialized (
  select c.partition_id from request r
  join waybill_outbox_processor c on c.partition_id = r.partition_id
  where c.lease_epoch = r.epoch and c.lease_owner = :owner
  order by c.partition_id for no key update of c
)
update waybill_outbox_processor c
set processed_seq = r.processed_seq, attempts = r.attempts, last_error = r.last_error,
  not_before = case when r.delay > 0 then (date_part('epoch', clock_timestamp()) * 1000000)::bigint + r.delay else 0 end,
  lease_until = 0, lease_owner = null
from ours o join request r on r.partition_id = o.partition_id
where c.partition_id = o.partition_id
returning c.partition_id, set_config('synchronous_commit', 'off', true)

-- part: by_index
          and (b.id > 0 or to_tsvector(b.type) is null or to_tsvector(b.type) is null or to_tsvector(b.type) is null)

-- part: reading
  select m.seq, m.id, m.n, m.type, m.message_key, m.headers, m.payload, m.created_at from (
    select coalesce(u.last, s.passed + u.k) as seq, u.id, coalesce(u.last - u.before, 1) as n, u.type, u.message_key, u.headers,
      u.payload, u.created_at,
      sum(octet_length(u.payload)) over (order by s.passed + u.k rows unbounded preceding) - octet_length(u.payload) as bytes_before
    from (
      -- The rows with what is wanted of each segment, and the number before it.
      select greatest(o.last_seq - o.n, l.processed_seq) as passed, o.slot, o.ids[x.first : x.last] as ids,
        o.lasts[x.first : x.last] as lasts, ((o.last_seq - o.n) || o.lasts)[x.first : x.last] as befores,
        o.cargo[x.first : x.last] as cargo, o.created_ats[x.first : x.last] as created_ats
      from (
        select o.last_seq, o.n, o.ids, o.lasts, o.cargo, o.created_ats, 0 as slot from waybill_outbox_outgoing_0 o
        where o.partition_id = l.partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + :longest
        {union all
        select o.last_seq, o.n, o.ids, o.lasts, o.cargo, o.created_ats, :slot_1::int from waybill_outbox_outgoing_1 o
        where o.partition_id = l.partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + :longest}
        {union all
        select o.last_seq, o.n, o.ids, o.lasts, o.cargo, o.created_ats, :slot_2::int from waybill_outbox_outgoing_2 o
        where o.partition_id = l.partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + :longest}
        {union all
        select o.last_seq, o.n, o.ids, o.lasts, o.cargo, o.created_ats, :slot_3::int from waybill_outbox_outgoing_3 o
        where o.partition_id = l.partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + :longest}
      ) o
      cross join lateral (
        select l.processed_seq - (o.last_seq - o.n) + 1 as first, l.processed_seq - (o.last_seq - o.n) + l.messages as last
        where o.lasts is null
        union all
        select width_bucket(l.processed_seq, o.lasts) + 1,
          least(width_bucket(l.processed_seq + l.messages - 1, o.lasts) + 1, cardinality(o.lasts))
        where o.lasts is not null
      ) x
      where o.last_seq - o.n < l.processed_seq + l.messages
    ) s
    cross join lateral (
      select case when s.cargo is null then s.ids else array(select u.id from unnest(s.ids, s.cargo) u (id, cargo) where u.cargo is null) end as rows
      offset 0
    ) w
    cross join lateral (
      -- All bodies of a segment at once, by one look into the index. A full join, though no body has an id that is not wanted:
      -- it is never done row by row, however few the planner expects.
      select e.id, e.last, e.before, e.k, case when e.cargo is null then b.type else '' end as type, b.message_key, b.headers,
        coalesce(e.cargo, b.payload) as payload, coalesce(b.created_at, e.created_at) as created_at
      from unnest(s.ids, s.lasts, s.befores, s.cargo, s.created_ats) with ordinality e (id, last, before, cargo, created_at, k)
      full join (
        select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_0 b
        where b.id = any (w.rows) and s.slot = 0
-- include: by_index
        {union all
        select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_1 b
        where b.id = any (w.rows) and s.slot = :slot_1::int
-- include: by_index
        }
        {union all
        select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_2 b
        where b.id = any (w.rows) and s.slot = :slot_2::int
-- include: by_index
        }
        {union all
        select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at from waybill_outbox_body_3 b
        where b.id = any (w.rows) and s.slot = :slot_3::int
-- include: by_index
        }
      ) b on b.id = e.id
      offset 0
    ) u
  ) m
  where m.bytes_before is null or m.bytes_before < :bytes

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
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence, :messages::bigint as messages
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.n, r.type, r.message_key, r.headers, r.payload, r.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots
from lease l left join lateral (
-- include: reading
) r on true
where
-- include: keep_plan

-- name: outbox_lease_next
with lease as (
  update waybill_outbox_processor c
  set processed_seq = :processed_seq, attempts = 1, last_error = null, not_before = 0,
    lease_until = (date_part('epoch', clock_timestamp()) * 1000000)::bigint + :duration
  from waybill_outbox_partitions p
  where c.partition_id = :partition_id and c.lease_epoch = :epoch and c.lease_owner = :owner and p.id = c.partition_id
  returning c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence, :messages::bigint as messages
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.n, r.type, r.message_key, r.headers, r.payload, r.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots
from lease l left join lateral (
-- include: reading
) r on true
where
-- include: keep_plan

-- name: outbox_lease_round
with request as materialized (
  select r.partition_id, r.epoch, r.processed_seq, r.attempts, r.last_error, r.delay, r.duration, r.messages
  from unnest((select :partitions::bigint[]), (select :epochs::bigint[]), (select :processed_seqs::bigint[]), (select :attempts::bigint[]),
      (select :last_errors::text[]), (select :delays::bigint[]), (select :durations::bigint[]), (select :messages::bigint[]))
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
  r.seq, r.id, r.n, r.type, r.message_key, r.headers, r.payload, r.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots
from moved l left join lateral (
-- include: reading
) r on true
where
-- include: keep_plan

-- name: outbox_cursor_take
with cursor as materialized (
  select c.partition_id, c.processed_seq, c.attempts, c.lease_epoch, c.parked, p.sequence, :messages::bigint as messages from waybill_outbox_processor c
  join waybill_outbox_partitions p on p.id = c.partition_id
  where c.partition_id = :partition_id and c.paused_at is null and c.not_before <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
    and c.lease_until <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint
  for no key update of c skip locked
)
select l.partition_id, l.processed_seq, l.attempts, l.lease_epoch, l.parked, l.sequence,
  r.seq, r.id, r.n, r.type, r.message_key, r.headers, r.payload, r.created_at,
  (select last_value from waybill_outbox_slots_sq) as slots
from cursor l left join lateral (
-- include: reading
) r on true
where
-- include: keep_plan

-- name: outbox_read
select r.seq, r.id, r.n, r.type, r.message_key, r.headers, r.payload, r.created_at
from (select :partition_id::bigint as partition_id, :processed_seq::bigint as processed_seq, :messages::bigint as messages) l
cross join lateral (
-- include: reading
) r

-- name: outbox_vacuum_piece
with mine as materialized (
  select v.partition_id, c.processed_seq from waybill_outbox_vacuum v
  join waybill_outbox_processor c on c.partition_id = v.partition_id
  where v.partition_id = :partition_id
  for no key update of v skip locked
), passed as (
  select o.partition_id, o.last_seq from mine l cross join lateral (
    select o.partition_id, o.last_seq from waybill_outbox_outgoing_0 o
    where o.partition_id = l.partition_id and o.last_seq <= l.processed_seq
      and o.sequenced_at <= (date_part('epoch', clock_timestamp()) * 1000000)::bigint - :retention
    order by o.last_seq limit :segments
  ) o
), outgoing as (
  delete from waybill_outbox_outgoing_0 o using passed
  where o.partition_id = passed.partition_id and o.last_seq = passed.last_seq
  returning o.last_seq, o.n, o.ids
), body as (
  delete from waybill_outbox_body_0 b using (select unnest(ids) as id from outgoing) gone where b.id = gone.id
), progress as (
  update waybill_outbox_vacuum v set vacuumed_seq = reached.last_seq
  from (select max(last_seq) as last_seq from outgoing) reached
  where v.partition_id = :partition_id and reached.last_seq > v.vacuumed_seq
)
select count(*) as segments, coalesce(sum(n), 0)::bigint as messages from outgoing

-- name: outbox_rotation
select r.head, r.intake, r.unread, (date_part('epoch', clock_timestamp()) * 1000000)::bigint - r.turned_at as age,
  (select last_value from waybill_outbox_slots_sq) as told,
  pg_table_size('{waybill_outbox_body_1}') + pg_table_size('{waybill_outbox_outgoing_1}') as bytes_1,
  pg_relation_size('{waybill_outbox_body_1}') + pg_relation_size('{waybill_outbox_outgoing_1}') as used_1,
  pg_table_size('{waybill_outbox_body_2}') + pg_table_size('{waybill_outbox_outgoing_2}') as bytes_2,
  pg_relation_size('{waybill_outbox_body_2}') + pg_relation_size('{waybill_outbox_outgoing_2}') as used_2,
  pg_table_size('{waybill_outbox_body_3}') + pg_table_size('{waybill_outbox_outgoing_3}') as bytes_3,
  pg_relation_size('{waybill_outbox_body_3}') + pg_relation_size('{waybill_outbox_outgoing_3}') as used_3,
  pg_relation_size('{waybill_outbox_incoming_0}') as intake_0,
  pg_relation_size('{waybill_outbox_incoming_1}') as intake_1,
  pg_relation_size('{waybill_outbox_incoming_2}') as intake_2,
  (select coalesce(sum(q.partitions), 0) from waybill_outbox_queues q) as partitions,
  pg_relation_size('{waybill_outbox_partitions}') + pg_relation_size('{waybill_outbox_processor}') as cursors
from waybill_outbox_rotation r
where r.id = 1

-- name: outbox_rotation_lock
select r.head, r.intake, r.unread, (date_part('epoch', clock_timestamp()) * 1000000)::bigint - r.turned_at as age,
  (select last_value from waybill_outbox_slots_sq) as told,
  pg_table_size('{waybill_outbox_body_1}') + pg_table_size('{waybill_outbox_outgoing_1}') as bytes_1,
  pg_relation_size('{waybill_outbox_body_1}') + pg_relation_size('{waybill_outbox_outgoing_1}') as used_1,
  pg_table_size('{waybill_outbox_body_2}') + pg_table_size('{waybill_outbox_outgoing_2}') as bytes_2,
  pg_relation_size('{waybill_outbox_body_2}') + pg_relation_size('{waybill_outbox_outgoing_2}') as used_2,
  pg_table_size('{waybill_outbox_body_3}') + pg_table_size('{waybill_outbox_outgoing_3}') as bytes_3,
  pg_relation_size('{waybill_outbox_body_3}') + pg_relation_size('{waybill_outbox_outgoing_3}') as used_3,
  pg_relation_size('{waybill_outbox_incoming_0}') as intake_0,
  pg_relation_size('{waybill_outbox_incoming_1}') as intake_1,
  pg_relation_size('{waybill_outbox_incoming_2}') as intake_2,
  (select coalesce(sum(q.partitions), 0) from waybill_outbox_queues q) as partitions,
  pg_relation_size('{waybill_outbox_partitions}') + pg_relation_size('{waybill_outbox_processor}') as cursors
from waybill_outbox_rotation r
where r.id = 1
for no key update of r skip locked

-- name: outbox_rotation_turn
with turned as (
  update waybill_outbox_rotation
  set turned_at = case when head = :head then turned_at else (date_part('epoch', clock_timestamp()) * 1000000)::bigint end,
    head = :head, intake = :intake, unread = :unread
  where id = 1
  returning id
)
select setval('{waybill_outbox_slots_sq}', :slots::bigint) from turned

-- name: outbox_lock_timeout
select set_config('lock_timeout', :limit, true)

-- name: outbox_cursors
select pg_relation_size('{waybill_outbox_partitions}') + pg_relation_size('{waybill_outbox_processor}') as bytes

-- name: outbox_cursors_lock
lock table waybill_outbox_partitions, waybill_outbox_processor in access exclusive mode

-- name: outbox_partitions_copy
select coalesce(array_agg(p order by p.id), '{}')::text as copies from waybill_outbox_partitions p

-- name: outbox_partitions_clear
truncate waybill_outbox_partitions

-- name: outbox_partitions_restore
insert into waybill_outbox_partitions overriding system value
select p.* from unnest(:copies::waybill_outbox_partitions[]) p

-- name: outbox_processor_copy
select coalesce(array_agg(c order by c.partition_id), '{}')::text as copies from waybill_outbox_processor c

-- name: outbox_processor_clear
truncate waybill_outbox_processor

-- name: outbox_processor_restore
insert into waybill_outbox_processor
select c.* from unnest(:copies::waybill_outbox_processor[]) c

-- name: outbox_intake_0_lock
lock table waybill_outbox_incoming_0 in access exclusive mode

-- name: outbox_intake_0_used
select count(*) as n from (select 1 from waybill_outbox_incoming_0 limit 1) x

-- name: outbox_intake_0_clear
truncate waybill_outbox_incoming_0

-- name: outbox_intake_1_lock
lock table waybill_outbox_incoming_1 in access exclusive mode

-- name: outbox_intake_1_used
select count(*) as n from (select 1 from waybill_outbox_incoming_1 limit 1) x

-- name: outbox_intake_1_clear
truncate waybill_outbox_incoming_1

-- name: outbox_intake_2_lock
lock table waybill_outbox_incoming_2 in access exclusive mode

-- name: outbox_intake_2_used
select count(*) as n from (select 1 from waybill_outbox_incoming_2 limit 1) x

-- name: outbox_intake_2_clear
truncate waybill_outbox_incoming_2

-- name: outbox_slot_1_lock
lock table waybill_outbox_body_1, waybill_outbox_outgoing_1 in access exclusive mode

-- name: outbox_slot_1_needed
with recursive dirty (id) as (
  select min(partition_id) from waybill_outbox_incoming
  union all
  select (select min(i.partition_id) from waybill_outbox_incoming i where i.partition_id > d.id)
  from dirty d where d.id is not null
)
select count(*) as n from (
  (
    select 1 from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.last_seq, o.sequenced_at from waybill_outbox_outgoing_1 o
      where o.partition_id = p.id order by o.last_seq desc limit 1
    ) o
    where o.last_seq > c.processed_seq or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention
    limit 1
  )
  union all
  (
    select 1 from dirty d cross join lateral (
      select i.id from waybill_outbox_incoming i
      where i.partition_id = d.id and i.slot = 1 and i.cargo is null and i.id <= (select max(b.id) from waybill_outbox_body_1 b)
      order by i.id limit 1
    ) i
    limit 1
  )
) needed

-- name: outbox_slot_1_clear
truncate waybill_outbox_body_1, waybill_outbox_outgoing_1

-- name: outbox_slot_1_messages
select coalesce(sum(o.n), 0)::bigint as messages,
  coalesce(sum(o.n) filter (where o.last_seq > c.processed_seq
    or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention), 0)::bigint as needed
from waybill_outbox_outgoing_1 o
join waybill_outbox_processor c on c.partition_id = o.partition_id
join waybill_outbox_partitions p on p.id = o.partition_id
join waybill_outbox_queues q on q.id = p.queue_id

-- name: outbox_slot_1_carry
with remains as (
  delete from waybill_outbox_outgoing_1 where ctid = any (array(
    select x.row_at from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.ctid as row_at from waybill_outbox_outgoing_1 o
      where o.partition_id = p.id and (o.last_seq > c.processed_seq
        or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention)
      order by o.last_seq limit :segments
    ) x
    limit :segments
  ))
  returning partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at
), outgoing as (
  insert into waybill_outbox_outgoing_0 (partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at from remains
), body as (
  insert into waybill_outbox_body_0 (id, type, message_key, headers, payload, created_at)
  select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at
  from (select unnest(ids) as id from remains) r join waybill_outbox_body_1 b on b.id = r.id
)
select count(*) as segments, coalesce(sum(n), 0)::bigint as messages from remains

-- name: outbox_slot_2_lock
lock table waybill_outbox_body_2, waybill_outbox_outgoing_2 in access exclusive mode

-- name: outbox_slot_2_needed
with recursive dirty (id) as (
  select min(partition_id) from waybill_outbox_incoming
  union all
  select (select min(i.partition_id) from waybill_outbox_incoming i where i.partition_id > d.id)
  from dirty d where d.id is not null
)
select count(*) as n from (
  (
    select 1 from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.last_seq, o.sequenced_at from waybill_outbox_outgoing_2 o
      where o.partition_id = p.id order by o.last_seq desc limit 1
    ) o
    where o.last_seq > c.processed_seq or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention
    limit 1
  )
  union all
  (
    select 1 from dirty d cross join lateral (
      select i.id from waybill_outbox_incoming i
      where i.partition_id = d.id and i.slot = 2 and i.cargo is null and i.id <= (select max(b.id) from waybill_outbox_body_2 b)
      order by i.id limit 1
    ) i
    limit 1
  )
) needed

-- name: outbox_slot_2_clear
truncate waybill_outbox_body_2, waybill_outbox_outgoing_2

-- name: outbox_slot_2_messages
select coalesce(sum(o.n), 0)::bigint as messages,
  coalesce(sum(o.n) filter (where o.last_seq > c.processed_seq
    or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention), 0)::bigint as needed
from waybill_outbox_outgoing_2 o
join waybill_outbox_processor c on c.partition_id = o.partition_id
join waybill_outbox_partitions p on p.id = o.partition_id
join waybill_outbox_queues q on q.id = p.queue_id

-- name: outbox_slot_2_carry
with remains as (
  delete from waybill_outbox_outgoing_2 where ctid = any (array(
    select x.row_at from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.ctid as row_at from waybill_outbox_outgoing_2 o
      where o.partition_id = p.id and (o.last_seq > c.processed_seq
        or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention)
      order by o.last_seq limit :segments
    ) x
    limit :segments
  ))
  returning partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at
), outgoing as (
  insert into waybill_outbox_outgoing_0 (partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at from remains
), body as (
  insert into waybill_outbox_body_0 (id, type, message_key, headers, payload, created_at)
  select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at
  from (select unnest(ids) as id from remains) r join waybill_outbox_body_2 b on b.id = r.id
)
select count(*) as segments, coalesce(sum(n), 0)::bigint as messages from remains

-- name: outbox_slot_3_lock
lock table waybill_outbox_body_3, waybill_outbox_outgoing_3 in access exclusive mode

-- name: outbox_slot_3_needed
with recursive dirty (id) as (
  select min(partition_id) from waybill_outbox_incoming
  union all
  select (select min(i.partition_id) from waybill_outbox_incoming i where i.partition_id > d.id)
  from dirty d where d.id is not null
)
select count(*) as n from (
  (
    select 1 from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.last_seq, o.sequenced_at from waybill_outbox_outgoing_3 o
      where o.partition_id = p.id order by o.last_seq desc limit 1
    ) o
    where o.last_seq > c.processed_seq or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention
    limit 1
  )
  union all
  (
    select 1 from dirty d cross join lateral (
      select i.id from waybill_outbox_incoming i
      where i.partition_id = d.id and i.slot = 3 and i.cargo is null and i.id <= (select max(b.id) from waybill_outbox_body_3 b)
      order by i.id limit 1
    ) i
    limit 1
  )
) needed

-- name: outbox_slot_3_clear
truncate waybill_outbox_body_3, waybill_outbox_outgoing_3

-- name: outbox_slot_3_messages
select coalesce(sum(o.n), 0)::bigint as messages,
  coalesce(sum(o.n) filter (where o.last_seq > c.processed_seq
    or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention), 0)::bigint as needed
from waybill_outbox_outgoing_3 o
join waybill_outbox_processor c on c.partition_id = o.partition_id
join waybill_outbox_partitions p on p.id = o.partition_id
join waybill_outbox_queues q on q.id = p.queue_id

-- name: outbox_slot_3_carry
with remains as (
  delete from waybill_outbox_outgoing_3 where ctid = any (array(
    select x.row_at from waybill_outbox_partitions p
    join waybill_outbox_processor c on c.partition_id = p.id
    join waybill_outbox_queues q on q.id = p.queue_id
    cross join lateral (
      select o.ctid as row_at from waybill_outbox_outgoing_3 o
      where o.partition_id = p.id and (o.last_seq > c.processed_seq
        or o.sequenced_at > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - q.retention)
      order by o.last_seq limit :segments
    ) x
    limit :segments
  ))
  returning partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at
), outgoing as (
  insert into waybill_outbox_outgoing_0 (partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at)
  select partition_id, last_seq, n, ids, lasts, cargo, created_ats, sequenced_at from remains
), body as (
  insert into waybill_outbox_body_0 (id, type, message_key, headers, payload, created_at)
  select b.id, b.type, b.message_key, b.headers, b.payload, b.created_at
  from (select unnest(ids) as id from remains) r join waybill_outbox_body_3 b on b.id = r.id
)
select count(*) as segments, coalesce(sum(n), 0)::bigint as messages from remains

-- name: outbox_notify
select pg_notify(:channel, :text)

-- name: outbox_look
select u.seq, u.n, u.cargo or b.id is not null as body
from (
  select coalesce(e.last, s.last_seq - s.n + e.k) as seq, coalesce(e.last - e.before, 1) as n, e.id, e.cargo is not null as cargo, s.slot
  from (select :processed_seq::bigint as processed_seq, :messages::bigint as messages, :longest::bigint as longest) l
  cross join lateral (
    select o.last_seq, o.n, o.ids, o.lasts, o.cargo, 0 as slot from waybill_outbox_outgoing_0 o
    where o.partition_id = :partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + l.longest
    union all
    select o.last_seq, o.n, o.ids, o.lasts, o.cargo, 1 from waybill_outbox_outgoing_1 o
    where o.partition_id = :partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + l.longest
    union all
    select o.last_seq, o.n, o.ids, o.lasts, o.cargo, 2 from waybill_outbox_outgoing_2 o
    where o.partition_id = :partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + l.longest
    union all
    select o.last_seq, o.n, o.ids, o.lasts, o.cargo, 3 from waybill_outbox_outgoing_3 o
    where o.partition_id = :partition_id and o.last_seq > l.processed_seq and o.last_seq < l.processed_seq + l.messages + l.longest
  ) s
  cross join lateral unnest(s.ids, s.lasts, (s.last_seq - s.n) || s.lasts, s.cargo) with ordinality e (id, last, before, cargo, k)
  where e.id is not null and coalesce(e.last, s.last_seq - s.n + e.k) > l.processed_seq
    and coalesce(e.before, s.last_seq - s.n + e.k - 1) < l.processed_seq + l.messages
) u
left join lateral (
  select b.id from waybill_outbox_body_0 b where b.id = u.id and u.slot = 0
  union all
  select b.id from waybill_outbox_body_1 b where b.id = u.id and u.slot = 1
  union all
  select b.id from waybill_outbox_body_2 b where b.id = u.id and u.slot = 2
  union all
  select b.id from waybill_outbox_body_3 b where b.id = u.id and u.slot = 3
) b on true

-- name: outbox_dedup_claimed
select dedup_key, message_id from waybill_outbox_dedup where queue_id = :queue_id and dedup_key in ((:dedup_key)...)

-- name: outbox_dedup_name
insert into waybill_outbox_dedup (queue_id, dedup_key, message_id, expires_at)
values (:queue_id, :dedup_key, :message_id, 0)...
on conflict (queue_id, dedup_key) do update set message_id = excluded.message_id
