drop table if exists waybill_schema_cutover;
drop table if exists waybill_schema_fence;
