package dev.waybill.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaOptions;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StatementsTest {
  /**
   * Where dialects name a parameter more or less often: a recursive query names it at every hop, a
   * loose index scan once; rows are compared as a whole or column by column; jobs are read from two
   * tables.
   */
  private static final Set<String> REPEATING =
      Set.of(
          "job_tenants",
          "job_running_count",
          "job_get",
          "job_body",
          "job_page",
          "job_place",
          "job_page_scheduled",
          "job_page_pending",
          "job_page_leased",
          "job_page_ended",
          "job_attempt_rows",
          "job_count",
          "workflow_gates");

  private static final String FOLDER = "/dev/waybill/sql/";

  /** The files that a dialect has, without their ending. */
  static List<String> files(Dialect dialect) {
    try (var files =
        Files.list(
            Path.of(
                Objects.requireNonNull(
                        StatementsTest.class.getResource(FOLDER + dialect.folder()), "no folder")
                    .toURI()))) {
      return files.map(file -> file.getFileName().toString().replace(".sql", "")).sorted().toList();
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The files that are there in every dialect: not those with the statements of its own shape. */
  static List<String> common(Dialect dialect) {
    return files(dialect).stream().filter(file -> !file.endsWith("_own")).toList();
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void everyDialectDefinesTheSameNamesInTheSameOrderInEveryFile(Dialect dialect) {
    assertThat(common(dialect)).isNotEmpty().isEqualTo(common(Dialect.POSTGRES));
    for (String file : common(dialect)) {
      assertThat(namesIn(dialect, file))
          .as(file)
          .isNotEmpty()
          .isEqualTo(namesIn(Dialect.POSTGRES, file));
    }
  }

  @Test
  void mySqlAndMariaDbHaveTheSameShape() {
    assertThat(files(Dialect.MYSQL)).isEqualTo(files(Dialect.MARIADB));
    for (String file : files(Dialect.MYSQL)) {
      // An insert of MariaDB's tells the ids itself.
      assertThat(namesIn(Dialect.MYSQL, file))
          .filteredOn(name -> !name.equals("outbox_body_step"))
          .isEqualTo(namesIn(Dialect.MARIADB, file));
    }
  }

  private static List<String> namesIn(Dialect dialect, String file) {
    return List.copyOf(
        Statements.blocks(Statements.resource(FOLDER + dialect.folder() + "/" + file + ".sql"))
            .keySet());
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void everyStatementTakesTheSameParametersInEveryDialect(Dialect dialect) {
    Statements ours = Statements.load(dialect, Naming.standard(), common(dialect));
    Statements others = Statements.load(Dialect.POSTGRES, Naming.standard(), common(dialect));
    for (String name : ours.names()) {
      if (!others.names().contains(name)) {
        continue; // of the dialect's own shape; the test above sees to the rest
      }
      if (REPEATING.contains(name)) {
        assertThat(Set.copyOf(ours.get(name).headParameters()))
            .as(name)
            .isEqualTo(Set.copyOf(others.get(name).headParameters()));
        continue;
      }
      assertThat(ours.get(name).headParameters())
          .as(name)
          .containsExactlyInAnyOrderElementsOf(others.get(name).headParameters());
      assertThat(ours.get(name).rowParameters())
          .as(name)
          .isEqualTo(others.get(name).rowParameters());
    }
  }

  @Test
  void blocksAreFoundByTheirNameLines() {
    assertThat(
            Statements.blocks(
                """
                -- What this file is about.

                -- name: first
                select 1
                -- why

                -- name: second_2
                select '-- name: not_a_block'
                """))
        .containsExactly(
            java.util.Map.entry("first", "select 1\n-- why"),
            java.util.Map.entry("second_2", "select '-- name: not_a_block'"));
    assertThat(Statements.blocks("-- name: a\r\nselect 1\r\n-- name: b\r\nselect 2"))
        .containsOnlyKeys("a", "b");
    assertThat(Statements.blocks("select 1")).isEmpty();
  }

  @Test
  void blocksIncludePartsOfTheirFile() {
    assertThat(
            Statements.blocks(
                """
                -- name: a
                select x
                -- include: where_from
                -- part: where_from
                from $1
                -- name: b
                delete
                -- include: where_from
                """))
        .containsExactly(
            java.util.Map.entry("a", "select x\nfrom $1"),
            java.util.Map.entry("b", "delete\nfrom $1"));
    assertThatThrownBy(() -> Statements.blocks("-- name: a\n-- include: b"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Block a includes b, which is no part");
  }

  @Test
  void aNameIsDefinedOnce() {
    assertThatThrownBy(() -> Statements.blocks("-- name: a\nselect 1\n-- name: a\nselect 2"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Block a is defined twice");
    assertThatThrownBy(
            () -> Statements.load(Dialect.SQLITE, Naming.standard(), List.of("schema", "schema")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is defined twice for sqlite");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThatThrownBy(
            () -> Statements.load(Dialect.SQLITE, Naming.standard(), List.of("nonsense")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("No resource /dev/waybill/sql/sqlite/nonsense.sql");
    Statements none = Statements.load(Dialect.SQLITE, Naming.standard(), List.of());
    assertThatThrownBy(() -> none.text("nonsense"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("No statement nonsense in the catalogue");
  }

  @Test
  void textsCarryTheUsersNames() {
    Statements statements =
        Statements.load(Dialect.MYSQL, new Naming("acme_", "shop"), List.of("schema"));
    assertThat(statements.text("schema_history_forget"))
        .isEqualTo("delete from `shop`.`acme_schema_history` where version = ? and not success");
  }

  @Nested
  @EveryDatabase(alsoOldest = true)
  class OnEveryDatabase {
    private final TestDatabase database;

    OnEveryDatabase(TestDatabase database) {
      this.database = database.fresh();
    }

    @Test
    void everyStatementPreparesOnTheServer() throws SQLException {
      Naming naming = new Naming("Acme_", null);
      Schema.migrate(database.dataSource(), SchemaOptions.defaults().withPrefix("Acme_"));
      Dialect dialect =
          Database.open(database.dataSource(), naming, List.of(), Retry.never()).dialect();
      Statements statements =
          Database.open(database.dataSource(), naming, common(dialect), Retry.never()).statements();
      try (Connection connection = preparingOnTheServer()) {
        for (String name : statements.names()) {
          assertThat(prepare(connection, statements.text(name)))
              .as(name)
              .isEqualTo(
                  statements.get(name).headParameters().size()
                      + statements.get(name).rowParameters().size()
                      + statements.get(name).tailParameters().size());
        }
      }
    }

    @Test
    void aWrongStatementWouldBeNoticed() throws SQLException {
      try (Connection connection = preparingOnTheServer()) {
        assertThatThrownBy(() -> prepare(connection, "select a from nowhere where b = ?"))
            .isInstanceOf(SQLException.class);
      }
    }

    private Connection preparingOnTheServer() throws SQLException {
      String separator = database.url().contains("?") ? "&" : "?";
      String parameters =
          switch (database.product()) {
            case POSTGRESQL -> separator + "prepareThreshold=-1";
            case MYSQL -> separator + "useServerPrepStmts=true&emulateUnsupportedPstmts=false";
            case MARIADB -> separator + "useServerPrepStmts=true";
            case SQLITE -> "";
          };
      return DriverManager.getConnection(
          database.url() + parameters, database.user(), database.password());
    }

    /** Asks for what only the server can know; gives the number of parameters. */
    private int prepare(Connection connection, String text) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(text)) {
        if (database.product() != DatabaseProduct.SQLITE) {
          statement.getMetaData();
        }
        return statement.getParameterMetaData().getParameterCount();
      }
    }
  }
}
