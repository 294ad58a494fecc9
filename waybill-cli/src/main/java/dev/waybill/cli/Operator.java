package dev.waybill.cli;

import dev.waybill.Waybill;
import dev.waybill.outbox.Outbox;
import dev.waybill.outbox.OutboxBuilder;
import dev.waybill.schema.SchemaOptions;
import javax.sql.DataSource;
import picocli.CommandLine.Mixin;

/** The outbox of a database as an operator reaches it: without queues or workers of its own. */
final class Operator {
  @Mixin private ConnectionOptions connection = new ConnectionOptions();
  @Mixin private TableOptions tables = new TableOptions();

  /** What to do with it. */
  interface Task {
    int run(Outbox outbox) throws Exception;
  }

  int with(Task task) throws Exception {
    DataSource dataSource = connection.existing();
    SchemaOptions schema = tables.options();
    try (Waybill waybill =
        Waybill.builder(dataSource).schema(schema).outbox(OutboxBuilder::withoutWorkers).start()) {
      return task.run(waybill.outbox());
    }
  }
}
