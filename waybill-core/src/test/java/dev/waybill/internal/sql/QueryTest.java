package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.DatabaseException;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.NotOn;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@EveryDatabase(alsoOldest = true)
@Timeout(120)
class QueryTest {
  private static final byte[] BYTES = {0, 1, -1, 39, 92, 127, -128};

  private final TestDatabase database;
  private final Database own;

  QueryTest(TestDatabase database) {
    this.database = database.fresh();
    this.own = open(this.database.dataSource());
  }

  private static Database open(DataSource source) {
    return Database.open(source, Naming.standard(), List.of(), Retry.never());
  }

  @BeforeEach
  void createTable() throws SQLException {
    database.execute(
        switch (own.dialect()) {
          case POSTGRES ->
              "create table waybill_sample (n bigint, s text, b bytea, f boolean, t timestamptz)";
          case MYSQL, MARIADB ->
              "create table waybill_sample (n bigint, s text, b blob, f boolean, t datetime(6))"
                  + " default character set utf8mb4";
          case SQLITE ->
              "create table waybill_sample (n integer, s text, b blob, f integer, t integer)";
        });
  }

  /** How the dialect's files turn microseconds into its own type. */
  private String toTime(String parameter) {
    return switch (own.dialect()) {
      case POSTGRES -> "timestamptz 'epoch' + " + parameter + " * interval '1 microsecond'";
      case MYSQL, MARIADB -> "timestampadd(microsecond, " + parameter + ", '1970-01-01')";
      case SQLITE -> parameter;
    };
  }

  private String fromTime() {
    return switch (own.dialect()) {
      case POSTGRES -> "(extract(epoch from t) * 1000000)::bigint";
      case MYSQL, MARIADB -> "timestampdiff(microsecond, '1970-01-01', t)";
      case SQLITE -> "t";
    };
  }

  private static <T> T transact(Database database, Function<Tx, T> work) {
    return database.transact(work);
  }

  @Test
  void timesSurviveToTheMicrosecondWhateverTheTimeZones() throws SQLException {
    Instant[] times = {
      Instant.parse("2026-03-29T01:30:00.123456Z"),
      Instant.parse("2026-10-25T00:59:59.999999Z"),
      Instant.EPOCH,
      Instant.parse("1969-12-31T23:59:59.999999Z"),
      Instant.parse("2255-01-01T00:00:00.000001Z"),
    };
    for (DataSource source : Sources.throughEachDriver(database)) {
      List<Instant> back =
          transact(
              open(source),
              tx -> {
                switch (own.dialect()) {
                  case POSTGRES -> tx.script("set local time zone 'America/St_Johns'");
                  case MYSQL, MARIADB -> tx.script("set time_zone = '-03:30'");
                  case SQLITE -> {}
                }
                tx.query("delete from waybill_sample").update();
                for (int i = 0; i < times.length; i++) {
                  tx.query("insert into waybill_sample (n, t) values (:n, " + toTime(":t") + ")")
                      .set("n", i)
                      .time("t", times[i])
                      .update();
                }
                return tx.query("select " + fromTime() + " as t from waybill_sample order by n")
                    .list(row -> row.time("t"));
              });
      assertThat(back).containsExactly(times);
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MARIADB, DatabaseProduct.MYSQL, DatabaseProduct.SQLITE},
      why = "they keep no plans")
  void whatIsToBePlannedAnewIsNeverPreparedForGood() {
    String kept = "select n from waybill_sample where n = :n";
    String anew = "-- plan: anew\nselect s from waybill_sample where n = :n";
    List<String> prepared =
        transact(
            open(database.pool(1)),
            tx -> {
              for (int i = 0; i < 10; i++) {
                tx.query(kept).set("n", 1L).list(row -> row.number("n"));
                tx.query(anew).set("n", 1L).list(row -> row.text("s"));
              }
              return tx.query("select statement from pg_prepared_statements")
                  .list(row -> row.text("statement"));
            });
    assertThat(prepared)
        .anyMatch(statement -> statement.startsWith("select n"))
        .noneMatch(statement -> statement.startsWith("select s "));
  }

