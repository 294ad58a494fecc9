package dev.waybill.cli;

import dev.waybill.schema.Schema;
import dev.waybill.schema.SchemaIncompatibleException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.sql.DataSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code waybill demo}: shows on an embedded SQLite what Waybill does, and verifies it. */
@Command(
    name = "demo",
    description = "See it work on an embedded SQLite: the schema guard meets four bad schemas.",
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  private record Scene(String what, String damage, String repair, String verdict) {}

  private static final List<Scene> SCENES =
      List.of(
          new Scene(
              "somebody edited an applied migration",
              "update waybill_schema_history set checksum = 'f00d' || substr(checksum, 5)",
              "update waybill_schema_history set checksum = (select c from demo_checksum)",
              "checksum-conflict"),
          new Scene(
              "a migration was killed half-way",
              "update waybill_schema_history set success = 0",
              "update waybill_schema_history set success = 1",
              "dirty"),
          new Scene(
              "a newer, incompatible release was here",
              "insert into waybill_schema_fence values (999, '9.9.9', 0)",
              "delete from waybill_schema_fence where version = 999",
              "newer-release"),
          new Scene(
              "the history is gone",
              "alter table waybill_schema_history rename to demo_history",
              "alter table demo_history rename to waybill_schema_history",
              "history-missing"));

  @Spec private CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  DemoCommand() {}

  @Override
  public Integer call() throws IOException, SQLException {
    Path folder = Files.createTempDirectory("waybill-demo");
    try {
      return run(new DriverDataSource("jdbc:sqlite:" + folder.resolve("demo.db"), null, null));
    } finally {
      delete(folder);
    }
  }

  private int run(DataSource dataSource) throws SQLException {
    PrintWriter out = spec.commandLine().getOut();
    out.println("A new SQLite database: applied migrations " + Schema.migrate(dataSource) + ".");
    execute(
        dataSource, "create table demo_checksum as select checksum c from waybill_schema_history");
    int wrong = verdict(dataSource).equals("compatible") ? 0 : 1;
    for (Scene scene : SCENES) {
      execute(dataSource, scene.damage());
      String verdict = verdict(dataSource);
      boolean right = verdict.equals(scene.verdict());
      wrong += right ? 0 : 1;
      out.printf("%-42s -> %-18s %s%n", scene.what(), verdict, right ? "as it should" : "WRONG");
      execute(dataSource, scene.repair());
      out.flush();
    }
    wrong += verdict(dataSource).equals("compatible") ? 0 : 1;
    out.println(
        wrong == 0 ? "Verified: 4 of 4 bad schemas refused, repaired ones accepted." : "FAILED");
    out.flush();
    return wrong == 0 ? ExitCode.FINE : ExitCode.TROUBLE;
  }

  private static String verdict(DataSource dataSource) {
    try {
      Schema.check(dataSource);
      return "compatible";
    } catch (SchemaIncompatibleException e) {
      return e.verdict();
    }
  }

  private static void execute(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
