package dev.waybill.bench.contender;

import dev.waybill.bench.load.Parcel;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** One statement for one message on PostgreSQL; bodies and then rows in pieces of 100 otherwise. */
final class ReferenceEnqueue {
  private static final int PIECE = 100;
  private static final String ONE =
      "with b as (insert into ref_body (payload, payload_type) values (?, ?) returning id)"
          + " insert into ref_incoming (partition_id, body_id) select ?, id from b returning id";

  private final Stage stage;

  ReferenceEnqueue(Stage stage) {
    this.stage = stage;
  }

  void insert(Connection connection, List<Parcel> parcels) throws SQLException {
    if (parcels.size() == 1 && stage.isPostgres()) {
      one(connection, parcels.get(0));
      return;
    }
    for (int from = 0; from < parcels.size(); from += PIECE) {
      piece(connection, parcels.subList(from, Math.min(parcels.size(), from + PIECE)));
    }
  }

  private void one(Connection connection, Parcel parcel) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(ONE)) {
      insert.setBytes(1, bytes(parcel));
      insert.setString(2, "parcel");
      insert.setLong(3, ReferenceTables.partition(stage, parcel));
      try (ResultSet row = insert.executeQuery()) {
        row.next();
      }
    }
  }

  private void piece(Connection connection, List<Parcel> parcels) throws SQLException {
    List<Long> bodies = insertBodies(connection, parcels);
    int[] next = {0};
    Rows.insert(
        connection,
        "insert into ref_incoming (partition_id, body_id) values",
        "(?, ?)",
        parcels,
        (statement, at, parcel) -> {
          statement.setLong(at, ReferenceTables.partition(stage, parcel));
          statement.setLong(at + 1, bodies.get(next[0]++));
          return at + 2;
        });
  }

  private static List<Long> insertBodies(Connection connection, List<Parcel> parcels)
      throws SQLException {
    String text =
        Rows.text("insert into ref_body (payload, payload_type) values", "(?, ?)", parcels.size());
    List<Long> ids = new ArrayList<>(parcels.size());
    try (PreparedStatement insert =
        connection.prepareStatement(text, Statement.RETURN_GENERATED_KEYS)) {
      Rows.bind(
          insert,
          parcels,
          (statement, at, parcel) -> {
            statement.setBytes(at, bytes(parcel));
            statement.setString(at + 1, "parcel");
            return at + 2;
          });
      insert.executeUpdate();
      try (ResultSet row = insert.getGeneratedKeys()) {
        while (row.next()) {
          ids.add(row.getLong(1));
        }
      }
    }
    // A driver that reports the first of consecutive ids alone: the reference infers the others.
    while (ids.size() < parcels.size()) {
      ids.add(ids.get(ids.size() - 1) + 1);
    }
    return ids;
  }

  private static byte[] bytes(Parcel parcel) {
    return parcel.text().getBytes(StandardCharsets.UTF_8);
  }
}