  @Test
  void everyTypeGoesThereAndBackThroughEachDriver() throws SQLException {
    Instant now = Instant.parse("2030-01-02T03:04:05.000006Z");
    String text = "it's \\ \"ä\" 🚚 :x ?";
    for (DataSource source : Sources.throughEachDriver(database)) {
      transact(
          open(source),
          tx -> {
            tx.query("delete from waybill_sample").update();
            tx.query(
                    "insert into waybill_sample (n, s, b, f, t) values (:n, :s, :b, :f, "
                        + toTime(":t")
                        + ")")
                .set("n", Long.MIN_VALUE)
                .set("s", text)
                .set("b", BYTES)
                .set("f", true)
                .set("t", now)
                .update();
            return tx.query("select n, s, b, f, " + fromTime() + " as t from waybill_sample")
                .one(
                    row -> {
                      assertThat(row.number("n")).isEqualTo(Long.MIN_VALUE);
                      assertThat(row.text("s")).isEqualTo(text);
                      assertThat(row.textOrNull("s")).isEqualTo(text);
                      assertThat(row.bytesOrNull("b")).isEqualTo(BYTES);
                      assertThat(row.flag("f")).isTrue();
                      assertThat(row.time("t")).isEqualTo(now);
                      assertThat(row.timeOrNull("t")).isEqualTo(now);
                      return true;
                    });
          });
    }
  }

  @Test
  void nullsOfEveryTypeGoThereAndBackThroughEachDriver() throws SQLException {
    for (DataSource source : Sources.throughEachDriver(database)) {
      transact(
          open(source),
          tx -> {
            tx.query("delete from waybill_sample").update();
            tx.query(
                    "insert into waybill_sample (n, s, b, f, t) values (:n, :s, :b, :f, "
                        + toTime(":t")
                        + ")")
                .set("n", null)
                .set("s", null)
                .set("b", null)
                .set("f", null)
                .time("t", null)
                .update();
            return tx.query("select n, s, b, f, " + fromTime() + " as t from waybill_sample")
                .one(
                    row -> {
                      assertThat(row.textOrNull("s")).isNull();
                      assertThat(row.bytesOrNull("b")).isNull();
                      assertThat(row.timeOrNull("t")).isNull();
                      for (Row.Reader<?> reader :
                          List.<Row.Reader<?>>of(
                              r -> r.number("n"),
                              r -> r.text("s"),
                              r -> r.flag("f"),
                              r -> r.time("t"))) {
                        assertThatThrownBy(() -> reader.read(row))
                            .isInstanceOf(SQLException.class)
                            .hasMessageContaining("is null");
                      }
                      return true;
                    });
          });
    }
  }

  @Test
  void tenThousandRowsGoInOneStatementThroughEachDriver() throws SQLException {
    for (DataSource source : Sources.throughEachDriver(database)) {
      long sum =
          transact(
              open(source),
              tx -> {
                tx.query("delete from waybill_sample").update();
                Query query = tx.query("insert into waybill_sample (n, s) values (:n, :s)...");
                for (long i = 1; i <= 10_000; i++) {
                  query.row(i, "row " + i);
                }
                assertThat(query.update()).isEqualTo(10_000);
                return tx.query("select sum(n) as n from waybill_sample where s = :a or n > :b")
                    .set("a", "row 1")
                    .set("b", 1)
                    .one(row -> row.number("n"));
              });
      assertThat(sum).isEqualTo(50_005_000);
    }
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "Their drivers write the values into the text, or allow more")
  void moreParametersThanTheProtocolHasAreRefused() {
    assertThatThrownBy(
            () ->
                own.transact(
                    tx -> {
                      Query query = tx.query("insert into waybill_sample (n) values (:n)...");
                      for (long i = 0; i < 65_536; i++) {
                        query.row(i);
                      }
                      return query.update();
                    }))
        .isInstanceOf(DatabaseException.class)
        .extracting(e -> ((DatabaseException) e).kind())
        .isEqualTo(DatabaseException.Kind.FATAL);
    assertThat(own.<Long>transact(tx -> tx.query("select 1 as n").one(row -> row.number("n"))))
        .isEqualTo(1);
  }

