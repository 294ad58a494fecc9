package dev.waybill.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.DatabaseProduct;
import dev.waybill.testkit.EveryDatabase;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Operation;
import dev.waybill.testkit.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A process is killed, as by a power failure, when a statement that changes something has taken
 * effect and nothing was done after it: each one in a database of its own, all at once. {@link
 * CrashTest} does the same to every statement by cutting connections.
 */
@Tag("long")
@Tag("once")
@EveryDatabase
class KillTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  private final TestDatabase database;

  KillTest(TestDatabase database) {
    this.database = database;
  }

  @Test
  void whoeverComesAfterAKilledProcessCompletesItsWork() throws Exception {
    Outcome undisturbed = Outcome.undisturbed(database);
    Map<TestDatabase, Integer> stopped = new LinkedHashMap<>();
    statementsOfMigrations().forEach(number -> stopped.put(database.fresh(), number));
    try (ChildJvm child = MigratingMain.startAndStopAfter(stopped)) {
      child.awaitLine("stopped", SOON);
      child.kill();
    }
    int dirty = 0;
    for (Map.Entry<TestDatabase, Integer> each : stopped.entrySet()) {
      try (TestDatabase left = each.getKey()) {
        dirty += Recovery.of(left).complete() ? 1 : 0;
        assertThat(Outcome.of(left))
            .as("killed after statement %s", each.getValue())
            .isEqualTo(undisturbed);
      }
    }
    boolean ddlCommitsByItself =
        database.product() == DatabaseProduct.MYSQL
            || database.product() == DatabaseProduct.MARIADB;
    assertThat(dirty > 0).isEqualTo(ddlCommitsByItself);
  }

  /** The numbers of those statements of a whole run that are a migration's own. */
  private List<Integer> statementsOfMigrations() throws SQLException {
    try (TestDatabase other = database.fresh()) {
      FaultyDataSource watched = new FaultyDataSource(other.dataSource());
      List<String> planned =
          TestSet.guard(watched).plan().pending().stream()
              .flatMap(step -> step.statements().stream())
              .toList();
      watched.reset();
      TestSet.guard(watched).migrate();
      List<Integer> numbers = new ArrayList<>();
      int number = 0;
      for (Operation made : watched.trace()) {
        number += made.kind() == Operation.Kind.STATEMENT ? 1 : 0;
        if (planned.contains(made.sql())) {
          numbers.add(number);
        }
      }
      assertThat(numbers).hasSameSizeAs(planned);
      return numbers;
    }
  }
}
