package dev.waybill.internal.schema;

import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Migrates in a process of its own: says {@code ready}, waits for a line, migrates, and says what
 * it applied. With databases that each have the number of a statement, it migrates all of them side
 * by side, stops each for good after that statement took effect, and says {@code stopped}.
 */
final class MigratingMain {
  private MigratingMain() {}

  static ChildJvm start(TestDatabase database) {
    return ChildJvm.of(MigratingMain.class)
        .shortLived()
        .args(database.url(), database.user(), database.password())
        .start();
  }

  static ChildJvm startAndStopAfter(Map<TestDatabase, Integer> statements) {
    List<String> args = new ArrayList<>();
    statements.forEach(
        (database, statement) ->
            args.addAll(
                List.of(
                    database.url(),
                    database.user(),
                    database.password(),
                    Integer.toString(statement))));
    return ChildJvm.of(MigratingMain.class).shortLived().args(args.toArray(String[]::new)).start();
  }

  /** The entry. */
  public static void main(String[] args) throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    ChildJvm.exitWithParent(line -> go.countDown());
    if (args.length == 3) {
      SchemaGuard guard = TestSet.guard(Sources.of(args[0], args[1], args[2]));
      System.out.println("ready");
      go.await();
      System.out.println("applied " + guard.migrate());
      return;
    }
    List<Hold> holds = new ArrayList<>();
    for (int i = 0; i < args.length; i += 4) {
      var faulty = new FaultyDataSource(Sources.of(args[i], args[i + 1], args[i + 2]));
      holds.add(faulty.on(Fault.statement(Integer.parseInt(args[i + 3]))).hold(Moment.AFTER));
      new Thread(() -> System.out.println("applied " + TestSet.guard(faulty).migrate())).start();
    }
    for (Hold hold : holds) {
      hold.awaitReached(Duration.ofMinutes(1));
    }
    System.out.println("stopped");
  }
}
