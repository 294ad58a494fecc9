-- The fence: a migration that older releases cannot live with leaves a row here.
-- fence: every release from the first on keeps its fence.
create table waybill_schema_fence (
  version bigint not null,
  library_version text not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint waybill_schema_fence_pk primary key (version)
);

-- Which cutovers are complete: written when no row of the old shape is left.
create table waybill_schema_cutover (
  name text not null,
  validated_at timestamp with time zone not null default clock_timestamp(),
  constraint waybill_schema_cutover_pk primary key (name)
);
