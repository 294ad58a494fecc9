alter table waybill_parcel add column request text;
alter table waybill_label add column request text;
