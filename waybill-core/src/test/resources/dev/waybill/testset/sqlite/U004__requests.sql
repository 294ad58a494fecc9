alter table waybill_label drop column request;
alter table waybill_parcel drop column request;
