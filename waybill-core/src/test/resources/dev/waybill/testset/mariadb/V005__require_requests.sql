-- fence: releases before this one write keys without requests.
set statement check_constraint_checks = 0 for
alter table waybill_parcel add constraint waybill_parcel_request_ck
  check (request_key is null or request is not null);

set statement check_constraint_checks = 0 for
alter table waybill_label add constraint waybill_label_request_ck
  check (request_key is null or request is not null);
