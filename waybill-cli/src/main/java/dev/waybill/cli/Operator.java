package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.job.JobsBuilder;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.schema.SchemaOptions;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** What is in a database as an operator reaches it: without queues or workers of its own. */
final class Operator {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Mixin private ConnectionOptions connection = new ConnectionOptions();
  @Mixin private TableOptions tables = new TableOptions();

  @SuppressWarnings("NullAway.Init") // picocli sets the injected fields
  Operator() {}

  /** What to do with it. */
  interface Task {
    int run(Outbox outbox) throws Exception;
  }

  /** What to do with jobs and workflows. */
  interface WaybillTask {
    int run(Waybill waybill) throws Exception;
  }

  int withWaybill(WaybillTask task) throws Exception {
    try (Waybill waybill =
        Waybill.builder(connection.existing(spec.commandLine()))
            .schema(tables.options(spec.commandLine()))
            .outbox(OutboxBuilder::withoutWorkers)
            .jobs(JobsBuilder::withoutWorkers)
            .workflows(workflows -> {})
            .start()) {
      return task.run(waybill);
    }
  }

  int with(Task task) throws Exception {
    DataSource dataSource = connection.existing(spec.commandLine());
    SchemaOptions schema = tables.options(spec.commandLine());
    try (Waybill waybill =
        Waybill.builder(dataSource).schema(schema).outbox(OutboxBuilder::withoutWorkers).start()) {
      return task.run(waybill.outbox());
    }
  }
}
