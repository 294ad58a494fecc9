drop table if exists waybill_label;
drop table if exists waybill_parcel;
