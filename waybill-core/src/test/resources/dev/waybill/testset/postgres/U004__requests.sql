alter table waybill_label drop column if exists request;
alter table waybill_parcel drop column if exists request;
