package dev.waybill.internal.workflow;

import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.internal.job.JobEngine;
import dev.waybill.internal.loop.Crew;
import dev.waybill.internal.loop.Time;
import dev.waybill.internal.notice.Notices;
import dev.waybill.internal.sql.Database;
import dev.waybill.job.JobResult;
import dev.waybill.testkit.ChildJvm;
import dev.waybill.testkit.TestDatabase;
import dev.waybill.workflow.StepHandler;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * Works on steps in a process of its own, which may be killed at any moment. Its handler records,
 * in the transaction of its success, which step it was and what it had seen of its prerequisites.
 */
final class StormMain {
  static final StepHandler HANDLER =
      step ->
          JobResult.success("\"" + step.step() + "\"")
              .inTransaction(
                  connection -> {
                    try (PreparedStatement insert =
                        connection.prepareStatement("insert into effect values (?, ?, ?)")) {
                      insert.setString(1, step.workflow().toString());
                      insert.setString(2, step.step());
                      insert.setInt(3, step.inputs().size());
                      insert.executeUpdate();
                    }
                  });

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
            WorkflowEngine.asJobs(database, Map.of("t", HANDLER)),
            new WorkflowReleaser(Time.system()),
            Notices.none(),
            true);
    new WorkflowEngine(database, Time.system(), crew, jobs.jobs(), jobs.wakeups(), true);
    crew.start();
    System.out.println("working");
    new CountDownLatch(1).await();
  }
}
