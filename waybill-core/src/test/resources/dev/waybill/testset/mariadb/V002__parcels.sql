create table waybill_parcel (
  id bigint not null,
  title varchar(100) not null, -- a name; for people
  weight bigint not null default 0,
  request_key varchar(100),
  primary key (id)
) engine = InnoDB default character set utf8mb4;

create table waybill_label (
  id bigint not null,
  request_key varchar(100),
  primary key (id)
) engine = InnoDB default character set utf8mb4;

insert into waybill_parcel (id, title) values (1, 'the first; not the last');
