package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.Figures;
import dev.waybill.bench.measure.Machine;
import dev.waybill.bench.measure.Metric;
import dev.waybill.bench.measure.ServerCpu;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.DatabaseProduct;
import java.sql.SQLException;

/** What it costs, from here to {@link #end}. */
final class Lap {
  private final Gauges gauges;
  private final ServerCpu server;
  private final Storage.Look storage;
  private final Calls.Count calls;
  private final long jvmMicros;
  private final long serverMicros;
  private final Machine machine;

  private Lap(Gauges gauges) throws SQLException {
    this.gauges = gauges;
    this.server = new ServerCpu(gauges.trial().ground().pid());
    this.storage = gauges.storage().look();
    this.machine = Machine.now();
    this.calls = gauges.calls().get();
    this.serverMicros = server.micros();
    this.jvmMicros = gauges.jvmMicros().getAsLong();
  }

  static Lap begin(Course course) throws SQLException {
    return begin(new Gauges(course.trial(), course.product(), course.calls(), course.storage()));
  }

  static Lap begin(Gauges gauges) throws SQLException {
    return new Lap(gauges);
  }

  /** Costs per message, and how busy others were meanwhile. */
  void end(Figures figures, double messages) throws SQLException {
    Cost cost = cost();
    figures.put(Metric.STATEMENTS, cost.calls().statements() / messages);
    figures.put(Metric.ROUND_TRIPS, cost.calls().roundTrips() / messages);
    figures.put(Metric.COMMITS, cost.calls().commits() / messages);
    figures.put(Metric.JVM_CPU, cost.jvmMicros() / messages);
    if (gauges.trial().ground().pid() != 0) {
      figures.put(Metric.SERVER_CPU, cost.serverMicros() / messages);
    }
    if (gauges.product() != DatabaseProduct.SQLITE) {
      figures.put(Metric.LOG_BYTES, cost.logBytes() / messages);
    }
    figures.put(Metric.TABLE_BYTES, cost.tableBytes() / messages);
    figures.put(Metric.FOREIGN_LOAD, cost.foreignLoad());
  }

  /** Only how busy others were meanwhile. */
  void endWithoutCosts(Figures figures) throws SQLException {
    figures.put(Metric.FOREIGN_LOAD, cost().foreignLoad());
  }

  /** Costs per step of a graph. */
  void endSteps(Figures figures, double steps) throws SQLException {
    Cost cost = cost();
    figures.put(Metric.STEP_STATEMENTS, cost.calls().statements() / steps);
    figures.put(Metric.STEP_ROUND_TRIPS, cost.calls().roundTrips() / steps);
    figures.put(Metric.STEP_COMMITS, cost.calls().commits() / steps);
    if (gauges.product() != DatabaseProduct.SQLITE) {
      figures.put(Metric.STEP_LOG_BYTES, cost.logBytes() / steps);
    }
    figures.put(Metric.STEP_JVM_CPU, cost.jvmMicros() / steps);
    if (gauges.trial().ground().pid() != 0) {
      figures.put(Metric.STEP_SERVER_CPU, cost.serverMicros() / steps);
    }
    figures.put(Metric.FOREIGN_LOAD, cost.foreignLoad());
  }

  /** Costs of doing nothing, per minute. */
  void endIdle(Figures figures, double minutes) throws SQLException {
    Cost cost = cost();
    figures.put(Metric.IDLE_STATEMENTS, cost.calls().statements() / minutes);
    figures.put(Metric.IDLE_COMMITS, cost.calls().commits() / minutes);
    figures.put(Metric.IDLE_ROWS, cost.rowsWritten() / minutes);
    figures.put(Metric.IDLE_LOG_BYTES, cost.logBytes() / minutes);
    figures.put(Metric.IDLE_JVM_CPU, cost.jvmMicros() / 1_000 / minutes);
    figures.put(Metric.IDLE_SERVER_CPU, cost.serverMicros() / 1_000 / minutes);
    figures.put(Metric.FOREIGN_LOAD, cost.foreignLoad());
  }

  /** SQLite is a part of the JVM; of a server of the user's own nobody knows what it used. */
  private boolean serverIsKnown() {
    return gauges.product() == DatabaseProduct.SQLITE || gauges.trial().ground().pid() != 0;
  }

  private Cost cost() throws SQLException {
    double jvm = gauges.jvmMicros().getAsLong() - jvmMicros;
    double serverTime = server.micros() - serverMicros;
    Calls.Count counted = gauges.calls().get().since(calls);
    double foreign = Machine.now().foreignShareSince(machine, (long) (jvm + serverTime));
    Storage.Look now = gauges.storage().look();
    return new Cost(
        counted,
        jvm,
        serverTime,
        now.logBytes() - storage.logBytes(),
        now.tableBytes() - storage.tableBytes(),
        now.rowsWritten() - storage.rowsWritten(),
        serverIsKnown() ? foreign : 0);
  }

  private record Cost(
      Calls.Count calls,
      double jvmMicros,
      double serverMicros,
      double logBytes,
      double tableBytes,
      double rowsWritten,
      double foreignLoad) {}
}
