package dev.waybill.internal.job;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.job.JobOptions;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Works on jobs in a process of its own. Its handler leaves a checkpoint, says {@code running},
 * waits for a line, and succeeds whatever happened meanwhile. Of those that come in bulk every
 * other one waits.
 */
final class WorkingMain {
  private WorkingMain() {}

  static ChildJvm start(TestDatabase database) {
    return ChildJvm.of(WorkingMain.class)
        .shortLived()
        .args(database.url(), database.user(), database.password())
        .start();
  }

  /** The entry. */
  @SuppressWarnings("resource") // They live as long as the process.
  public static void main(String[] args) throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    ChildJvm.exitWithParent(line -> go.countDown());
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(args[0]);
    source.setUsername(args[1]);
    source.setPassword(args[2]);
    source.setMaximumPoolSize(8);
    Crew crew = new Crew(Time.system());
    JobOptions options =
        JobBench.quick("child")
            .withConcurrency(32)
            .withLease(Duration.ofSeconds(2))
            .withReap(Duration.ofHours(1));
    new JobEngine(
        JobBench.open(source),
        Time.system(),
        crew,
        options,
        Map.of(
            "a",
            context -> {
              context.checkpoint("\"child\"");
              context.onCancel(() -> System.out.println("told to stop"));
              System.out.println("running");
              go.await();
              System.out.println("done, canceled " + context.isCanceled());
              return JobResult.success("\"child\"");
            },
            "bulk",
            context -> {
              if (Integer.parseInt(context.payload()) % 2 == 1) {
                System.out.println("stands still");
                go.await();
                System.out.println("goes on");
              }
              return JobResult.success();
            }));
    crew.start();
    new CountDownLatch(1).await();
  }
}
