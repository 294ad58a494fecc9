-- MySQL cannot drop an index if it exists, and a migration may have stopped before it made it.
set @undo = (
  select if(count(*) = 0, 'do 0', 'drop index waybill_parcel_weight_ix on {waybill_parcel}')
  from information_schema.statistics
  where table_schema = '{schema}' and table_name = 'waybill_parcel' and index_name = 'waybill_parcel_weight_ix'
);
prepare undoing from @undo;
execute undoing;
deallocate prepare undoing;
drop trigger if exists {schema}.waybill_parcel_log_tg;
drop table if exists waybill_parcel_log;
