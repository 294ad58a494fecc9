package dev.waybill.internal.schema;

import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.Fault;
import dev.waybill.testkit.Fault.Moment;
import dev.waybill.testkit.FaultyDataSource;
import dev.waybill.testkit.Hold;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * Migrates in a process of its own: says {@code ready}, waits for a line, migrates, and says what
 * it applied. With a fourth argument it stops for good after that statement of its own took effect.
 */
final class MigratingMain {
  private MigratingMain() {}

  static ChildJvm start(TestDatabase database) {
    return ChildJvm.of(MigratingMain.class)
        .shortLived()
        .args(database.url(), database.user(), database.password())
        .start();
  }

  static ChildJvm startAndStopAfter(TestDatabase database, int statement) {
    return ChildJvm.of(MigratingMain.class)
        .shortLived()
        .jvmArgs("-XX:TieredStopAtLevel=1", "-Xshare:auto")
        .args(database.url(), database.user(), database.password(), Integer.toString(statement))
        .start();
  }

  /** The entry. */
  public static void main(String[] args) throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    ChildJvm.exitWithParent(line -> go.countDown());
    DataSource plain = Sources.of(args[0], args[1], args[2]);
    if (args.length == 3) {
      SchemaGuard guard = TestSet.guard(plain);
      System.out.println("ready");
      go.await();
      System.out.println("applied " + guard.migrate());
      return;
    }
    FaultyDataSource faulty = new FaultyDataSource(plain);
    Hold hold = faulty.on(Fault.statement(Integer.parseInt(args[3]))).hold(Moment.AFTER);
    Thread watcher =
        new Thread(
            () -> {
              try {
                hold.awaitReached(Duration.ofMinutes(1));
                System.out.println("stopped");
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    watcher.setDaemon(true);
    watcher.start();
    System.out.println("applied " + TestSet.guard(faulty).migrate());
  }
}
