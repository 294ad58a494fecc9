package dev.waybill.bench.contender;

import dev.waybill.bench.load.Parcel;
import java.sql.SQLException;

/** The reference's tables, with all of its keys and indexes. */
final class ReferenceTables {
  private ReferenceTables() {}

  static void create(Stage on) throws SQLException {
    boolean postgres = on.isPostgres();
    String bytes = postgres ? "bytea" : "longblob";
    String time =
        postgres
            ? "timestamptz not null default now()"
            : "timestamp(6) not null default current_timestamp(6)";
    String until = postgres ? "timestamptz" : "timestamp(6) null";
    String partition = "partition_id bigint not null references ref_partitions (id)";
    on.execute(
        "create table ref_body (id "
            + on.identity()
            + ", payload "
            + bytes
            + " not null, payload_type varchar(1024) not null, created_at "
            + time
            + ")",
        "create table ref_partitions (id bigint primary key, queue varchar(250) not null,"
            + " number smallint not null, sequence bigint not null default 0,"
            + " unique (queue, number))",
        "create table ref_incoming (id "
            + on.identity()
            + ", "
            + partition
            + ", body_id bigint not null references ref_body (id))",
        "create index ref_incoming_partition on ref_incoming (partition_id, id)",
        "create index ref_incoming_body on ref_incoming (body_id)",
        "create table ref_outgoing (id "
            + on.identity()
            + ", "
            + partition
            + ", body_id bigint not null references ref_body (id), seq bigint not null,"
            + " sequenced_at "
            + time
            + ", unique (partition_id, seq))",
        "create index ref_outgoing_body on ref_outgoing (body_id)",
        "create table ref_processor (partition_id bigint primary key references ref_partitions (id),"
            + " processed_seq bigint not null default 0, attempts smallint not null default 0,"
            + " last_error text, locked_by varchar(1024), locked_until "
            + until
            + ")",
        "create table ref_vacuum_counter (partition_id bigint primary key"
            + " references ref_partitions (id), counter bigint not null default 0)");
    for (int id = 1; id <= on.lanes(); id++) {
      on.execute(
          "insert into ref_partitions (id, queue, number) values (" + id + ", 'q', " + id + ")",
          "insert into ref_processor (partition_id) values (" + id + ")",
          "insert into ref_vacuum_counter (partition_id) values (" + id + ")");
    }
  }

  static int partition(Stage on, Parcel parcel) {
    return on.lane(parcel.key()) + 1;
  }
}
