-- The fence: a migration that older releases cannot live with leaves a row here.
-- fence: every release from the first on keeps its fence.
create table waybill_schema_fence (
  version integer not null primary key,
  library_version text not null,
  recorded_at integer not null
);

-- Which cutovers are complete: written when no row of the old shape is left.
create table waybill_schema_cutover (
  name text not null primary key,
  validated_at integer not null
);
