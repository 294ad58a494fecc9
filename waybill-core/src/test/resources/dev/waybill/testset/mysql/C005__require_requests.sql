-- name: validated
select count(*) = 1 as validated from waybill_schema_cutover where name = 'require_requests'

-- name: legacy
select 'parcels' as what, count(*) as n from waybill_parcel where request_key is not null and request is null
union all
select 'labels', count(*) from waybill_label where request_key is not null and request is null

-- name: validate
insert ignore into waybill_schema_cutover (name, validated_at)
select 'require_requests', utc_timestamp(6)
from dual
where not exists (select 1 from waybill_parcel where request_key is not null and request is null)
  and not exists (select 1 from waybill_label where request_key is not null and request is null);
