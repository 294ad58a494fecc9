package dev.waybill.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CountingDataSourceTest {
  private final TestDatabase database = TestDatabase.inFile();
  private final Calls calls = new Calls();

  @BeforeEach
  void makeTable() throws Exception {
    database.execute("create table parcel (id int)");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private Connection connect() throws Exception {
    return CountingDataSource.over(database.dataSource(), calls, false).getConnection();
  }

  @Test
  void aStatementInAutoCommitModeIsACommit() throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("insert into parcel values (1)");
    }
    assertThat(calls.count()).isEqualTo(new Calls.Count(1, 1, 1));
  }

  @Test
  void aTransactionIsOneCommitAndTheCommitIsARoundTrip() throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("insert into parcel values (1)");
      statement.execute("insert into parcel values (2)");
      connection.commit();
      connection.commit();
    }
    assertThat(calls.count()).isEqualTo(new Calls.Count(2, 3, 1));
  }

  @Test
  void aBatchIsOneRoundTripOfManyStatements() throws Exception {
    try (Connection connection = connect();
        PreparedStatement insert = connection.prepareStatement("insert into parcel values (?)")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        insert.setInt(1, i);
        insert.addBatch();
      }
      insert.executeBatch();
      connection.rollback();
    }
    assertThat(calls.count()).isEqualTo(new Calls.Count(3, 2, 0));
  }
}
