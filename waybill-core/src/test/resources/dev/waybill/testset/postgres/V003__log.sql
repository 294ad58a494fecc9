create table waybill_parcel_log (
  parcel_id bigint not null,
  entry varchar(100) not null
);

create function waybill_write_log() returns trigger language plpgsql as $body$
begin
  insert into waybill_parcel_log values (new.id, case when new.weight > 9 then 'heavy' else 'light' end);
  if new.title = '' then
    insert into waybill_parcel_log values (new.id, 'untitled; waybill_parcel');
  end if;
  return new;
end
$body$;

create trigger waybill_parcel_log_tg after insert on waybill_parcel
for each row execute function waybill_write_log();

create index waybill_parcel_weight_ix on waybill_parcel (weight);
