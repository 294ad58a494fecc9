-- What the doctor asks every database.
--
-- Tables: the catalogue; waybill_outbox_partitions, processor and queues as a whole, which have a row per partition.
-- Locking: none. All of it is read on a snapshot that the database refuses any write.

-- name: doctor_clock
select (date_part('epoch', clock_timestamp()) * 1000000)::bigint as now

-- name: doctor_tables
select c.relname as name, '' as engine
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = :schema and c.relkind in ('r', 'p') and c.relname in ((:name)...)

-- name: doctor_indexes
select t.relname as table_name, c.relname as name, i.indisvalid as valid
from pg_catalog.pg_class t
join pg_catalog.pg_namespace n on n.oid = t.relnamespace
join pg_catalog.pg_index i on i.indrelid = t.oid
join pg_catalog.pg_class c on c.oid = i.indexrelid
where n.nspname = :schema and t.relname in ((:name)...)
limit 5000

-- name: doctor_lagging
select p.id, q.name, p.number
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
join waybill_outbox_queues q on q.id = p.queue_id
where p.sequence > c.processed_seq
order by p.id limit :rows
