-- What only PostgreSQL needs to read dead letters.
--
-- Tables: waybill_outbox_partitions, whose rows are written anew now and then (see Rotation). Who reads on a snapshot
-- from before would find it empty, so the table is held first; a LOCK takes no snapshot.

-- name: dead_letters_hold_names
lock table waybill_outbox_partitions in access share mode
