create table waybill_parcel_log (
  parcel_id integer not null,
  entry text not null
);

create trigger waybill_parcel_log_tg after insert on waybill_parcel
begin
  insert into waybill_parcel_log values (new.id, case when new.weight > 9 then 'heavy' else 'light' end);
  insert into waybill_parcel_log select new.id, 'untitled; waybill_parcel' where new.title = '';
end;

create index waybill_parcel_weight_ix on waybill_parcel (weight);
