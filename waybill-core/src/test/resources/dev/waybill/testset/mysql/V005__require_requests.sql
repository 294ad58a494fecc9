-- fence: releases before this one write keys without requests.
create trigger {schema}.waybill_parcel_insert_tg before insert on waybill_parcel
for each row
begin
  if new.request_key is not null and new.request is null then
    signal sqlstate '45000' set message_text = 'waybill_parcel_request_ck: a key needs its request';
  end if;
end;

create trigger {schema}.waybill_parcel_update_tg before update on waybill_parcel
for each row
begin
  if new.request_key is not null and new.request is null then
    signal sqlstate '45000' set message_text = 'waybill_parcel_request_ck: a key needs its request';
  end if;
end;

create trigger {schema}.waybill_label_insert_tg before insert on waybill_label
for each row
begin
  if new.request_key is not null and new.request is null then
    signal sqlstate '45000' set message_text = 'waybill_label_request_ck: a key needs its request';
  end if;
end;

create trigger {schema}.waybill_label_update_tg before update on waybill_label
for each row
begin
  if new.request_key is not null and new.request is null then
    signal sqlstate '45000' set message_text = 'waybill_label_request_ck: a key needs its request';
  end if;
end;
