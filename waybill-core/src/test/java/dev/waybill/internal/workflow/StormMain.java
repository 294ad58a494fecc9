package dev.waybill.internal.workflow;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.internal.job.JobEngine;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Endings;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** Works on steps of {@link KnownGraph} in a process of its own, which may be killed any time. */
final class StormMain {
  private StormMain() {}

  static ChildJvm start(TestDatabase database, String name) {
    return ChildJvm.of(StormMain.class)
        .shortLived()
        .args(database.url(), database.user(), database.password(), name)
        .start();
  }

  /** The entry. */
  @SuppressWarnings("resource") // They live as long as the process.
  public static void main(String[] args) throws InterruptedException {
    ChildJvm.exitWithParent(line -> {});
    HikariDataSource source = new HikariDataSource();
    source.setJdbcUrl(args[0]);
    source.setUsername(args[1]);
    source.setPassword(args[2]);
    source.setMaximumPoolSize(10);
    Crew crew = new Crew(Time.system());
    Database database = WorkflowBench.open(source);
    JobEngine jobs =
        new JobEngine(
            database,
            Time.system(),
            crew,
            WorkflowBench.quick(args[3]).withLease(Duration.ofSeconds(2)),
            WorkflowEngine.asJobs(database, Map.of("t", KnownGraph.HANDLER)),
            new WorkflowReleaser(Time.system()),
            Notices.none(),
            true);
    new WorkflowEngine(
        database, Time.system(), crew, jobs.jobs(), jobs.wakeups(), true, new Endings());
    crew.start();
    System.out.println("working");
    new CountDownLatch(1).await();
  }
}
