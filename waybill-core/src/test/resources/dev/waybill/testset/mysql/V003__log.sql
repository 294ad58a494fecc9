create table waybill_parcel_log (
  parcel_id bigint not null,
  entry varchar(100) not null
) engine = InnoDB default character set utf8mb4;

create trigger {schema}.waybill_parcel_log_tg after insert on waybill_parcel
for each row
begin
  insert into waybill_parcel_log values (new.id, case when new.weight > 9 then 'heavy' else 'light' end);
  if new.title = '' then
    insert into waybill_parcel_log values (new.id, 'untitled; waybill_parcel');
  end if;
end;

create index waybill_parcel_weight_ix on waybill_parcel (weight);
