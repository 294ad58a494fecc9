package dev.waybill.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.waybill.Waybill;
import dev.waybill.WaybillException;
import dev.waybill.console.Console;
import dev.waybill.console.ConsoleOptions;
import dev.waybill.console.Role;
import dev.waybill.job.JobsBuilder;
import dev.waybill.job.Scope;
import dev.waybill.outbox.DeadLetter;
import dev.waybill.outbox.DeadLetterFilter;
import dev.waybill.outbox.DeadLetters;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.outbox.QueueStatus;
import dev.waybill.workflow.GateCompletion;
import dev.waybill.workflow.WorkflowFilter;
import dev.waybill.workflow.WorkflowInfo;
import dev.waybill.workflow.WorkflowStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/** Whoever looks after the service: has the console open, and agrees to every purchase. */
final class Manager implements AutoCloseable {
  private static final int MOST_RUNS = 1000;
  private static final int PAGE = 1000;

  private final String demo;
  private final HikariDataSource pool;
  private final Waybill waybill;
  private final Optional<Console> console;

  /** Without workers: the service does the work. */
  Manager(DataSource dataSource, String demo, boolean withConsole) {
    this.demo = demo;
    HikariConfig config = new HikariConfig();
    config.setDataSource(dataSource);
    config.setMaximumPoolSize(4);
    config.setMinimumIdle(0);
    pool = new HikariDataSource(config);
    waybill =
        Waybill.builder(pool)
            .outbox(OutboxBuilder::withoutWorkers)
            .jobs(JobsBuilder::withoutWorkers)
            .workflows(workflows -> {})
            .start();
    console =
        withConsole
            ? Optional.of(
                Console.start(
                    waybill,
                    ConsoleOptions.defaults().port(0).title("Demo").anonymous(Role.OPERATE)))
            : Optional.empty();
  }

  Optional<String> address() {
    return console.map(each -> each.address().toString());
  }

  /** Agrees to whatever waits for it. */
  void approve() {
    for (WorkflowInfo run : runs()) {
      if (run.status() == WorkflowStatus.WAITING) {
        try {
          waybill
              .workflows()
              .completeGate(
                  GateCompletion.succeed(Scope.global(), run.id(), Office.APPROVE, "\"agreed\""));
        } catch (WaybillException somebodyElseWasQuicker) {
          // Whoever has the console open may agree, or not, before us.
        }
      }
    }
    waybill.workflows().wake();
  }

  List<WorkflowInfo> runs() {
    return waybill
        .workflows()
        .list(
            WorkflowFilter.in(Scope.admin()).withAttribute(Office.DEMO, demo).withLimit(MOST_RUNS));
  }

  /** How far the shipping of each partition is. */
  Map<Integer, Long> shipped() {
    Map<Integer, Long> reached = new HashMap<>();
    for (QueueStatus queue : waybill.outbox().status()) {
      if (queue.name().equals(OrderService.SHIPPING)) {
        queue.partitions().forEach(each -> reached.put(each.number(), each.processed()));
      }
    }
    return reached;
  }

  /** All shipments that were ever given up. */
  List<DeadLetter> givenUp() {
    DeadLetters deadLetters = waybill.outbox().deadLetters();
    DeadLetterFilter filter =
        DeadLetterFilter.defaults().queue(OrderService.SHIPPING).anyStatus().limit(PAGE);
    List<DeadLetter> all = new ArrayList<>();
    for (List<DeadLetter> page = deadLetters.list(filter);
        !page.isEmpty();
        page = deadLetters.list(filter.before(page.get(page.size() - 1)))) {
      all.addAll(page);
    }
    return all;
  }

  @Override
  public void close() {
    console.ifPresent(Console::close);
    waybill.close();
    pool.close();
  }
}
