package dev.waybill.bench.run;

import dev.waybill.bench.contender.Contenders;
import dev.waybill.bench.contender.Entry;
import dev.waybill.bench.scenario.Scale;
import dev.waybill.bench.scenario.Scenario;
import dev.waybill.testkit.DatabaseProduct;
import java.util.List;

/**
 * What the user asked for.
 *
 * @param scenarios in order
 * @param contenders in order
 * @param named whether the user named the contenders
 * @param databases for scenarios that are not about particular ones
 * @param only whether scenarios about other databases are left out
 * @param repetitions of everything
 * @param scale of the runs
 */
record Wish(
    List<Scenario> scenarios,
    List<Entry> contenders,
    boolean named,
    List<DatabaseProduct> databases,
    boolean only,
    int repetitions,
    Scale scale) {

  List<DatabaseProduct> databasesOf(Scenario scenario) {
    return scenario.databases().isEmpty()
        ? databases
        : scenario.databases().stream().filter(each -> !only || databases.contains(each)).toList();
  }

  List<Entry> contendersOf(Scenario scenario, DatabaseProduct product) {
    return contenders.stream()
        .filter(entry -> entry.runsOn(product))
        .filter(
            entry -> !entry.name().equals(Contenders.JOBS) || scenario.ours().equals(entry.name()))
        .filter(entry -> named ? scenario.admits(entry) : scenario.isFor(entry))
        .toList();
  }
}
