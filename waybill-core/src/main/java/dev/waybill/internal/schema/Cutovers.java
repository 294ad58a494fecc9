package dev.waybill.internal.schema;

import dev.waybill.internal.sql.Tx;
import dev.waybill.internal.store.SchemaStore;
import dev.waybill.schema.SchemaIncompatibleException;
import dev.waybill.schema.SchemaIncompatibleException.DataNotReady;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How far the cutovers are, and what completes them. */
final class Cutovers {
  private static final Logger log = LoggerFactory.getLogger(Cutovers.class);

  private final SchemaStore store;
  private final List<Cutover> all;
  private final Names names;

  Cutovers(SchemaStore store, List<Cutover> all, Names names) {
    this.store = store;
    this.all = all;
    this.names = names;
  }

  /**
   * Completes those that are not, each statement in its own transaction: what is done stays done,
   * and the rest can be resumed.
   */
  void complete() {
    for (Cutover cutover : all) {
      Asking.of("Cutover " + cutover.name(), () -> complete(cutover));
    }
  }

  private boolean complete(Cutover cutover) {
    if (store.transact(tx -> isComplete(tx, cutover))) {
      return false;
    }
    throwIfNotReady(cutover);
    for (String statement : names.in(cutover.validate())) {
      store.transact(
          tx -> {
            tx.script(statement);
            return true;
          });
    }
    if (!store.transact(tx -> isComplete(tx, cutover))) {
      throwIfNotReady(cutover);
      throw new IllegalStateException(
          "Cutover " + cutover.name() + " is not complete after its own statements");
    }
    log.info("Completed cutover {}", cutover.name());
    return true;
  }

  private void throwIfNotReady(Cutover cutover) {
    Optional<SchemaIncompatibleException> verdict = store.transact(tx -> notReady(tx, cutover));
    if (verdict.isPresent()) {
      throw verdict.get();
    }
  }

  /** The first that old rows keep from being completed. */
  Optional<SchemaIncompatibleException> notReady(Tx tx) {
    return all.stream()
        .filter(cutover -> !isComplete(tx, cutover))
        .map(cutover -> notReady(tx, cutover))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** The names of those that are not complete; those of pending migrations cannot be. */
  List<String> open(Tx tx, Set<Long> pending) {
    return all.stream()
        .filter(cutover -> pending.contains(cutover.version()) || !isComplete(tx, cutover))
        .map(Cutover::name)
        .toList();
  }

  private boolean isComplete(Tx tx, Cutover cutover) {
    return tx.query(names.in(cutover.validated())).one(row -> row.flag("validated"));
  }

  private Optional<SchemaIncompatibleException> notReady(Tx tx, Cutover cutover) {
    Map<String, Long> counts = new LinkedHashMap<>();
    tx.query(names.in(cutover.legacy())).list(row -> counts.put(row.text("what"), row.number("n")));
    counts.values().removeIf(n -> n == 0);
    return counts.isEmpty()
        ? Optional.empty()
        : Optional.of(new DataNotReady(cutover.name(), counts));
  }
}
