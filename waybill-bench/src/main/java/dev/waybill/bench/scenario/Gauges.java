package dev.waybill.bench.scenario;

import dev.waybill.bench.measure.Calls;
import dev.waybill.bench.measure.Storage;
import dev.waybill.testkit.DatabaseProduct;

/**
 * Where costs are read.
 *
 * @param trial who, where
 * @param product the database's
 * @param calls that went to it
 * @param storage what it wrote and keeps
 */
record Gauges(Trial trial, DatabaseProduct product, Calls calls, Storage storage) {}
