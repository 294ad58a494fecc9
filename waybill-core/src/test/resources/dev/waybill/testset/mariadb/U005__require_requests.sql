alter table waybill_label drop constraint if exists waybill_label_request_ck;
alter table waybill_parcel drop constraint if exists waybill_parcel_request_ck;
delete from waybill_schema_cutover where name = 'require_requests';
