package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for every command: help, usage errors, exit codes. */
class WaybillCommandIT {
  private static Cli run(String... args) {
    return Cli.jar(Map.of(), args);
  }

  @Test
  void helpListsTheCommands() throws Exception {
    Cli help = Cli.process(Map.of(), "--help");
    assertThat(help.exit()).isZero();
    assertThat(help.out()).contains("schema").contains("demo").contains("Exit codes");
    assertThat(run("--version").out()).startsWith("waybill ");
  }

  private static String[] with(String[] command, String... more) {
    return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void wrongUsageIsExitTwo() throws Exception {
    assertThat(Cli.process(Map.of(), "no-such-command").exit()).isEqualTo(2);
    assertThat(run("schema").exit()).isEqualTo(2);
    assertThat(run("schema", "check").exit()).isEqualTo(2);
    assertThat(run("schema", "check", "--url", "jdbc:nothing:x").exit()).isEqualTo(2);
    assertThat(run("schema", "print").exit()).isEqualTo(2);
    assertThat(run("schema", "print", "--database", "oracle").exit()).isEqualTo(2);
    assertThat(run("schema", "print", "--database", "sqlite", "--undo", "99").exit()).isEqualTo(2);
    assertThat(run("schema", "migrate", "--url", "jdbc:sqlite:x.db", "--prefix", "a-b").exit())
        .isEqualTo(2);
    String url = "--url=jdbc:sqlite:x.db";
    assertThat(run("workflows", "list", url, "--attribute", "a=1", "--attribute", "b=2").exit())
        .isEqualTo(2);
    String[] gate = {"workflows", "complete-gate", "0-0-0-0-1", "g", url};
    assertThat(run(with(gate, "--fail", "no", "--cancel", "no")).err()).contains("one end");
    assertThat(run(with(gate, "--token-env", "NOT_SET_AT_ALL")).err()).contains("NOT_SET_AT_ALL");
    Cli unset =
        run("schema", "check", "--url", "jdbc:postgresql:x", "--password-env", "NOT_SET_AT_ALL");
    assertThat(unset.exit()).isEqualTo(2);
    assertThat(unset.err()).contains("NOT_SET_AT_ALL");
  }

  @Test
  void anUnreachableDatabaseIsExitFour(@TempDir Path folder) throws Exception {
    for (String product : new String[] {"postgresql", "mariadb", "mysql"}) {
      Cli check = run("schema", "check", "--url", "jdbc:" + product + "://127.0.0.1:1/x");
      assertThat(check.exit()).as(check.err()).isEqualTo(4);
      assertThat(check.err()).contains("cannot be reached").doesNotContain(" at dev.waybill.");
    }
    Path missing = folder.resolve("missing.db");
    assertThat(run("schema", "check", "--url", "jdbc:sqlite:" + missing).exit()).isEqualTo(4);
    assertThat(missing).doesNotExist();
  }

  @Test
  void theStackTraceIsShownOnlyWhenAskedFor() throws Exception {
    Cli check =
        Cli.process(
            Map.of(), "schema", "check", "--url", "jdbc:postgresql://127.0.0.1:1/x", "--debug");
    assertThat(check.exit()).isEqualTo(4);
    assertThat(check.err()).contains("    at dev.waybill.");
  }

  @Test
  void aNewSqliteFileIsMadeWithItsFolder(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("new").resolve("dir").resolve("app.db");
    assertThat(run("schema", "migrate", "--url", "jdbc:sqlite:" + file).exit()).isZero();
    assertThat(Files.size(file)).isPositive();
    assertThat(run("schema", "check", "--url", "jdbc:sqlite:" + file).exit()).isZero();
  }

  @Test
  void theEnvironmentAndAFileSayWhereTheDatabaseIs(@TempDir Path folder) throws Exception {
    String url = "jdbc:sqlite:" + folder.resolve("app.db");
    Map<String, String> environment = Map.of("WAYBILL_URL", url, "WAYBILL_PREFIX", "acme_");
    assertThat(Cli.jar(environment, "schema", "migrate").exit()).isZero();
    assertThat(Cli.jar(environment, "schema", "check", "--prefix", "b_").exit()).isEqualTo(3);
    assertThat(Cli.process(environment, "schema", "check").exit()).isZero();

    Path file =
        Files.writeString(folder.resolve("app.properties"), "url=" + url + "\nprefix=acme_");
    assertThat(run("--config", file.toString(), "schema", "check").exit()).isZero();
    assertThat(run("schema", "check", "--config", file.toString()).exit()).isZero();
    Cli other = Cli.jar(Map.of("WAYBILL_PREFIX", "b_"), "schema", "check", "--config=" + file);
    assertThat(other.exit()).as("the environment is nearer than the file").isEqualTo(3);

    Files.writeString(file, "url=" + url + "\npasword=x");
    Cli misspelt = run("schema", "check", "--config", file.toString());
    assertThat(misspelt.exit()).isEqualTo(2);
    assertThat(misspelt.err()).contains("[pasword]").contains("password").doesNotContain("=x");
    Cli missing = run("schema", "check", "--config", folder.resolve("none").toString());
    assertThat(missing.exit()).isEqualTo(2);
    assertThat(missing.err()).contains("none");
    assertThat(run("schema", "check").err()).contains("--url JDBC").contains("WAYBILL_URL");
  }

  @Test
  void theShellCompletesCommands() {
    Cli script = run("generate-completion");
    assertThat(script.exit()).isZero();
    assertThat(script.out()).contains("complete -F").contains("complete-gate");
  }

  @Test
  void printKnowsTheDatabaseByItsUrl() throws Exception {
    assertThat(run("schema", "print", "--url", "jdbc:mariadb://h/x").out()).contains("InnoDB");
    assertThat(run("schema", "print", "--database", "postgresql").out())
        .contains("clock_timestamp");
    assertThat(run("schema", "print", "--database", "mysql", "--undo", "1").out())
        .contains("drop table if exists");
  }
}
