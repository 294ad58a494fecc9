-- What the doctor asks every database.
--
-- Tables: the catalogue; waybill_outbox_partitions, processor and queues as a whole, which have a row per partition.
-- Locking: none. All of it is read on a snapshot that the database refuses any write.

-- name: doctor_clock
select cast(round((julianday('now') - 2440587.5) * 86400000) as integer) * 1000 as now

-- name: doctor_tables
select name, '' as engine from sqlite_master
where type = 'table' and coalesce(:schema, '') = '' and name collate nocase in ((:name)...)

-- name: doctor_indexes
select tbl_name as table_name, name, 1 as valid from sqlite_master
where type = 'index' and coalesce(:schema, '') = '' and tbl_name collate nocase in ((:name)...)
limit 5000

-- name: doctor_lagging
select p.id, q.name, p.number
from waybill_outbox_partitions p
join waybill_outbox_processor c on c.partition_id = p.id
join waybill_outbox_queues q on q.id = p.queue_id
where p.sequence > c.processed_seq
order by p.id limit :rows
