drop index if exists waybill_parcel_weight_ix;
drop trigger if exists waybill_parcel_log_tg;
drop table if exists waybill_parcel_log;
