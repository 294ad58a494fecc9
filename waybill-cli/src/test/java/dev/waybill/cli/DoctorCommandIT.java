package dev.waybill.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.Doctor;
import dev.waybill.Finding;
import dev.waybill.schema.Schema;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code waybill doctor} as an operator calls it. */
@EveryDatabase
class DoctorCommandIT {
  private final TestDatabase database;

  DoctorCommandIT(TestDatabase database) {
    this.database = database.fresh();
  }

  /** A server of the user's own may be without durability, say, and is not ours to heal. */
  private boolean suffersAnyway() {
    return database.isOnUsersServer()
        && Doctor.examine(database.dataSource()).stream()
            .anyMatch(
                finding ->
                    finding.severity() != Finding.Severity.OK && !finding.code().equals("tables"));
  }

  private Cli doctor(String... options) throws Exception {
    List<String> args = new ArrayList<>(List.of("doctor", "--url", database.url()));
    if (database.product() != DatabaseProduct.SQLITE) {
      args.addAll(List.of("--user", database.user(), "--password-env", "DB_PASSWORD"));
    }
    args.addAll(List.of(options));
    return Cli.jar(Map.of("DB_PASSWORD", database.password()), args.toArray(String[]::new));
  }

  @Test
  void withoutASchemaTheExitSaysSo() throws Exception {
    if (database.product() == DatabaseProduct.SQLITE) {
      // The command makes no file.
      database.execute("select 1");
    }
    Cli nothing = doctor();
    assertThat(nothing.exit()).as(nothing.err()).isEqualTo(3);
    assertThat(nothing.out())
        .contains("problem   [history-missing]")
        .contains("Run Schema.migrate");
  }

  @Test
  void theExitTellsHowBadItIs() throws Exception {
    Schema.migrate(database.dataSource());
    if (!suffersAnyway()) {
      Cli healthy = doctor();
      assertThat(healthy.exit()).as(healthy.out() + healthy.err()).isZero();
      assertThat(healthy.out())
          .startsWith("ok        The schema is the one that this release needs.")
          .endsWith("Nothing is wrong." + System.lineSeparator())
          .doesNotContain("\033");
      assertThat(doctor("--json").out())
          .contains("\"worst\" : \"ok\"")
          .contains("\"code\" : \"clock-skew\"");
    }

    database.execute("drop table waybill_job_log");
    Cli sick = doctor();
    assertThat(sick.exit()).isEqualTo(1);
    assertThat(sick.out()).contains("waybill_job_log");
    if (!suffersAnyway()) {
      assertThat(sick.out()).contains("1 problem, 0 warnings.");
    }
    assertThat(doctor("--json").out())
        .contains("\"worst\" : \"problem\"")
        .contains("\"severity\" : \"problem\"");
  }

  @Test
  void whatCannotBeReachedHasAnExitOfItsOwn() throws Exception {
    Cli cli =
        Cli.jar(Map.of(), "doctor", "--url", "jdbc:postgresql://127.0.0.1:1/none", "--user", "x");
    assertThat(cli.exit()).isEqualTo(4);
    assertThat(cli.out()).isEmpty();
    assertThat(cli.err()).contains("cannot be reached");
  }
}
