set @undo = (
  select if(count(*) = 0, 'do 0', 'alter table {waybill_label} drop column request')
  from information_schema.columns
  where table_schema = '{schema}' and table_name = 'waybill_label' and column_name = 'request'
);
prepare undoing from @undo;
execute undoing;
deallocate prepare undoing;
set @undo = (
  select if(count(*) = 0, 'do 0', 'alter table {waybill_parcel} drop column request')
  from information_schema.columns
  where table_schema = '{schema}' and table_name = 'waybill_parcel' and column_name = 'request'
);
prepare undoing from @undo;
execute undoing;
deallocate prepare undoing;
