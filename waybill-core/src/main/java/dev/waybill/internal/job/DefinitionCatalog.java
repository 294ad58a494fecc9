package dev.waybill.internal.job;

import dev.waybill.DatabaseException;
import dev.waybill.DatabaseException.Kind;
import dev.waybill.internal.sql.Database;
import dev.waybill.internal.sql.Session;
import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.JobDefinitionStore;
import dev.waybill.internal.store.JobDefinitionStore.Definition;
import dev.waybill.internal.store.ScheduleStore;
import dev.waybill.job.DefinitionSync;
import dev.waybill.job.JobDefinition;
import dev.waybill.job.JobException.ActiveScheduleExists;
import dev.waybill.job.JobException.DefinitionUnavailable;
import dev.waybill.job.JobException.InvalidArgument;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Brings the definitions in the database in line with those of the program. The rows are locked
 * first, so that two programs that start together do it one after the other.
 */
final class DefinitionCatalog {
  private final Database database;

  DefinitionCatalog(Database database) {
    this.database = database;
  }

  DefinitionSync sync(Collection<JobDefinition> definitions) {
    return sync(byType(definitions), Set.of(), false);
  }

  DefinitionSync syncExactly(Collection<JobDefinition> definitions, Set<String> owned) {
    Map<String, JobDefinition> byType = byType(definitions);
    if (byType.isEmpty() || owned.isEmpty()) {
      throw new InvalidArgument(
          "job_definition.empty_catalog",
          "An exact synchronisation needs definitions and the types it owns: it would disable"
              + " everything.");
    }
    Set<String> strangers = new TreeSet<>(byType.keySet());
    strangers.removeAll(owned);
    if (!strangers.isEmpty()) {
      throw new InvalidArgument(
          "job_definition.outside_scope",
          "The job types " + strangers + " are defined but not among the owned types.");
    }
    return sync(byType, owned, true);
  }

  private static Map<String, JobDefinition> byType(Collection<JobDefinition> definitions) {
    Map<String, JobDefinition> byType = new TreeMap<>();
    for (JobDefinition definition : definitions) {
      if (byType.put(definition.type(), definition) != null) {
        throw new InvalidArgument(
            "job_definition.duplicate_type",
            "The job type '" + definition.type() + "' is defined twice.");
      }
    }
    return byType;
  }

  private DefinitionSync sync(Map<String, JobDefinition> wanted, Set<String> owned, boolean exact) {
    try {
      return database.transact(tx -> new Sync(tx, exact).run(wanted, owned));
    } catch (DatabaseException e) {
      if (e.kind() != Kind.DUPLICATE) {
        throw e;
      }
      // Another program inserted the same types first; now they are there to be locked.
      return database.transact(tx -> new Sync(tx, exact).run(wanted, owned));
    }
  }

  private static final class Sync {
    private final JobDefinitionStore store;
    private final Tx tx;
    private final boolean exact;
    private final List<String> inserted = new ArrayList<>();
    private final List<String> updated = new ArrayList<>();
    private final List<String> disabled = new ArrayList<>();
    private final List<String> keptDisabled = new ArrayList<>();

    Sync(Tx tx, boolean exact) {
      this.tx = tx;
      this.store = JobDefinitionStore.in(tx);
      this.exact = exact;
    }

    DefinitionSync run(Map<String, JobDefinition> wanted, Set<String> owned) {
      Map<String, Definition> before =
          store.allLocked().stream().collect(Collectors.toMap(Definition::type, each -> each));
      wanted.values().forEach(definition -> put(definition, before.get(definition.type())));
      for (String type : new TreeSet<>(owned)) {
        Definition row = before.get(type);
        if (!wanted.containsKey(type) && row != null && row.enabled()) {
          disable(type);
          store.enable(type, false);
        }
      }
      return new DefinitionSync(inserted, updated, disabled, keptDisabled);
    }

    private void put(JobDefinition definition, @Nullable Definition before) {
      Definition row = row(definition);
      if (before == null) {
        store.insert(row);
        inserted.add(definition.type());
        return;
      }
      row = row.paused(before.paused());
      if (row.enabled() && !before.enabled() && !exact) {
        keptDisabled.add(definition.type());
        row = row.enabled(false);
      }
      if (before.enabled() && !row.enabled()) {
        disable(definition.type());
      }
      if (!row.equals(before)) {
        store.update(row);
        updated.add(definition.type());
      }
    }

    private void disable(String type) {
      requireNoSchedule(tx, type);
      disabled.add(type);
    }
  }

  private static void requireNoSchedule(Tx tx, String type) {
    List<String> schedules = ScheduleStore.in(tx).activeFor(type);
    if (!schedules.isEmpty()) {
      throw new ActiveScheduleExists(type, schedules);
    }
  }

  void setEnabled(String type, boolean enabled) {
    database.transact(
        tx -> {
          JobDefinitionStore.in(tx).allLocked();
          if (!enabled) {
            requireNoSchedule(tx, type);
          }
          return require(type, JobDefinitionStore.in(tx).enable(type, enabled));
        });
  }

  void setPaused(String type, boolean paused) {
    database.transact(tx -> require(type, JobDefinitionStore.in(tx).pause(type, paused)));
  }

  private static boolean require(String type, boolean found) {
    if (!found) {
      throw new DefinitionUnavailable(type);
    }
    return true;
  }

  List<Definition> rows() {
    try (Session session = database.looking().session()) {
      return session.snapshot(tx -> JobDefinitionStore.in(tx).all());
    }
  }

  List<JobDefinition> all() {
    return rows().stream().map(DefinitionCatalog::definition).toList();
  }

  Set<String> paused() {
    return rows().stream()
        .filter(Definition::paused)
        .map(Definition::type)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Definition row(JobDefinition definition) {
    JobDefinition.Rate rate = definition.rate();
    return new Definition(
        definition.type(),
        definition.version(),
        definition.maxAttempts(),
        definition.timeout().toNanos() / 1000,
        definition.priority(),
        RetryPolicyText.write(definition.retryPolicy()),
        definition.enabled(),
        false,
        definition.maxRunning(),
        rate == null ? null : rate.count(),
        rate == null ? null : rate.period().toNanos() / 1000);
  }

  private static JobDefinition definition(Definition row) {
    Integer count = row.rateCount();
    Long micros = row.rateMicros();
    return new JobDefinition(
        row.type(),
        row.version(),
        row.maxAttempts(),
        Duration.of(row.timeoutMicros(), ChronoUnit.MICROS),
        row.priority(),
        RetryPolicyText.of(row.type(), row.retryPolicy()),
        row.enabled(),
        row.maxRunning(),
        count == null || micros == null
            ? null
            : new JobDefinition.Rate(count, Duration.of(micros, ChronoUnit.MICROS)));
  }
}
