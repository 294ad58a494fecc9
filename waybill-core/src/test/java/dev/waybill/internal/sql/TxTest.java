package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

@EveryDatabase
class TxTest {
  private final Database database;

  TxTest(TestDatabase database) {
    this.database =
        Database.open(
            database.fresh().dataSource(), Naming.standard(), List.of("schema"), Retry.never());
  }

  @Test
  void scriptsQueriesAndStatementsRunInOneTransaction() {
    String history =
        database.transact(
            tx -> {
              tx.sql("schema_history_create").execute();
              tx.script("create table sample (id integer, text varchar(20))");
              tx.script("insert into sample values (1, '{fn now()} :a ?')");
              assertThat(tx.sql("schema_history_rows").list(row -> row.number("version")))
                  .isEmpty();
              return tx.query("select text from sample where id = :id")
                  .set("id", 1)
                  .one(row -> row.text("text"));
            });
    assertThat(history).isEqualTo("{fn now()} :a ?");
  }

  @Test
  void aQueryUsesTheNamesOfTheFiles() {
    Naming naming = new Naming("Acme_", database.naming().schema());
    assertThat(Statements.rename("waybill_job", database.dialect(), naming)).contains("Acme_job");
    database.transact(
        tx -> {
          tx.script(
              "create table "
                  + database.dialect().identifier("waybill_thing", database.naming())
                  + " (id integer)");
          return tx.query("select id from waybill_thing").list(row -> row.number("id"));
        });
  }

  @Test
  void anUnknownStatementIsNamed() {
    assertThatThrownBy(() -> database.transact(tx -> tx.sql("nonsense").update()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("nonsense");
  }

  @Test
  void failuresAreClassified() {
    DatabaseException failure =
        catchThrowableOfType(
            DatabaseException.class,
            () ->
                database.transact(
                    tx -> {
                      tx.script("selec 1");
                      return 1;
                    }));
    assertThat(failure.kind()).isEqualTo(Kind.FATAL);
    assertThat(failure).hasMessageStartingWith("Migration statement: the database refused.");
    Kind kind =
        database.transact(tx -> tx.failure("Handler", new SQLException("lost", "08006")).kind());
    assertThat(kind).isEqualTo(Kind.DISCONNECTED);
  }
}
