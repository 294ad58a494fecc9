-- The fence: a migration that older releases cannot live with leaves a row here.
-- fence: every release from the first on keeps its fence.
create table waybill_schema_fence (
  version bigint not null,
  library_version varchar(100) not null,
  recorded_at datetime(6) not null,
  primary key (version)
) engine = InnoDB default character set utf8mb4;

-- Which cutovers are complete: written when no row of the old shape is left.
create table waybill_schema_cutover (
  name varchar(100) character set ascii not null,
  validated_at datetime(6) not null,
  primary key (name)
) engine = InnoDB default character set utf8mb4;