  @Test
  @NotOn(
      value = {DatabaseProduct.MYSQL, DatabaseProduct.MARIADB, DatabaseProduct.SQLITE},
      why = "They have no arrays")
  void anArrayOfLongsIsOneParameter() {
    List<Long> found =
        own.transact(
            tx -> {
              tx.query("insert into waybill_sample (n) values (:n)...")
                  .row(1L)
                  .row(2L)
                  .row(3L)
                  .update();
              return tx.query("select n from waybill_sample where n = any(:ids) order by n")
                  .longs("ids", new long[] {3, 1, 7})
                  .list(row -> row.number("n"));
            });
    assertThat(found).containsExactly(1L, 3L);
    assertThat(
            own.<List<Long>>transact(
                tx ->
                    tx.query("select n from waybill_sample where n = any(:ids)")
                        .longs("ids", new long[0])
                        .list(row -> row.number("n"))))
        .isEmpty();
  }

  @Test
  void parametersKeepTheirPlacesInWhateverOrderTheyAreSet() {
    List<String> rows =
        own.transact(
            tx -> {
              tx.query("insert into waybill_sample (n, s) values (:n, :s)...")
                  .row(1, "a")
                  .row(2, "b")
                  .row(3, null)
                  .update();
              return tx.query(
                      "select s, "
                          + (own.dialect() == Dialect.POSTGRES ? ":head::text" : ":head")
                          + " as h from waybill_sample where n in (:one, :two) and n < :tail")
                  .set("tail", 9)
                  .set("two", 3)
                  .set("one", 1)
                  .set("head", "h")
                  .list(row -> row.textOrNull("s") + row.text("h"));
            });
    assertThat(rows).containsExactlyInAnyOrder("ah", "nullh");
  }

  @Test
  void aParameterThatWasNotSetIsNamed() {
    assertThatThrownBy(
            () -> own.transact(tx -> tx.query("select :a as a").list(row -> row.text("a"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("parameter :a was not set");
  }

  @Test
  void aParameterThatIsNotThereIsNamed() {
    assertThatThrownBy(() -> own.transact(tx -> tx.query("select ':a', :b").set("a", 1).update()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has no parameter :a");
  }

  @Test
  void whatADriverWouldStoreInItsOwnFormIsRefused() {
    for (Object value : new Object[] {new Object(), List.of(), 'c', Duration.ZERO}) {
      assertThatThrownBy(
              () ->
                  own.transact(
                      tx ->
                          tx.query("insert into waybill_sample (s) values (:s)")
                              .set("s", value)
                              .update()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot be bound");
    }
  }

  @Test
  void anIdComesBackAsItWas() {
    String column =
        switch (own.dialect()) {
          case POSTGRES -> "cast(:id as uuid)";
          case MYSQL, MARIADB -> "cast(:id as binary(16))";
          case SQLITE -> ":id";
        };
    for (UUID id : List.of(UUID.randomUUID(), new UUID(0, 0), new UUID(-1, Long.MIN_VALUE))) {
      assertThat(
              own.<UUID>transact(
                  tx ->
                      tx.query("select " + column + " as id")
                          .set("id", id)
                          .one(row -> row.uuid("id"))))
          .isEqualTo(id);
    }
    assertThat(
            own.<Boolean>transact(
                tx ->
                    tx.query("select " + column + " as id")
                        .set("id", null)
                        .one(row -> row.uuidOrNull("id") == null)))
        .isTrue();
  }

  @Test
  void rowsMustFitAndMustBeThere() {
    own.transact(
        tx -> {
          String insert = "insert into waybill_sample (n, s) values (:n, :s)...";
          assertThatThrownBy(() -> tx.query(insert).row(1))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("repeats [n, s], but 1 values were given");
          assertThatThrownBy(() -> tx.query(insert).update())
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("at least one row");
          return true;
        });
  }

  @Test
  void oneRowMeansOneRow() {
    own.transact(
        tx -> {
          tx.query("insert into waybill_sample (n) values (:n)...").row(1).row(2).update();
          String all = "select n from waybill_sample where n > :n";
          assertThat(tx.query(all).set("n", 1).first(row -> row.number("n"))).contains(2L);
          assertThat(tx.query(all).set("n", 2).first(row -> row.number("n"))).isEmpty();
          assertThatThrownBy(() -> tx.query(all).set("n", 2).one(row -> row.number("n")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("gave no row");
          assertThatThrownBy(() -> tx.query(all).set("n", 0).one(row -> row.number("n")))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("gave 2 rows");
          return true;
        });
  }
}
