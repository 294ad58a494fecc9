create table waybill_parcel (
  id integer not null,
  title text not null, -- a name; for people
  weight integer not null default 0,
  request_key text,
  primary key (id)
);

create table waybill_label (
  id integer not null,
  request_key text,
  primary key (id)
);

insert into waybill_parcel (id, title) values (1, 'the first; not the last');
