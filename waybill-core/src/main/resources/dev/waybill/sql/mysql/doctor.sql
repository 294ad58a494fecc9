-- What the doctor asks every database.
--
-- Tables: the catalogue; waybill_outbox_partitions, processor and queues as a whole, which have a row per partition.
-- Locking: none. All of it is read on a snapshot that the database refuses any write.

-- name: doctor_clock
select timestampdiff(microsecond, '1970-01-01', utc_timestamp(6)) as now

-- name: doctor_tables
select table_name as name, coalesce(engine, '') as engine
from information_schema.tables
where table_schema = :schema and table_type = 'BASE TABLE' and table_name in ((:name)...)

-- name: doctor_indexes
select distinct table_name as table_name, index_name as name, 1 as valid
from information_schema.statistics
where table_schema = :schema and table_name in ((:name)...)
limit 5000

-- name: doctor_lagging
select p.id, q.name, p.number
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
join waybill_outbox_queues q on q.id = p.queue_id
where p.sequence > c.processed_seq
order by p.id limit :rows
