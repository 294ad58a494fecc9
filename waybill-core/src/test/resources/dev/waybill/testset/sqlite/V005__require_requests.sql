-- fence: releases before this one write keys without requests.
create trigger waybill_parcel_insert_tg before insert on waybill_parcel
when new.request_key is not null and new.request is null
begin
  select raise(abort, 'waybill_parcel_request_ck: a key needs its request');
end;

create trigger waybill_parcel_update_tg before update on waybill_parcel
when new.request_key is not null and new.request is null
begin
  select raise(abort, 'waybill_parcel_request_ck: a key needs its request');
end;

create trigger waybill_label_insert_tg before insert on waybill_label
when new.request_key is not null and new.request is null
begin
  select raise(abort, 'waybill_label_request_ck: a key needs its request');
end;

create trigger waybill_label_update_tg before update on waybill_label
when new.request_key is not null and new.request is null
begin
  select raise(abort, 'waybill_label_request_ck: a key needs its request');
end;
