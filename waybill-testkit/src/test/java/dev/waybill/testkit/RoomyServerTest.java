package dev.waybill.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class RoomyServerTest {

  @Test
  void isDurableAndNotShortOfMemoryAndTakesDatabasesOfOthers() throws SQLException {
    try (TestServer server = TestServer.roomy(DatabaseProduct.POSTGRESQL)) {
      TestDatabase first = server.database();
      assertThat(show(first, "shared_buffers")).isEqualTo("512MB");
      assertThat(show(first, "fsync")).isEqualTo("on");
      assertThat(show(first, "synchronous_commit")).isEqualTo("on");
      assertThat(ProcessHandle.of(server.pid())).isPresent();

      TestDatabase second =
          TestDatabase.onServer(
              DatabaseProduct.POSTGRESQL,
              first.url() + "?user=" + first.user() + "&password=" + first.password());
      assertThat(second.url()).isNotEqualTo(first.url());
      TestDatabase same =
          TestDatabase.existing(
              DatabaseProduct.POSTGRESQL, second.url(), second.user(), second.password());
      same.execute("create table parcel (id int)");
      same.close();
      second.execute("insert into parcel values (1)");
      second.close();
      assertThatThrownBy(second::connect).isInstanceOf(SQLException.class);
    }
  }

  private static String show(TestDatabase database, String setting) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("show " + setting)) {
      row.next();
      return row.getString(1);
    }
  }
}
