drop index if exists waybill_parcel_weight_ix on waybill_parcel;
drop trigger if exists {schema}.waybill_parcel_log_tg;
drop table if exists waybill_parcel_log;
