package dev.waybill.internal.schema;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a printed script as an operator's client would: statement by statement, on one connection.
 */
final class Script {
  private Script() {}

  static void run(TestDatabase database, String script) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      for (String each : statements(script)) {
        statement.execute(each);
      }
    }
  }

  /** Knows the {@code delimiter} command of MySQL's clients. */
  static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    String[] parts = script.split("(?m)^delimiter .*\\R", -1);
    for (int i = 0; i < parts.length; i++) {
      if (i % 2 == 1) {
        statements.add(parts[i].strip().replaceFirst("//$", ""));
      } else {
        statements.addAll(Migration.split(parts[i]));
      }
    }
    return statements;
  }
}
