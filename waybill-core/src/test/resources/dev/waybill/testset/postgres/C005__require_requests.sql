-- name: validated
select count(*) = 2 as validated
from pg_catalog.pg_constraint c
join pg_catalog.pg_class t on t.oid = c.conrelid
join pg_catalog.pg_namespace n on n.oid = t.relnamespace
where c.convalidated and n.nspname = '{schema}'
  and (t.relname, c.conname) in (
    ('waybill_parcel', 'waybill_parcel_request_ck'), ('waybill_label', 'waybill_label_request_ck')
  )

-- name: legacy
select 'parcels' as what, count(*) as n from waybill_parcel where request_key is not null and request is null
union all
select 'labels', count(*) from waybill_label where request_key is not null and request is null

-- name: validate
alter table waybill_parcel validate constraint waybill_parcel_request_ck;
alter table waybill_label validate constraint waybill_label_request_ck;
