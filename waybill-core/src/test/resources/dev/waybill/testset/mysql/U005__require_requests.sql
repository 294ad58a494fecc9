drop trigger if exists {schema}.waybill_label_update_tg;
drop trigger if exists {schema}.waybill_label_insert_tg;
drop trigger if exists {schema}.waybill_parcel_update_tg;
drop trigger if exists {schema}.waybill_parcel_insert_tg;
delete from waybill_schema_cutover where name = 'require_requests';
