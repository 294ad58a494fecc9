package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.JvmCpu;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.DatabaseProduct;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where costs are read.
 *
 * @param trial who, where
 * @param product the database's
 * @param calls that went to it
 * @param storage what it wrote and keeps
 * @param jvmMicros processor time of the JVMs that take part
 */
record Gauges(
    Trial trial,
    DatabaseProduct product,
    Supplier<Calls.Count> calls,
    Storage storage,
    LongSupplier jvmMicros) {

  /** Where this JVM is the only one. */
  Gauges(Trial trial, DatabaseProduct product, Calls calls, Storage storage) {
    this(trial, product, calls::count, storage, JvmCpu::micros);
  }
}
