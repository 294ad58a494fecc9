drop index if exists {schema}.waybill_parcel_weight_ix;
drop trigger if exists waybill_parcel_log_tg on waybill_parcel;
drop function if exists waybill_write_log();
drop table if exists waybill_parcel_log;
